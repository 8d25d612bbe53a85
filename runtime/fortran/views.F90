! Variables that show this node's block of a global array: XMP_Attach sets the descriptor of an allocatable array, and clears it where
! the array is xmp_null. One procedure for each type that arithmetic has, all of them xmp_show of descriptor.c: gfortran compiles such
! a call nine times as fast as one that describes the variable to C, and procedures with COMMON blocks have many arrays.
#define VIEW(NAME, TYPE) \
    subroutine NAME(array, descriptor, lower); \
      import; \
      TYPE, allocatable, intent(inout) :: array(..); \
      type(xmp_object), value :: descriptor; \
      integer(XMP_INDEX), intent(in), optional :: lower(*); \
    end subroutine

module kumihimo_views
  use kumihimo_records
  implicit none
  private
  public :: XMP_Attach

  interface XMP_Attach
    VIEW(xmp_attach_integer_1, integer(1))
    VIEW(xmp_attach_integer_2, integer(2))
    VIEW(xmp_attach_integer_4, integer(4))
    VIEW(xmp_attach_integer_8, integer(8))
    VIEW(xmp_attach_real_4, real(4))
    VIEW(xmp_attach_real_8, real(8))
    VIEW(xmp_attach_complex_4, complex(4))
    VIEW(xmp_attach_complex_8, complex(8))
    VIEW(xmp_attach_logical_1, logical(1))
    VIEW(xmp_attach_logical_2, logical(2))
    VIEW(xmp_attach_logical_4, logical(4))
    VIEW(xmp_attach_logical_8, logical(8))
#ifdef __GFC_INT_16__
    VIEW(xmp_attach_integer_16, integer(16))
    VIEW(xmp_attach_logical_16, logical(16))
#endif
#ifdef __GFC_REAL_10__
    VIEW(xmp_attach_real_10, real(10))
    VIEW(xmp_attach_complex_10, complex(10))
#endif
#ifdef __GFC_REAL_16__
    VIEW(xmp_attach_real_16, real(16))
    VIEW(xmp_attach_complex_16, complex(16))
#endif
  end interface
end module
