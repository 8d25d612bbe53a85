! Global I/O (specification, appendix D.4): the statements open, close, read and write under the directive global_io, as calls of
! generated.h.
module kumihimo_global_io
  use, intrinsic :: iso_c_binding, only: c_int, c_char, c_null_char
  use kumihimo_records
  implicit none
  private

  integer, parameter, public :: XMP_GLOBAL_COLLECTIVE = 0, XMP_GLOBAL_ATOMIC = 1, XMP_GLOBAL_DIRECT = 2  ! as in generated.h

  public :: XMP_Global_open, XMP_Global_close, XMP_Global_read, XMP_Global_write, XMP_Global_sync

  interface
    subroutine XMP_Global_sync(site, unit) bind(c, name="XMP_Global_sync")
      import :: xmp_object, c_int
      type(xmp_object), value :: site
      integer(c_int), value :: unit
    end subroutine
  end interface

contains

  ! recl in bytes. The other specifiers are absent where the statement has none.
  subroutine XMP_Global_open(site, kind, unit, file, status, position, action, access, form, recl, iostat)
    type(xmp_object), intent(in) :: site
    integer, intent(in) :: kind, unit
    character(*), intent(in), optional :: file, status, position, action, access, form
    integer(XMP_INDEX), intent(in), optional :: recl
    integer(c_int), intent(inout), optional :: iostat
    interface
      subroutine open_unit(site, kind, unit, file, status, position, action, access, form, recl, iostat) &
        bind(c, name="XMP_Fortran_open")
        import :: xmp_object, XMP_INDEX, c_int, c_char
        type(xmp_object), value :: site
        integer(c_int), value :: kind, unit
        character(kind=c_char), intent(in) :: file(*), status(*), position(*), action(*), access(*), form(*)
        integer(XMP_INDEX), value :: recl
        integer(c_int), intent(inout), optional :: iostat
      end subroutine
    end interface
    integer(XMP_INDEX) :: length
    length = 0
    if (present(recl)) length = recl
    call open_unit(site, kind, unit, text(file), text(status), text(position), text(action), text(access), text(form), length, &
      iostat)
  end subroutine

  subroutine XMP_Global_close(site, kind, unit, status, iostat)
    type(xmp_object), intent(in) :: site
    integer, intent(in) :: kind, unit
    character(*), intent(in), optional :: status
    integer(c_int), intent(inout), optional :: iostat
    interface
      subroutine close_unit(site, kind, unit, status, iostat) bind(c, name="XMP_Global_close")
        import :: xmp_object, c_int, c_char
        type(xmp_object), value :: site
        integer(c_int), value :: kind, unit
        character(kind=c_char), intent(in) :: status(*)
        integer(c_int), intent(inout), optional :: iostat
      end subroutine
    end interface
    call close_unit(site, kind, unit, text(status), iostat)
  end subroutine

  subroutine XMP_Global_read(site, kind, unit, items, rec, iostat)
    type(xmp_object), intent(in) :: site
    integer, intent(in) :: kind, unit
    type(XMP_Side), intent(in) :: items(:)
    integer(XMP_INDEX), intent(in), optional :: rec
    integer(c_int), intent(inout), optional :: iostat
    call transfer_items(site, 0, kind, unit, items, rec, iostat)
  end subroutine

  subroutine XMP_Global_write(site, kind, unit, items, rec, iostat)
    type(xmp_object), intent(in) :: site
    integer, intent(in) :: kind, unit
    type(XMP_Side), intent(in) :: items(:)
    integer(XMP_INDEX), intent(in), optional :: rec
    integer(c_int), intent(inout), optional :: iostat
    call transfer_items(site, 1, kind, unit, items, rec, iostat)
  end subroutine

  subroutine transfer_items(site, writes, kind, unit, items, rec, iostat)
    type(xmp_object), intent(in) :: site
    integer, intent(in) :: writes, kind, unit
    type(XMP_Side), intent(in) :: items(:)
    integer(XMP_INDEX), intent(in), optional :: rec
    integer(c_int), intent(inout), optional :: iostat
    interface
      subroutine move(site, writes, kind, unit, rec, count, items, iostat) bind(c, name="XMP_Fortran_transfer")
        import :: xmp_object, XMP_Side, XMP_INDEX, c_int
        type(xmp_object), value :: site
        integer(c_int), value :: writes, kind, unit, count
        integer(XMP_INDEX), value :: rec
        type(XMP_Side), intent(in) :: items(*)
        integer(c_int), intent(inout), optional :: iostat
      end subroutine
    end interface
    integer(XMP_INDEX) :: record
    record = 0
    if (present(rec)) record = rec
    call move(site, writes, kind, unit, record, size(items), items, iostat)
  end subroutine

  ! A specifier for C: what is absent is empty.
  function text(specifier)
    character(*), intent(in), optional :: specifier
    character(:), allocatable :: text
    text = c_null_char
    if (present(specifier)) text = trim(adjustl(specifier)) // c_null_char
  end function
end module
