! The records and constants of calls: sites, references to nodes and templates, variables and their parts, widths. The same as in
! generated.h and records.h.
module kumihimo_records
  use, intrinsic :: iso_c_binding, only: xmp_object => c_ptr, xmp_null => c_null_ptr, c_null_char, c_int, c_int64_t, &
                                         c_size_t, c_char
  use, intrinsic :: iso_fortran_env, only: int32, int64
  implicit none
  private
  public :: xmp_object, xmp_null

  integer, parameter, public :: XMP_ABI_VERSION = 2, XMP_INDEX = c_int64_t
  integer(XMP_INDEX), parameter, public :: XMP_REMAINING = -1  ! size `*` of nodes
  integer(XMP_INDEX), parameter, public :: XMP_OPEN = -huge(0_XMP_INDEX) - 1  ! where a dimension begins or ends
  integer, parameter, public :: XMP_NODES_ENTIRE = 0, XMP_NODES_EXECUTING = 1, XMP_NODES_PART = 2
  integer, parameter, public :: XMP_TASK_NOCOMM = 1, XMP_REFLECT_ORTHOGONAL = 1
  integer, parameter, public :: XMP_WIDTH_PLAIN = 0, XMP_WIDTH_FULL = 1, XMP_WIDTH_PERIODIC = 2
  integer, parameter, public :: XMP_SUM = 0, XMP_PRODUCT = 1, XMP_BAND = 2, XMP_BOR = 3, XMP_BXOR = 4, XMP_LAND = 5, XMP_LOR = 6, &
                                XMP_EQV = 7, XMP_NEQV = 8, XMP_MAX = 9, XMP_MIN = 10, XMP_FIRSTMAX = 11, XMP_FIRSTMIN = 12, &
                                XMP_LASTMAX = 13, XMP_LASTMIN = 14

  ! ---- references to nodes and templates; an element of a side is XMP_Range(0, index) ----
  type, bind(c), public :: XMP_Range
    integer(c_int) :: kind = 0
    integer(XMP_INDEX) :: first = 0, last = 0, step = 1
  end type
  type(XMP_Range), parameter, public :: XMP_ALL = XMP_Range(1, 0, 0, 1), XMP_OWN = XMP_Range(2, 0, 0, 1)

  type, bind(c), public :: XMP_Reference
    type(xmp_object) :: object = xmp_null
    integer(c_int) :: rank = 0
    type(XMP_Range) :: subscripts(7) = XMP_ALL
  end type

  ! ---- a variable or a part of one: a side of a gmove, a variable of a clause. The same record as Side in records.h. ----
  type(XMP_Range), parameter, public :: XMP_WHOLE = XMP_Range(1, XMP_OPEN, XMP_OPEN, 1)
  type, bind(c), public :: XMP_Side
    private
    type(xmp_object) :: text, array, address
    integer(c_int) :: type
    integer(c_size_t) :: element_bytes
    integer(c_int) :: rank
    type(xmp_object) :: parts(3)
    integer(c_size_t) :: member
    type(XMP_Range) :: subscripts(7)
    integer(XMP_INDEX) :: extents(7), strides(7)
  end type
  character(kind=c_char), parameter, public :: XMP_END = c_null_char  ! of the texts of these

  type, bind(c), public :: XMP_Width
    integer(XMP_INDEX) :: lower = 0, upper = 0
    integer(c_int) :: modifier = XMP_WIDTH_PLAIN
  end type

  interface XMP_At  ! one subscript
    procedure at_int32, at_int64
  end interface
  interface XMP_On
    procedure on_whole, on_part
  end interface

  public :: XMP_At, XMP_On, XMP_On_all, XMP_Site, XMP_From_to, XMP_Section, XMP_Global, XMP_Memory

  interface
    ! A global array, or a part of it. text: as the user wrote it.
    pure type(XMP_Side) function XMP_Global(array, text, rank, subscripts) bind(c, name="XMP_Fortran_global")
      import :: XMP_Side, XMP_Range, xmp_object, c_char, c_int
      type(xmp_object), value :: array
      character(kind=c_char), intent(in) :: text(*)
      integer(c_int), value :: rank
      type(XMP_Range), intent(in) :: subscripts(*)
    end function

    ! A variable of each node, a part of it, a constant. `target`: the address is used by the call that follows.
    type(XMP_Side) function XMP_Memory(variable, text) bind(c, name="XMP_Fortran_memory")
      import :: XMP_Side, c_char
      type(*), dimension(..), target :: variable
      character(kind=c_char), intent(in) :: text(*)
    end function
  end interface

contains

  type(xmp_object) function XMP_Site(file, line, directive)
    character(*), intent(in) :: file, directive
    integer, intent(in) :: line
    interface
      type(xmp_object) function site(file, line, directive) bind(c, name="XMP_Fortran_site")
        import :: xmp_object, c_int, c_char
        character(kind=c_char), intent(in) :: file(*), directive(*)
        integer(c_int), value :: line
      end function
    end interface
    XMP_Site = site(file // c_null_char, int(line, c_int), directive // c_null_char)
  end function

  pure type(XMP_Range) function at_int32(index)
    integer(int32), intent(in) :: index
    at_int32 = XMP_Range(0, index, index, 1)
  end function

  pure type(XMP_Range) function at_int64(index)
    integer(int64), intent(in) :: index
    at_int64 = XMP_Range(0, index, index, 1)
  end function

  pure type(XMP_Range) function XMP_From_to(range)  ! first, last, step
    integer(XMP_INDEX), intent(in) :: range(3)
    XMP_From_to = XMP_Range(0, range(1), range(2), range(3))
  end function

  pure type(XMP_Reference) function on_whole(object)
    type(xmp_object), intent(in) :: object
    on_whole%object = object
  end function

  pure type(XMP_Reference) function XMP_On_all(object, rank)  ! with `:` for each subscript
    type(xmp_object), intent(in) :: object
    integer, intent(in) :: rank
    XMP_On_all%object = object
    XMP_On_all%rank = rank
  end function

  pure function on_part(object, s1, s2, s3, s4, s5, s6, s7) result(on)
    type(XMP_Reference) :: on
    type(xmp_object), intent(in) :: object
    type(XMP_Range), intent(in) :: s1
    type(XMP_Range), intent(in), optional :: s2, s3, s4, s5, s6, s7
    on%object = object
    call add(s1)
    call add(s2)
    call add(s3)
    call add(s4)
    call add(s5)
    call add(s6)
    call add(s7)
  contains
    pure subroutine add(subscript)
      type(XMP_Range), intent(in), optional :: subscript
      if (.not. present(subscript)) return
      on%rank = on%rank + 1
      on%subscripts(on%rank) = subscript
    end subroutine
  end function

  pure type(XMP_Range) function XMP_Section(range)  ! first, last, step; XMP_OPEN where a bound is left out
    integer(XMP_INDEX), intent(in) :: range(3)
    XMP_Section = XMP_Range(2, range(1), range(2), range(3))
  end function
end module
