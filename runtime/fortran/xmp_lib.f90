! The library of the specification (chapter 7) for Fortran: inquiry about the system, and the end of the program. Inquiry about
! nodes, templates and arrays needs descriptors, which xmpf90 does not give yet.
module xmp_lib
  use, intrinsic :: iso_c_binding, only: c_int, c_double
  implicit none
  private :: c_int, c_double

  interface
    ! This node's number in the entire set, from 1.
    ! Local. Errors: none.
    integer(c_int) function xmp_all_node_num() bind(c)
      import :: c_int
    end function
    ! Number of nodes in the entire set: all that the program was started on.
    ! Local. Errors: none.
    integer(c_int) function xmp_all_num_nodes() bind(c)
      import :: c_int
    end function
    ! This node's number in the executing set, from 1: inside a task the nodes of the task count.
    ! Local. Errors: none.
    integer(c_int) function xmp_node_num() bind(c)
      import :: c_int
    end function
    ! Number of nodes in the executing set.
    ! Local. Errors: none.
    integer(c_int) function xmp_num_nodes() bind(c)
      import :: c_int
    end function
    ! Number of images: the number of xmp_num_nodes.
    ! Local. Errors: none.
    integer(c_int) function xmp_num_images() bind(c)
      import :: c_int
    end function
    ! Time in seconds since some moment in the past, on this node's clock.
    ! Local. Errors: none.
    real(c_double) function xmp_wtime() bind(c)
      import :: c_double
    end function
    ! Resolution of xmp_wtime in seconds.
    ! Local. Errors: none.
    real(c_double) function xmp_wtick() bind(c)
      import :: c_double
    end function
    ! Ends the program on this node with an exit status; does not return. All nodes call it; a status other than 0 on one node
    ! ends the job.
    ! Collective over the entire set. Errors: none.
    subroutine xmp_exit(status) bind(c)
      import :: c_int
      integer(c_int), value :: status
    end subroutine
  end interface

contains

  ! Whether the communication of this async-id is complete; .true. for an unknown id.
  ! Local. Errors: none.
  logical function xmp_test_async(async_id)
    integer, intent(in) :: async_id
    interface
      integer(c_int) function test(async_id) bind(c, name="xmp_test_async")
        import :: c_int
        integer(c_int), value :: async_id
      end function
    end interface
    xmp_test_async = test(int(async_id, c_int)) /= 0
  end function
end module
