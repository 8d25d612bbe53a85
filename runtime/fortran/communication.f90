! Directives in which nodes communicate, and array functions.
module kumihimo_communication
  use, intrinsic :: iso_c_binding, only: c_int
  use kumihimo_records
  implicit none
  private

  public :: XMP_Reduction, XMP_Bcast, XMP_Reduction_section, XMP_Bcast_section, XMP_Gmove, XMP_Gmove_in, XMP_Gmove_out, &
            XMP_Transpose, XMP_Matmul, XMP_Pack, XMP_Unpack, XMP_Sort, XMP_Barrier, XMP_Gather, XMP_Scatter, &
            XMP_Reduction_located, XMP_Reflect, XMP_Reflect_one, XMP_Reduce_shadow, XMP_Reduce_shadow_one, &
            XMP_Wait_async, XMP_Post, XMP_Wait, XMP_Sync_memory

  interface XMP_Barrier  ! the directive, and the library's function of the same name
    procedure barrier, barrier_of_library
  end interface

  interface
    subroutine XMP_Reduction(site, operation, variable, on, async) bind(c, name="XMP_Fortran_reduction")
      import :: xmp_object, XMP_Reference, c_int
      type(xmp_object), value :: site
      integer(c_int), value :: operation
      type(*), dimension(..), intent(inout) :: variable
      type(XMP_Reference), intent(in), optional :: on
      integer(c_int), intent(in), optional :: async
    end subroutine

    subroutine XMP_Reduce_shadow_one(site, array, widths, flags, async) bind(c, name="XMP_Fortran_reduce_shadow_one")
      import :: xmp_object, XMP_Width, c_int
      type(xmp_object), value :: site, array
      type(XMP_Width), intent(in), optional :: widths(*)
      integer(c_int), intent(in), optional :: flags, async
    end subroutine

    subroutine XMP_Reduce_shadow(site, count, arrays, widths, flags, async) bind(c, name="XMP_Fortran_reduce_shadow")
      import :: xmp_object, XMP_Width, c_int
      type(xmp_object), value :: site
      integer(c_int), value :: count
      type(xmp_object), intent(in) :: arrays(*)
      type(XMP_Width), intent(in), optional :: widths(*)
      integer(c_int), intent(in), optional :: flags, async
    end subroutine

    subroutine XMP_Bcast(site, variable, from, on, async) bind(c, name="XMP_Fortran_bcast")
      import :: xmp_object, XMP_Reference, c_int
      type(xmp_object), value :: site
      type(*), dimension(..), intent(inout) :: variable
      type(XMP_Reference), intent(in), optional :: from, on
      integer(c_int), intent(in), optional :: async
    end subroutine

    subroutine XMP_Reduction_section(site, operation, variable, on, async) bind(c, name="XMP_Fortran_reduction_section")
      import :: xmp_object, XMP_Reference, XMP_Side, c_int
      type(xmp_object), value :: site
      integer(c_int), value :: operation
      type(XMP_Side), intent(in) :: variable
      type(XMP_Reference), intent(in), optional :: on
      integer(c_int), intent(in), optional :: async
    end subroutine

    subroutine located(site, operation, variable, count, locations, on) bind(c, name="XMP_Fortran_reduction_located")
      import :: xmp_object, XMP_Reference, XMP_Side, c_int
      type(xmp_object), value :: site
      integer(c_int), value :: operation, count
      type(*), dimension(..), intent(inout) :: variable
      type(XMP_Side), intent(in) :: locations(*)
      type(XMP_Reference), intent(in), optional :: on
    end subroutine

    subroutine XMP_Bcast_section(site, variable, from, on, async) bind(c, name="XMP_Fortran_bcast_section")
      import :: xmp_object, XMP_Reference, XMP_Side, c_int
      type(xmp_object), value :: site
      type(XMP_Side), intent(in) :: variable
      type(XMP_Reference), intent(in), optional :: from, on
      integer(c_int), intent(in), optional :: async
    end subroutine

    ! left = right, as the directive gmove has it.
    subroutine XMP_Gmove(site, left, right, async) bind(c, name="XMP_Fortran_gmove")
      import :: xmp_object, XMP_Side, c_int
      type(xmp_object), value :: site
      type(XMP_Side), intent(in) :: left, right
      integer(c_int), intent(in), optional :: async
    end subroutine

    subroutine XMP_Gmove_in(site, left, right, async) bind(c, name="XMP_Fortran_gmove_in")
      import :: xmp_object, XMP_Side, c_int
      type(xmp_object), value :: site
      type(XMP_Side), intent(in) :: left, right
      integer(c_int), intent(in), optional :: async
    end subroutine

    subroutine XMP_Gmove_out(site, left, right, async) bind(c, name="XMP_Fortran_gmove_out")
      import :: xmp_object, XMP_Side, c_int
      type(xmp_object), value :: site
      type(XMP_Side), intent(in) :: left, right
      integer(c_int), intent(in), optional :: async
    end subroutine

    subroutine XMP_Transpose(site, x, a, may_change_a) bind(c, name="XMP_Fortran_transpose")
      import :: xmp_object, XMP_Side, c_int
      type(xmp_object), value :: site
      type(XMP_Side), intent(in) :: x, a
      integer(c_int), value :: may_change_a
    end subroutine

    subroutine XMP_Matmul(site, x, a, b) bind(c, name="XMP_Fortran_matmul")
      import :: xmp_object, XMP_Side, c_int
      type(xmp_object), value :: site
      type(XMP_Side), intent(in) :: x, a, b
    end subroutine

    subroutine indexed(site, scatter, x, a, count, subscripts) bind(c, name="XMP_Fortran_indexed")
      import :: xmp_object, XMP_Side, c_int
      type(xmp_object), value :: site
      integer(c_int), value :: scatter, count
      type(XMP_Side), intent(in) :: x, a, subscripts(*)
    end subroutine

    subroutine XMP_Pack(site, v, a, mask) bind(c, name="XMP_Fortran_pack")
      import :: xmp_object, XMP_Side, c_int
      type(xmp_object), value :: site
      type(XMP_Side), intent(in) :: v, a
      type(XMP_Side), intent(in), optional :: mask
    end subroutine

    subroutine XMP_Unpack(site, a, v, mask) bind(c, name="XMP_Fortran_unpack")
      import :: xmp_object, XMP_Side, c_int
      type(xmp_object), value :: site
      type(XMP_Side), intent(in) :: a, v
      type(XMP_Side), intent(in), optional :: mask
    end subroutine

    subroutine XMP_Sort(site, v1, v2, descending) bind(c, name="XMP_Fortran_sort")
      import :: xmp_object, XMP_Side, c_int
      type(xmp_object), value :: site
      type(XMP_Side), intent(in) :: v1, v2
      integer(c_int), value :: descending
    end subroutine

    ! Of one array: gfortran compiles a call without an array constructor much faster. (A generic name for both it resolves
    ! wrongly: it takes a c_ptr for an array of such.)
    subroutine XMP_Reflect_one(site, array, widths, flags, async) bind(c, name="XMP_Fortran_reflect_one")
      import :: xmp_object, XMP_Width, c_int
      type(xmp_object), value :: site, array
      type(XMP_Width), intent(in), optional :: widths(*)
      integer(c_int), intent(in), optional :: flags, async
    end subroutine

    subroutine XMP_Reflect(site, count, arrays, widths, flags, async) bind(c, name="XMP_Fortran_reflect")
      import :: xmp_object, XMP_Width, c_int
      type(xmp_object), value :: site
      integer(c_int), value :: count
      type(xmp_object), intent(in) :: arrays(*)
      type(XMP_Width), intent(in), optional :: widths(*)
      integer(c_int), intent(in), optional :: flags, async
    end subroutine

    subroutine barrier(site, on) bind(c, name="XMP_Fortran_barrier")
      import :: xmp_object, XMP_Reference
      type(xmp_object), value :: site
      type(XMP_Reference), intent(in), optional :: on
    end subroutine

    subroutine barrier_of_library() bind(c, name="xmp_barrier")
    end subroutine

    subroutine XMP_Post(site, node, tag) bind(c, name="XMP_Fortran_post")
      import :: xmp_object, XMP_Reference, c_int
      type(xmp_object), value :: site
      type(XMP_Reference), intent(in) :: node
      integer(c_int), value :: tag
    end subroutine

    subroutine XMP_Wait(site, node, tag) bind(c, name="XMP_Fortran_wait")
      import :: xmp_object, XMP_Reference, c_int
      type(xmp_object), value :: site
      type(XMP_Reference), intent(in), optional :: node
      integer(c_int), intent(in), optional :: tag
    end subroutine

    subroutine XMP_Sync_memory() bind(c, name="XMP_Fortran_sync_memory")
    end subroutine

    subroutine wait_async(site, count, ids, on) bind(c, name="XMP_Fortran_wait_async")
      import :: xmp_object, XMP_Reference, c_int
      type(xmp_object), value :: site
      integer(c_int), value :: count
      integer(c_int), intent(in) :: ids(*)
      type(XMP_Reference), intent(in), optional :: on
    end subroutine
  end interface

contains

  subroutine XMP_Gather(site, x, a, subscripts)
    type(xmp_object), intent(in) :: site
    type(XMP_Side), intent(in) :: x, a, subscripts(:)
    call indexed(site, 0, x, a, size(subscripts), subscripts)
  end subroutine

  subroutine XMP_Scatter(site, x, a, subscripts)
    type(xmp_object), intent(in) :: site
    type(XMP_Side), intent(in) :: x, a, subscripts(:)
    call indexed(site, 1, x, a, size(subscripts), subscripts)
  end subroutine

  ! max and min with location variables, which become what they are on the first node that has the value.
  subroutine XMP_Reduction_located(site, operation, variable, locations, on)
    type(xmp_object), intent(in) :: site
    integer, intent(in) :: operation
    type(*), dimension(..), intent(inout) :: variable
    type(XMP_Side), intent(in) :: locations(:)
    type(XMP_Reference), intent(in), optional :: on
    call located(site, operation, variable, size(locations), locations, on)
  end subroutine

  subroutine XMP_Wait_async(site, ids, on)
    type(xmp_object), intent(in) :: site
    integer(c_int), intent(in) :: ids(:)
    type(XMP_Reference), intent(in), optional :: on
    call wait_async(site, size(ids), ids, on)
  end subroutine
end module
