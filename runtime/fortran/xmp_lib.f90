! The library of the specification (chapter 7) for Fortran: inquiry about the system, and the end of the program. Inquiry about
! nodes, templates and arrays needs descriptors, which xmpf90 does not give yet.
module xmp_lib
  use, intrinsic :: iso_c_binding, only: c_int, c_double
  implicit none
  private :: c_int, c_double

  interface
    integer(c_int) function xmp_all_node_num() bind(c)
      import :: c_int
    end function
    integer(c_int) function xmp_all_num_nodes() bind(c)
      import :: c_int
    end function
    integer(c_int) function xmp_node_num() bind(c)
      import :: c_int
    end function
    integer(c_int) function xmp_num_nodes() bind(c)
      import :: c_int
    end function
    integer(c_int) function xmp_num_images() bind(c)
      import :: c_int
    end function
    real(c_double) function xmp_wtime() bind(c)
      import :: c_double
    end function
    real(c_double) function xmp_wtick() bind(c)
      import :: c_double
    end function
    subroutine xmp_exit(status) bind(c)
      import :: c_int
      integer(c_int), value :: status
    end subroutine
  end interface

contains

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
