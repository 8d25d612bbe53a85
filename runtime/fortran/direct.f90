! Elements of other images as loads and stores (direct.c).
module kumihimo_direct
  use, intrinsic :: iso_c_binding, only: c_int, c_ptr, c_null_ptr, c_size_t, c_bool, c_long_long, XMP_f_pointer => c_f_pointer
  implicit none
  private
  public :: XMP_Window, XMP_Direct, XMP_Direct_array, XMP_Copied_from, XMP_Copied_to, XMP_Store, XMP_f_pointer

  type, bind(c) :: XMP_Window
    private
    type(c_ptr) :: base = c_null_ptr
    integer(c_size_t) :: bytes = 0
    type(c_ptr) :: direct = c_null_ptr
    integer(c_long_long) :: released = 0
  end type

  interface
    type(c_ptr) function XMP_Direct(window, mine, image) bind(c, name="XMP_Fortran_direct")
      import :: XMP_Window, c_int, c_ptr
      type(XMP_Window), intent(inout) :: window
      type(*) :: mine
      integer(c_int), value :: image
    end function
    type(c_ptr) function XMP_Direct_array(window, mine, image) bind(c, name="XMP_Fortran_direct_array")
      import :: XMP_Window, c_int, c_ptr
      type(XMP_Window), intent(inout) :: window
      type(*) :: mine(*)
      integer(c_int), value :: image
    end function
    logical(c_bool) function XMP_Copied_from(window, mine, image, to, bytes) bind(c, name="XMP_Fortran_copied_from")
      import :: XMP_Window, c_bool, c_int, c_size_t
      type(XMP_Window), intent(inout) :: window
      type(*) :: mine(*), to(*)
      integer(c_int), value :: image
      integer(c_size_t), value :: bytes
    end function
    logical(c_bool) function XMP_Copied_to(window, mine, image, from, bytes) bind(c, name="XMP_Fortran_copied_to")
      import :: XMP_Window, c_bool, c_int, c_size_t
      type(XMP_Window), intent(inout) :: window
      type(*) :: mine(*), from(*)
      integer(c_int), value :: image
      integer(c_size_t), value :: bytes
    end function
    subroutine XMP_Store(mine, image, value, bytes) bind(c, name="XMP_Fortran_store")
      import :: c_int, c_size_t
      type(*) :: mine, value
      integer(c_int), value :: image
      integer(c_size_t), value :: bytes
    end subroutine
  end interface
end module
