"""Writes the Fortran module xmpnf90 from the table of xmpnc (functions.txt), in the manner of PnetCDF's own Fortran interface.

    generate_fortran.py PNETCDF_H           prints the module for the PnetCDF whose header is given

As in every Fortran interface to netCDF, numbers of variables, dimensions and attributes and positions count from 1, and
dimensions stand in Fortran's order, the fastest first. Optional arguments are what the C functions take NULL for.
"""

import re
import sys
from pathlib import Path

from generate import parse, read_table

# Names in the manner of nf90mpi_, where they are not those of the C functions.
NAMES = {"inq": "inquire", "inq_dim": "inquire_dimension", "inq_var": "inquire_variable", "inq_att": "inquire_attribute"}
# Functions whose arguments Fortran has in another form: generic ones below, or texts as results.
OTHERS = "put_att get_att put_att_text get_att_text strerror strerrno inq_libvers".split()
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
        for direction, intent in (("put", "in"), ("get", "inout")):
            for suffix in ("", "_all"):
                name = f"{direction}_var1_{c_type}{suffix}"
                yield (
                    f"{direction}_var{suffix}",
                    name,
                    f"""{_head(name, "ncid, varid, value, start")}
  integer(c_int), intent(in) :: ncid, varid
  {type_}, intent({intent}) :: value
  integer(int64), intent(in) :: start(:)
  interface
    integer(c_int) function of_c(ncid, varid, index, value) bind(c, name="xmpnc_{name}")
      import
      integer(c_int), value :: ncid, varid
      integer(int64), intent(in) :: index(*)
      {type_}, intent({intent}) :: value
    end function
  end interface
  status = of_c(ncid, varid - 1, start(size(start):1:-1) - 1, value)
end function""",
                )


def arrays():
    """The same for global arrays."""
    for direction, writes in (("put", 1), ("get", 0)):
        for suffix in ("", "_all"):
            name = f"{direction}_array{suffix}"
            yield (
                f"{direction}_var{suffix}",
                name,
                f"""{_head(name, "ncid, varid, array, start, stride, first, length, step")}
  integer(c_int), intent(in) :: ncid, varid
  type(xmp_desc), intent(in) :: array
  integer(int64), intent(in), optional :: start(:), stride(:), first(:), length(:), step(:)
  status = array_access({writes}, {int(suffix != "")}, ncid, varid, array, start, stride, first, length, step)
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
  use, intrinsic :: iso_c_binding, only: c_int, c_char, c_null_char, c_ptr, c_f_pointer, c_size_t
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

! A global array or a section of it. start, stride: its place in the variable; without them the indices of the array itself.
! first, length, step: a section of the array, in its own indices.
integer(c_int) function array_access(writes, all, ncid, varid, array, start, stride, first, length, step) result(status)
  integer, intent(in) :: writes, all, ncid, varid
  type(xmp_desc), intent(in) :: array
  integer(int64), intent(in), optional :: start(:), stride(:), first(:), length(:), step(:)
  interface
    integer(c_int) function of_c(writes, all, ncid, varid, array, rank, first, length, step, start, stride) &
      bind(c, name="XMP_Fortran_nc_access")
      import :: c_int, int64
      integer(c_int), value :: writes, all, ncid, varid, rank
      integer(int64), value :: array
      integer(int64), intent(in), optional :: first(*), length(*), step(*), start(*), stride(*)
    end function
  end interface
  integer(int64), allocatable :: given_start(:), given_stride(:), given_first(:), given_length(:), given_step(:)
  integer :: rank, d
  rank = 0
  if (present(first) .neqv. present(length)) then
    status = NF90_EINVAL
    return
  end if
  if (present(first)) then
    rank = size(first)
    given_first = first
    given_length = length
    given_step = [(1_int64, d = 1, rank)]
    if (present(step)) given_step = step
    if (size(length) /= rank .or. size(given_step) /= rank) then
      status = NF90_EINVAL
      return
    end if
  end if
  if (present(start)) given_start = start(size(start):1:-1) - 1
  if (present(stride)) given_stride = stride(size(stride):1:-1)
  status = of_c(writes, all, ncid, varid - 1, array%address, rank, given_first, given_length, given_step, given_start, &
    given_stride)
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
                 if not kind.endswith("attribute") and parse(p)[1] not in OTHERS]  # fmt: skip
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
    lines += [f"  public :: {name}" for name in (*public, "xmpnf90_strerror", "xmpnf90_inq_libvers")]
    lines += ["contains", *(text for _, text in functions), *(text for _, _, text in generic if text)]
    return "\n".join(lines) + TAIL


if __name__ == "__main__":
    print(module(Path(sys.argv[1]).read_text(errors="replace")), end="")
