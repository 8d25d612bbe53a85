"""Writes the Fortran module xmpnf90 from the table of xmpnc (functions.txt), in the manner of PnetCDF's own Fortran interface.

    generate_fortran.py PNETCDF_H           prints the module for the PnetCDF whose header is given

As in every Fortran interface to netCDF, numbers of variables, dimensions and attributes and positions count from 1, and
dimensions stand in Fortran's order, the fastest first. Optional arguments are what the C functions take NULL for.
"""

import re
import sys
from pathlib import Path
from typing import NamedTuple

from generate import parse, read_table

# Names in the manner of nf90mpi_, where they are not those of the C functions.
NAMES = {"inq": "inquire", "inq_dim": "inquire_dimension", "inq_var": "inquire_variable", "inq_att": "inquire_attribute"}
# Functions whose arguments Fortran has in another form: generic ones below, or texts as results.
OTHERS = "put_att get_att put_att_text get_att_text strerror strerrno inq_libvers".split()
WRITTEN = ("xmpnf90_strerror", "xmpnf90_inq_libvers", "xmpnf90_def_var_of", "xmpnf90_inq_bput_size")
# Those with communicators and hints, which fortran.cpp translates.
MPI = re.compile(r"MPI_(Comm|Info)")
FROM_1 = ("varid", "varid_in", "varid_out", "dimid", "attnum", "recno")
RESULTS_FROM_1 = ("varidp", "idp")
LISTS = ("ncids", "reqs", "statuses", "array_of_requests", "array_of_statuses")
ATTRIBUTES = (  # type in Fortran, in functions, in the file
    ("integer(int8)", "schar", "NF90_BYTE"),
    ("integer(int16)", "short", "NF90_SHORT"),
    ("integer(int32)", "int", "NF90_INT"),
    ("integer(int64)", "longlong", "NF90_INT64"),
    ("real(real32)", "float", "NF90_FLOAT"),
    ("real(real64)", "double", "NF90_DOUBLE"),
)
OWN_CONSTANTS = ("NC_GLOBAL", "NC_UNLIMITED")


class Parameter:
    """One of a C function, as Fortran's function has it.

    name: in Fortran, or None where it has none; declaration: of the dummy argument; inner: of that of the C function; local:
    variables; actual: what the C function gets; after: statements behind the call."""

    def __init__(self, text, sizes):
        self.name = re.search(r"(\w+)(\[\])?$", text)[1]
        self.local, self.after, c_name = [], [], self.name
        self.actual, kind = c_name, text[: text.rindex(c_name)].strip()
        if kind.endswith("*") and c_name not in LISTS:
            self.name = re.sub(r"(?<=\w\w)p$", "", c_name)
        self._read(kind, c_name, sizes)
        self.inner = self.inner.format(c_name)

    def _read(self, kind, c_name, sizes):
        plain = {"int": "integer(c_int)", "nc_type": "integer(c_int)", "MPI_Offset": "integer(int64)"}
        plain |= {"MPI_Comm": "integer(c_int)", "MPI_Info": "integer(c_int)"}
        base = kind.replace("const ", "").replace("*", "").strip()
        if "char" in kind:
            self._text(kind, c_name)
        elif base == "void":
            self._declare("type(*), intent(inout), optional :: {}", "type(*), intent(inout), optional :: {}")
        elif c_name == "dimidsp":
            self._dimensions("const" in kind)
        elif c_name in sizes:
            self.name, self.actual, self.inner = None, sizes[c_name], "integer(c_int), value :: {}"
        elif c_name in LISTS:
            self._declare(*["integer(c_int), intent(inout), optional :: {}(*)"] * 2)
        elif "*" in kind:
            self._result(plain[base], c_name)
        else:
            self._declare(f"{plain[base]}, intent(in) :: {{}}", f"{plain[base]}, value :: {{}}")
            self.actual = f"{self.name} - 1" if c_name in FROM_1 else self.name

    def _declare(self, declaration, inner):
        self.declaration, self.inner = declaration.format(self.name), inner
        self.actual = self.name

    def _text(self, kind, c_name):
        if "const" in kind:
            self._declare("character(*), intent(in) :: {}", "character(kind=c_char), intent(in) :: {}(*)")
            self.actual = f"trim({self.name}) // c_null_char"
            return
        self._declare("character(*), intent(out), optional :: {}", "character(kind=c_char), intent(out) :: {}(*)")
        self.local, self.actual = [f"character(kind=c_char) :: {c_name}_c(4096)"], f"{c_name}_c"
        self.after = [f"if (present({self.name})) {self.name} = text_of({c_name}_c)"]

    def _result(self, type_, c_name):
        self._declare(f"{type_}, intent(out), optional :: {{}}", f"{type_}, intent(out), optional :: {{}}")
        if c_name in RESULTS_FROM_1:
            self.after = [f"if (present({self.name})) {self.name} = {self.name} + 1"]
        elif c_name == "unlimdimidp":
            self.after = [f"if (present({self.name})) {self.name} = merge({self.name}, {self.name} + 1, {self.name} < 0)"]

    def _dimensions(self, given):
        self.name = "dimids"
        if given:
            self._declare("integer(c_int), intent(in) :: {}(:)", "integer(c_int), intent(in) :: {}(*)")
            self.actual = "[dimids(size(dimids):1:-1) - 1]"
            return
        self._declare("integer(c_int), intent(out), optional :: {}(:)", "integer(c_int), intent(out) :: {}(*)")
        self.local, self.actual = ["integer(c_int) :: dimids_c(1024)", "integer(c_int) :: rank_c"], "dimids_c"
        self.after = [
            "if (present(dimids)) then",
            "  if (xmpnf90_inq_varndims(ncid, varid, rank_c) == NF90_NOERR) dimids(:rank_c) = dimids_c(rank_c:1:-1) + 1",
            "end if",
        ]


def function(prototype):
    """The text of the Fortran function for a C one."""
    _, name, parameters, _ = parse(prototype)
    texts = [] if parameters == "void" else parameters.split(", ")
    defines = any("const int *dimidsp" in text for text in texts)
    sizes = {"ndims": "size(dimids)"} if defines else {}
    found = [Parameter(text, sizes) for text in texts]
    c_names = [re.search(r"(\w+)(\[\])?$", text)[1] for text in texts]
    visible = [one for one in found if one.name is not None]
    bound = f"XMP_Fortran_nc_{name}" if MPI.search(parameters) else f"xmpnc_{name}"
    own = f"xmpnf90_{NAMES.get(name, name).lstrip('_')}" if name != "_enddef" else "xmpnf90__enddef"
    lines = [
        f"integer(c_int) function {own}({', '.join(one.name for one in visible)}) result(status)",
        *("  " + one.declaration for one in visible),
        *("  " + local for one in found for local in one.local),
        "  interface",
        f'    integer(c_int) function of_c({", ".join(c_names)}) bind(c, name="{bound}")',
        "      import :: c_int, c_char, int64",
        *("      " + one.inner for one in found),
        "    end function",
        "  end interface",
        f"  status = of_c({', '.join(one.actual for one in found)})",
        *("  " + after for one in found for after in one.after),
        "end function",
    ]
    return own, "\n".join(lines)


def _head(name, arguments):
    return f"integer(c_int) function {name}({arguments}) result(status)"


def attributes():
    """Generic names -> (specific name, text) for attributes of each type, one value or several."""
    for type_, c_type, external in ATTRIBUTES:
        for shape, count in (("", "1_int64"), ("(:)", "size(values, kind=int64)")):
            suffix = c_type + ("_values" if shape else "")
            packed = "[values]"
            yield (
                "put_att",
                f"put_att_{suffix}",
                f"""{_head(f"put_att_{suffix}", "ncid, varid, name, values")}
  integer(c_int), intent(in) :: ncid, varid
  character(*), intent(in) :: name
  {type_}, intent(in) :: values{shape}
  interface
    integer(c_int) function of_c(ncid, varid, name, xtype, nelems, value) bind(c, name="xmpnc_put_att_{c_type}")
      import
      integer(c_int), value :: ncid, varid, xtype
      character(kind=c_char), intent(in) :: name(*)
      integer(int64), value :: nelems
      {type_}, intent(in) :: value(*)
    end function
  end interface
  status = of_c(ncid, varid - 1, trim(name) // c_null_char, {external}, {count}, {packed})
end function""",
            )
            result = "values = value_c(1)" if not shape else "values = value_c"
            length = "1" if not shape else "size(values)"
            yield (
                "get_att",
                f"get_att_{suffix}",
                f"""{_head(f"get_att_{suffix}", "ncid, varid, name, values")}
  integer(c_int), intent(in) :: ncid, varid
  character(*), intent(in) :: name
  {type_}, intent(inout) :: values{shape}
  {type_} :: value_c({length})
  integer(int64) :: elements
  interface
    integer(c_int) function of_c(ncid, varid, name, value) bind(c, name="xmpnc_get_att_{c_type}")
      import
      integer(c_int), value :: ncid, varid
      character(kind=c_char), intent(in) :: name(*)
      {type_}, intent(inout) :: value(*)
    end function
  end interface
  status = xmpnf90_inq_attlen(ncid, varid, name, elements)
  if (status == NF90_NOERR .and. elements /= {length}) status = NF90_EINVAL
  if (status /= NF90_NOERR) return
  status = of_c(ncid, varid - 1, trim(name) // c_null_char, value_c)
  if (status == NF90_NOERR) {result}
end function""",
            )


def single_values():
    """(generic name, specific name, text) for one value of this node's own data."""
    for type_, c_type, _ in ATTRIBUTES:
        for kind in KINDS:
            intent = "inout" if kind.name.endswith("get") else "in"
            dummy = f"{type_}, intent({intent}){', target, asynchronous' if kind.request else ''} :: value"
            for suffix in kind.suffixes:
                name = f"{kind.name}_var1_{c_type}{suffix}"
                yield (
                    f"{kind.name}_var{suffix}",
                    name,
                    f"""{_head(name, "ncid, varid, value, start" + ", req" * kind.request)}
  integer(c_int), intent(in) :: ncid, varid
  {dummy}
  integer(int64), intent(in) :: start(:){REQUEST * kind.request}
  interface
    integer(c_int) function of_c(ncid, varid, index, value{", req" * kind.request}) bind(c, name="xmpnc_{name}")
      import
      integer(c_int), value :: ncid, varid
      integer(int64), intent(in) :: index(*)
      {dummy}{REQUEST.replace("  ", "      ") * kind.request}
    end function
  end interface
  status = of_c(ncid, varid - 1, start(size(start):1:-1) - 1, value{", req" * kind.request})
end function""",
                )


class Kind(NamedTuple):
    """As access.hpp numbers them."""

    name: str
    number: int
    suffixes: tuple
    request: bool


KINDS = [
    Kind("put", 0, ("", "_all"), False),
    Kind("get", 1, ("", "_all"), False),
    Kind("iput", 2, ("",), True),
    Kind("iget", 3, ("",), True),
    Kind("bput", 4, ("",), True),
]
REQUEST = "\n  integer(c_int), intent(out) :: req"


def arrays():
    """The same for global arrays: a section, several of one array, several variables."""
    for kind in KINDS:
        for suffix in kind.suffixes:
            call = f"{kind.number}, {int(suffix != '')}, ncid"
            req = ", req" * kind.request
            given = "req" if kind.request else "unused"
            declared = REQUEST if kind.request else "\n  integer(c_int) :: unused"
            name = f"{kind.name}_array{suffix}"
            yield (
                f"{kind.name}_var{suffix}",
                name,
                f"""{_head(name, f"ncid, varid, array{req}, start, stride, first, length, step, map")}
  integer(c_int), intent(in) :: ncid, varid
  type(xmp_desc), intent(in) :: array{declared}
  integer(int64), intent(in), optional :: start(:), stride(:), first(:), length(:), step(:), map(:)
  status = array_access({call}, varid, array, {given}, 1, start, stride, first, length, step, map)
end function""",
            )
            name = f"{kind.name}_sections{suffix}"
            yield (
                f"{kind.name}_varn{suffix}",
                name,
                f"""{_head(name, f"ncid, varid, array, first, length, step{req}")}
  integer(c_int), intent(in) :: ncid, varid
  type(xmp_desc), intent(in) :: array
  integer(int64), intent(in) :: first(:, :), length(:, :), step(:, :){declared}
  status = array_access({call}, varid, array, {given}, size(first, 2), first=reshape(first, [size(first)]), &
    length=reshape(length, [size(length)]), step=reshape(step, [size(step)]))
end function""",
            )
            if kind.request:
                continue
            name = f"m{kind.name}_arrays{suffix}"
            yield (
                f"m{kind.name}_var{suffix}",
                name,
                f"""{_head(name, "ncid, varids, arrays, start")}
  integer(c_int), intent(in) :: ncid, varids(:)
  type(xmp_desc), intent(in) :: arrays(:)
  integer(int64), intent(in), optional :: start(:, :)
  status = arrays_access({call}, varids, arrays, start)
end function""",
            )


def constants(header):
    """Parameters for the integer constants of PnetCDF's header."""
    found = re.findall(r"^#define\s+NC_(\w+)[ \t]+\(?(-?\d+|0x[\da-fA-F]+)\)?[ \t]*(?:/[*/].*)?$", header, re.M)
    for name, value in dict(found).items():
        if (
            "NC_" + name not in OWN_CONSTANTS
            and abs(int(value, 0)) < 2**31
            and not re.match(r"M(AX|IN)_[A-Z]*(INT|BYTE|SHORT)", name)
        ):
            yield f"integer, parameter, public :: NF90_{name} = {int(value, 0)}"


HEAD = """! Generated by runtime/xmpnc/generate_fortran.py from functions.txt; do not edit.
! Distributed arrays in netCDF files: the functions of xmpnc.h in the manner of PnetCDF's nf90mpi_.
module xmpnf90
  use, intrinsic :: iso_c_binding, only: c_int, c_char, c_null_char, c_ptr, c_loc, c_f_pointer, c_size_t
  use, intrinsic :: iso_fortran_env, only: int8, int16, int32, int64, real32, real64
  use xmp_lib, only: xmp_desc
  implicit none
  private

  integer, parameter, public :: NF90_GLOBAL = 0, NF90_UNLIMITED = 0
"""
TAIL = """
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
"""


def module(header):
    functions = [function(p) for kind, _, rows in read_table() for p, _ in rows
                 if kind in ("local", "collective", "special") and parse(p)[1] not in OTHERS]  # fmt: skip
    functions = [(n.replace("_def_dim", "_def_dim_long"), t.replace("xmpnf90_def_dim(", "xmpnf90_def_dim_long("))
                 for n, t in functions]  # fmt: skip
    generic = [*attributes(), *single_values(), *arrays()]
    generic += [("put_att", "put_att_text", ""), ("get_att", "get_att_text", "")]
    generic += [("def_dim", "xmpnf90_def_dim_long", ""), ("def_dim", "def_dim_default", "")]
    lines = [HEAD, *("  " + text for text in constants(header))]
    for name in dict.fromkeys(name for name, _, _ in generic):
        specifics = [specific for one, specific, _ in generic if one == name]
        lines += [f"  interface xmpnf90_{name}", *(f"    procedure {specific}" for specific in specifics), "  end interface"]
        lines.append(f"  public :: xmpnf90_{name}")
    public = [name for name, _ in functions if not name.endswith("_long")]
    lines += [f"  public :: {name}" for name in (*public, *WRITTEN)]
    lines += ["contains", *(text for _, text in functions), *(text for _, _, text in generic if text)]
    return "\n".join(lines) + TAIL


if __name__ == "__main__":
    print(module(Path(sys.argv[1]).read_text(errors="replace")), end="")
