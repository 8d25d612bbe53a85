! What generate_fortran.py does not make by rules: the module's begin, and the functions whose arguments Fortran has in another
! form. The generated parts come where the two marks are.
! Distributed arrays in netCDF files: the functions of xmpnc.h in the manner of PnetCDF's nf90mpi_.
module xmpnf90
  use, intrinsic :: iso_c_binding, only: c_int, c_char, c_null_char, c_ptr, c_loc, c_f_pointer, c_size_t
  use, intrinsic :: iso_fortran_env, only: int8, int16, int32, int64, real32, real64
  use xmp_lib, only: xmp_desc
  implicit none
  private

  integer, parameter, public :: NF90_GLOBAL = 0, NF90_UNLIMITED = 0

!@interfaces
contains
!@functions

integer(c_int) function def_dim_default(ncid, name, len, id) result(status)
  integer(c_int), intent(in) :: ncid, len
  character(*), intent(in) :: name
  integer(c_int), intent(out), optional :: id
  status = xmpnf90_def_dim_long(ncid, name, int(len, int64), id)
end function

integer(c_int) function put_att_text(ncid, varid, name, values) result(status)
  integer(c_int), intent(in) :: ncid, varid
  character(*), intent(in) :: name, values
  interface
    integer(c_int) function of_c(ncid, varid, name, len, value) bind(c, name="xmpnc_put_att_text")
      import
      integer(c_int), value :: ncid, varid
      character(kind=c_char), intent(in) :: name(*), value(*)
      integer(int64), value :: len
    end function
  end interface
  status = of_c(ncid, varid - 1, trim(name) // c_null_char, len(values, int64), values)
end function

integer(c_int) function get_att_text(ncid, varid, name, values) result(status)
  integer(c_int), intent(in) :: ncid, varid
  character(*), intent(in) :: name
  character(*), intent(inout) :: values
  character(kind=c_char), allocatable :: value_c(:)
  integer(int64) :: elements, at
  interface
    integer(c_int) function of_c(ncid, varid, name, value) bind(c, name="xmpnc_get_att_text")
      import
      integer(c_int), value :: ncid, varid
      character(kind=c_char), intent(in) :: name(*)
      character(kind=c_char), intent(inout) :: value(*)
    end function
  end interface
  status = xmpnf90_inq_attlen(ncid, varid, name, elements)
  if (status /= NF90_NOERR) return
  allocate (value_c(elements))
  status = of_c(ncid, varid - 1, trim(name) // c_null_char, value_c)
  if (status /= NF90_NOERR) return
  values = ''
  do at = 1, min(elements, len(values, int64))
    values(at:at) = value_c(at)
  end do
end function

! The text of a code.
function xmpnf90_strerror(error)
  integer(c_int), intent(in) :: error
  character(80) :: xmpnf90_strerror
  interface
    type(c_ptr) function of_c(error) bind(c, name="xmpnc_strerror")
      import
      integer(c_int), value :: error
    end function
  end interface
  xmpnf90_strerror = text_at(of_c(error))
end function

function xmpnf90_inq_libvers()
  character(80) :: xmpnf90_inq_libvers
  interface
    type(c_ptr) function of_c() bind(c, name="xmpnc_inq_libvers")
      import
    end function
  end interface
  xmpnf90_inq_libvers = text_at(of_c())
end function

! A global array or sections of it. start, stride: its place in the variable; without them the indices of the array itself.
! first, length, step: the sections one after another, in the array's own indices. map: the array's dimension along each of the
! variable's, 0 for none.
integer(c_int) function array_access(kind, all, ncid, varid, array, req, sections, start, stride, first, length, step, map) &
    result(status)
  integer, intent(in) :: kind, all, ncid, varid, sections
  type(xmp_desc), intent(in) :: array
  integer(c_int), intent(out) :: req
  integer(int64), intent(in), optional :: start(:), stride(:), first(:), length(:), step(:), map(:)
  interface
    integer(c_int) function of_c(kind, all, ncid, varid, array, req, sections, elements, first, length, step, rank, start, &
      stride, map) bind(c, name="XMP_Fortran_nc_access")
      import :: c_int, int64
      integer(c_int), value :: kind, all, ncid, varid, sections, elements, rank
      integer(int64), value :: array
      integer(c_int), intent(out) :: req
      integer(int64), intent(in), optional :: first(*), length(*), step(*), start(*), stride(*), map(*)
    end function
  end interface
  integer(int64), allocatable :: given_start(:), given_stride(:), given_first(:), given_length(:), given_step(:), given_map(:)
  integer :: elements, rank, d
  elements = 0
  rank = -1
  status = NF90_EINVAL
  if (present(first) .neqv. present(length)) return
  if (present(first)) then
    elements = size(first)
    given_first = first
    given_length = length
    given_step = [(1_int64, d = 1, elements)]
    if (present(step)) given_step = step
    if (size(length) /= elements .or. size(given_step) /= elements) return
  end if
  if (present(start)) given_start = start(size(start):1:-1) - 1
  if (present(stride)) given_stride = stride(size(stride):1:-1)
  if (present(map)) given_map = [(merge(-1_int64, count(map > 0) - map(d), map(d) == 0), d = size(map), 1, -1)]
  if (present(start)) rank = size(start)
  if (present(map)) rank = size(map)
  if (present(start) .and. present(map)) rank = merge(rank, 0, size(start) == size(map))
  if (present(stride)) then
    if (.not. present(start) .or. size(stride) /= rank) return
  end if
  status = of_c(kind, all, ncid, varid - 1, array%address, req, sections, elements, given_first, given_length, given_step, &
    rank, given_start, given_stride, given_map)
end function

! Several whole arrays. start(:, i): the place of the first element of array i; variables with fewer dimensions take its begin.
integer(c_int) function arrays_access(kind, all, ncid, varids, arrays, start) result(status)
  integer, intent(in) :: kind, all, ncid, varids(:)
  type(xmp_desc), intent(in) :: arrays(:)
  integer(int64), intent(in), optional :: start(:, :)
  interface
    integer(c_int) function of_c(kind, all, ncid, num, varids, arrays, rank, start) bind(c, name="XMP_Fortran_nc_access_each")
      import :: c_int, int64
      integer(c_int), value :: kind, all, ncid, num, rank
      integer(c_int), intent(in) :: varids(*)
      integer(int64), intent(in) :: arrays(*)
      integer(int64), intent(in), optional :: start(*)
    end function
  end interface
  integer(int64), allocatable :: given_start(:)
  integer :: rank
  rank = 0
  status = NF90_EINVAL
  if (size(varids) /= size(arrays)) return
  if (present(start)) then
    if (size(start, 2) /= size(arrays)) return
    rank = size(start, 1)
    given_start = reshape(start - 1, [size(start)])
  end if
  status = of_c(kind, all, ncid, size(arrays), varids - 1, arrays%address, rank, given_start)
end function

! A variable for an array, and those of its dimensions that do not exist; a further name, the last one, is that of the records.
integer(c_int) function xmpnf90_def_var_of(ncid, name, xtype, array, dimnames, varid) result(status)
  integer(c_int), intent(in) :: ncid, xtype
  character(*), intent(in) :: name, dimnames(:)
  type(xmp_desc), intent(in) :: array
  integer(c_int), intent(out), optional :: varid
  interface
    integer(c_int) function of_c(ncid, name, xtype, ap, ndims, names, varid) bind(c, name="xmpnc_def_var_of")
      import
      integer(c_int), value :: ncid, xtype, ndims
      character(kind=c_char), intent(in) :: name(*)
      integer(int64), value :: ap
      type(c_ptr), intent(in) :: names(*)
      integer(c_int), intent(out) :: varid
    end function
  end interface
  character(kind=c_char, len=len(dimnames) + 1), target :: names(size(dimnames))
  type(c_ptr) :: addresses(size(dimnames))
  integer(c_int) :: id
  integer :: d
  do d = 1, size(dimnames)
    names(d) = trim(dimnames(d)) // c_null_char
    addresses(size(dimnames) + 1 - d) = c_loc(names(d))
  end do
  id = -1
  status = of_c(ncid, trim(name) // c_null_char, xtype, array%address, size(dimnames), addresses, id)
  if (present(varid)) varid = id + 1
end function

! Bytes that a buffered write of a section (or of the whole array) takes of this node's attached buffer.
integer(c_int) function xmpnf90_inq_bput_size(ncid, varid, array, bytes, first, length, step) result(status)
  integer(c_int), intent(in) :: ncid, varid
  type(xmp_desc), intent(in) :: array
  integer(int64), intent(out) :: bytes
  integer(int64), intent(in), optional :: first(:), length(:), step(:)
  interface
    integer(c_int) function of_c(ncid, varid, array, elements, first, length, step, bytes) &
      bind(c, name="XMP_Fortran_nc_inq_bput_size")
      import :: c_int, int64
      integer(c_int), value :: ncid, varid, elements
      integer(int64), value :: array
      integer(int64), intent(in), optional :: first(*), length(*), step(*)
      integer(int64), intent(out) :: bytes
    end function
  end interface
  integer(int64), allocatable :: given_step(:)
  integer :: elements, d
  bytes = 0
  elements = 0
  status = NF90_EINVAL
  if (present(first) .neqv. present(length)) return
  if (present(first)) then
    elements = size(first)
    given_step = [(1_int64, d = 1, elements)]
    if (present(step)) given_step = step
    if (size(length) /= elements .or. size(given_step) /= elements) return
  end if
  status = of_c(ncid, varid - 1, array%address, elements, first, length, given_step, bytes)
end function

pure function text_of(characters)
  character(kind=c_char), intent(in) :: characters(:)
  character(:), allocatable :: text_of
  integer :: length, at
  length = 0
  do while (length < size(characters))
    if (characters(length + 1) == c_null_char) exit
    length = length + 1
  end do
  allocate (character(length) :: text_of)
  do at = 1, length
    text_of(at:at) = characters(at)
  end do
end function

function text_at(address)
  type(c_ptr), intent(in) :: address
  character(:), allocatable :: text_at
  character(kind=c_char), pointer :: characters(:)
  interface
    integer(c_size_t) function strlen(text) bind(c)
      import
      type(c_ptr), value :: text
    end function
  end interface
  call c_f_pointer(address, characters, [strlen(address)])
  text_at = text_of(characters)
end function
end module
