! Master I/O (D.3): what stands around an I/O statement, and in its list of items. An item of a global array is a window of the
! master's memory, whose section calls the runtime for its next elements; behind an input item stands a section of no elements,
! whose bound gives the other nodes what was read (decision master-io).
module kumihimo_io
  use, intrinsic :: iso_c_binding, only: c_int, c_size_t, c_char
  use kumihimo_records
  implicit none
  private

  integer, parameter, public :: XMP_IO_WRITE = 0, XMP_IO_READ = 1, XMP_IO_UPDATE = 2, XMP_IO_COUNT = 3
  integer, parameter, public :: XMP_IO_HANDLES_ERROR = 1, XMP_IO_HANDLES_END = 2, XMP_IO_HANDLES_RECORD_END = 4

  integer, parameter, public :: XMP_IO_USES = 0, XMP_IO_OPENS = 1, XMP_IO_OPENS_NEW = 2, XMP_IO_CLOSES = 3

  public :: XMP_Io_begin, XMP_Io_is_master, XMP_Io_window, XMP_Io_use, XMP_Io_pieces, XMP_Io_next, XMP_Io_element, XMP_Io_item, &
            XMP_Io_output, XMP_Io_end, XMP_Io_expect, XMP_Io_unit

  interface
    subroutine XMP_Io_unit(io, unit, connection) bind(c, name="XMP_Io_unit")
      import :: xmp_object, c_int
      type(xmp_object), value :: io
      integer(c_int), value :: unit, connection
    end subroutine

    integer(XMP_INDEX) function XMP_Io_window(io, array) bind(c, name="XMP_Io_window")
      import :: xmp_object, XMP_INDEX, c_int
      type(xmp_object), value :: io
      integer(c_int), value :: array
    end function

    subroutine XMP_Io_use(io, array, window) bind(c, name="XMP_Io_use")
      import :: xmp_object, c_int
      type(xmp_object), value :: io
      integer(c_int), value :: array
      type(*), target :: window(*)  ! the calls that follow use it
    end subroutine

    integer(XMP_INDEX) function XMP_Io_pieces(io, array, section) bind(c, name="XMP_Io_pieces")
      import :: xmp_object, XMP_INDEX, c_int
      type(xmp_object), value :: io
      integer(c_int), value :: array
      integer(XMP_INDEX), intent(in), optional :: section(*)  ! first, last, step of each dimension
    end function

    integer(XMP_INDEX) function XMP_Io_next(io, array) bind(c, name="XMP_Io_next")
      import :: xmp_object, XMP_INDEX, c_int
      type(xmp_object), value :: io
      integer(c_int), value :: array
    end function

    ! An input item: gives 0, how many elements stand in the list in its place.
    integer(c_int) function XMP_Io_item(io, variable) bind(c, name="XMP_Fortran_io_item")
      import :: xmp_object, c_int
      type(xmp_object), value :: io
      type(*), dimension(..), target :: variable
    end function

    subroutine XMP_Io_output(io, variable) bind(c, name="XMP_Fortran_io_output")
      import :: xmp_object
      type(xmp_object), value :: io
      type(*), dimension(..), target :: variable
    end subroutine
  end interface

contains

  subroutine XMP_Io_begin(io, site, use, status, arrays)
    type(xmp_object), intent(out) :: io
    type(xmp_object), intent(in) :: site
    integer, intent(in) :: use
    integer(c_int), intent(inout), target :: status  ! that of the master's statement, seen as it goes on
    type(xmp_object), intent(in) :: arrays(:)
    interface
      type(xmp_object) function begin(site, use, count, arrays, status) bind(c, name="XMP_Io_begin")
        import :: xmp_object, c_int
        type(xmp_object), value :: site
        integer(c_int), value :: use, count
        type(xmp_object), intent(in) :: arrays(*)
        integer(c_int), intent(inout), target :: status
      end function
    end interface
    status = 0
    io = begin(site, use, size(arrays), arrays, status)
  end subroutine

  logical function XMP_Io_is_master(io)
    type(xmp_object), intent(in) :: io
    interface
      integer(c_int) function is_master(io) bind(c, name="XMP_Io_is_master")
        import :: xmp_object, c_int
        type(xmp_object), value :: io
      end function
    end interface
    XMP_Io_is_master = is_master(io) /= 0
  end function

  ! The subscript of an element in the window.
  integer function XMP_Io_element(io, array, subscripts)
    type(xmp_object), intent(in) :: io
    integer, intent(in) :: array
    integer(XMP_INDEX), intent(in) :: subscripts(:)
    interface
      integer(XMP_INDEX) function element(io, array, subscripts) bind(c, name="XMP_Io_element")
        import :: xmp_object, XMP_INDEX, c_int
        type(xmp_object), value :: io
        integer(c_int), value :: array
        integer(XMP_INDEX), intent(in) :: subscripts(*)
      end function
    end interface
    XMP_Io_element = int(element(io, array, subscripts)) + 1
  end function

  ! Before an implied do with several items: the elements of one that come. Gives 0, as XMP_Io_item.
  integer function XMP_Io_expect(io, array, section)
    type(xmp_object), intent(in) :: io
    integer, intent(in) :: array
    integer(XMP_INDEX), intent(in) :: section(:)  ! first, last, step of each dimension
    interface
      subroutine expect(io, array, section) bind(c, name="XMP_Io_expect")
        import :: xmp_object, XMP_INDEX, c_int
        type(xmp_object), value :: io
        integer(c_int), value :: array
        integer(XMP_INDEX), intent(in) :: section(*)
      end subroutine
    end interface
    call expect(io, array, section)
    XMP_Io_expect = 0
  end function

  subroutine XMP_Io_end(io, handled, status, message)
    type(xmp_object), intent(in) :: io
    integer, intent(in) :: handled
    integer, intent(out) :: status
    character(*), intent(inout) :: message
    interface
      integer(c_int) function end_statement(io, handled, message, bytes) bind(c, name="XMP_Io_end")
        import :: xmp_object, c_int, c_size_t, c_char
        type(xmp_object), value :: io
        integer(c_int), value :: handled
        character(kind=c_char), intent(inout) :: message(*)
        integer(c_size_t), value :: bytes
      end function
    end interface
    status = end_statement(io, handled, message, len(message, c_size_t))
  end subroutine
end module
