! co_reduce by a subroutine of addresses (compiler/fortran/writing/reduced_types.py).
module kumihimo_reduction
  use, intrinsic :: iso_c_binding, only: c_funptr, XMP_c_funloc => c_funloc
  implicit none
  private
  public :: XMP_Reduce_by, XMP_c_funloc

  interface
    ! The next co_reduce of this image combines by it.
    subroutine XMP_Reduce_by(combine) bind(c, name="XMP_Fortran_reduce_by")
      import :: c_funptr
      type(c_funptr), value :: combine
    end subroutine
  end interface
end module
