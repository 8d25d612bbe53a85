"""Variables that show this node's block of a global array: their descriptors are set and cleared by the runtime. The library
has procedures for allocatable arrays of numbers, and C has some for pointers to numbers; calls for characters and derived types
have an interface block of their own."""

from ..reading.components import has_defaults
from ..reading.constants import value
from ..reading.declarations import text_of
from ..reading.lexer import closing, find, split
from .context import indices

_C_TYPES = ("integer", "real", "complex", "logical")


def numeric(variable):
    """Whether C has the type of a variable, which may then be an argument of a procedure of C as it is."""
    return variable.base in _C_TYPES


def _served(variable):
    """Whether the library's XMP_Attach takes a variable."""
    return numeric(variable) and not _is_pointer(variable)


def attached(context, array, name=None, unit=None):
    """Lines that make a variable a view of the array's block, and those of its local aliases. name, unit: where the variable is
    not the array's own, in its own unit."""
    name, object_ = name or array.name, context.object(array)
    lines = _fresh(context, array, array.symbol.declaration, name) + _shown(
        context, array.symbol.declaration, array.rank, name, object_
    )
    return lines + aliases_attached(context, array, unit)


def aliases_attached(context, array, unit=None):
    """Lines that make the local aliases alone the views of the array's block."""
    lines, object_ = [], context.object(array)
    for alias, local in _aliases(context, array, unit or array.symbol.scope):
        if alias.is_coarray:
            lines += _allocated_coarray(alias, local, object_)
            continue
        shown = _shown(context, alias.variable, array.rank, local, object_, indices(*alias.lower))
        lines += _fresh(context, array, alias.variable, local) + shown
    return lines


def _allocated_coarray(alias, name, object_):
    """The library takes the memory of the array's block, which is equally large on all nodes."""
    bounds = [f"{low}:{low} - 1 + XMP_Block_size({object_}, {d + 1})" for d, low in enumerate(alias.lower)]
    shape = f"{', '.join(bounds)})[{', '.join(cobounds(alias.variable))}]"
    return [_deallocated(name), f"call XMP_Coarray_of_block({object_})", f"allocate ({name}({shape})"]


def cobounds(variable):
    """The text of each codimension."""
    words = variable.attributes["codimension"]
    opening = find(words, "[")
    return [text_of(part) for part in split(words[opening + 1 : closing(words, opening)])]


def _deallocated(name):
    return f"if (allocated({name})) deallocate ({name})"


def _fresh(context, array, variable, name):
    """Only an allocation tells gfortran's descriptor the type of the elements, which input and output ask for; or a call with a
    dummy argument of any rank."""
    if _served(variable):
        return []
    fresh = f"allocate ({_length(context, array)}{name}({', '.join('0' * array.rank)})); deallocate ({name})"
    return [fresh if _is_pointer(variable) else f"if (.not. allocated({name})) then; {fresh}; end if"]


def pointed(context, array):
    """Lines that make a function's result, a pointer, the same view."""
    variable, name = array.symbol.declaration, array.name
    fresh = f"allocate ({_length(context, array)}{name}({', '.join('0' * array.rank)})); deallocate ({name})"
    type_ = f"{view_type(context, variable)}, pointer, contiguous"
    return [fresh, *_shown_by_subroutine(type_, array.rank, f"{name}, {context.object(array)}")]


def detached(context, array, name=None, unit=None):
    """Lines that make the same variables views of nothing."""
    hidden = _hidden(context, array.symbol.declaration, array.rank, name or array.name)
    return [*hidden, *aliases_detached(context, array, unit)]


def aliases_detached(context, array, unit=None):
    found = _aliases(context, array, unit or array.symbol.scope)
    lines = []
    for alias, local in found:
        lines += [_deallocated(local)] if alias.is_coarray else _hidden(context, alias.variable, array.rank, local)
    return lines


def _aliases(context, array, unit):
    """(Alias, what it is called in a unit) of an array."""
    for alias in context.aliases.get(array, ()):
        name = alias.name_in(context.scopes.of(unit))
        if name is None:
            what = f"'{array.name}' where its local alias '{alias.variable.name}' has no name is"
            context.unsupported(what, context.at.words[0], "list the alias in the use statement, too")
        else:
            yield alias, name


def _shown(context, variable, rank, name, *arguments):
    """The call that sets the descriptor of a variable. arguments: the array's object, and for an alias its lower bounds."""
    values = ", ".join([name, *arguments])
    if _served(variable):
        return [f"call XMP_Attach({values})"]
    if numeric(variable):
        return [f"call xmp_attach{_procedure(context, variable, name)}({values})"]
    return _shown_by_subroutine(_attributes(variable, view_type(context, variable)), rank, values)


def _shown_by_subroutine(type_, rank, values):
    """type_: with attributes."""
    colons = ", ".join(":" * rank)
    body = ["subroutine xmp_show(array, descriptor, lower)", "import", f"{type_}, intent(inout) :: array({colons})",
            "type(xmp_object), value :: descriptor", "integer(XMP_INDEX), intent(in), optional :: lower(*)",
            "end subroutine"]  # fmt: skip
    return ["block", "interface", *body, "end interface", f"call xmp_show({values})", "end block"]


def _hidden(context, variable, rank, name):
    if numeric(variable) and not _served(variable):
        return [f"call xmp_detach{_procedure(context, variable, name)}({name})"]
    return _shown(context, variable, rank, name, "xmp_null")


def defaults(context, array, name=None):
    """Lines that give the elements of a derived type the values which the type's components begin with."""
    variable = array.symbol.declaration
    if variable.base != "type" or not has_defaults(variable.declarations, variable.type):
        return []
    return ["block", f"{variable.type} :: default_xmp", f"{name or array.name} = default_xmp", "end block"]


def is_allocated(array, name):
    return f"{'associated' if _is_pointer(array.symbol.declaration) else 'allocated'}({name})"


def _is_pointer(variable):
    """Components are pointers, whatever the program says."""
    return variable.has("pointer") or variable.owner is not None


def followed(context, array, site, name=None, unit=None):
    """Lines that make the array's object that of the memory which a variable has now, and its local aliases views of that."""
    name = name or array.name
    follow = f"call XMP_Array_follow({site}, {context.object(array)}, {name})"
    shown = aliases_attached(context, array, unit)
    if not shown:
        return [f"if ({is_allocated(array, name)}) {follow}"]
    return [f"if ({is_allocated(array, name)}) then", follow, *shown, "else", *aliases_detached(context, array, unit), "end if"]


def dropped(context, array, name=None, unit=None):
    """Lines that deallocate what a variable may have."""
    name = name or array.name
    freed = [f"call XMP_Array_deallocate({context.object(array)})", *detached(context, array, name, unit)]
    return [f"if ({is_allocated(array, name)}) then", *freed, "end if"]


def _procedure(context, variable, name):
    """What follows `xmp_attach` in a variable's procedures: gfortran compares those of one name in a whole file."""
    known = context.views.setdefault(name, [])
    if variable not in known:
        known.append(variable)
    number = known.index(variable)
    return f"{number + 1}_{name}" if number else f"_{name}"


def interfaces(context, unit, array, name):
    """Lines of interface bodies for attaching and detaching an array and its aliases in a unit."""
    foreign = array.symbol.scope is not unit
    lines = _interface(context, array.symbol.declaration, array.rank, name, foreign, "XMP_Fortran_attach")
    for alias, local in (found for found in _aliases(context, array, unit) if not found[0].is_coarray):
        lines += _interface(context, alias.variable, array.rank, local, foreign, "XMP_Fortran_alias", ", lower")
    return lines


def _interface(context, variable, rank, name, foreign, function, lower=""):
    """The compiler must know the type. foreign: whether the variable is of another unit, whose names for kinds may be unknown
    here."""
    if not numeric(variable) or _served(variable):
        return []  # each call has its own, or the library has it
    procedure = _procedure(context, variable, name)
    sample = variable.owner.sample if variable.owner is not None else name
    type_ = f"{variable.base}({sample}%kind)" if foreign or variable.owner is not None else variable.type
    dummy = "  " + _dummy(variable, rank, type_)
    return [
        f'subroutine xmp_attach{procedure}(array, descriptor{lower}) bind(c, name="{function}")',
        "  import",
        dummy,
        *(["  integer(XMP_INDEX), intent(in) :: lower(*)"] if lower else []),
        "  type(xmp_object), value :: descriptor",
        "end subroutine",
        f'subroutine xmp_detach{procedure}(array) bind(c, name="XMP_Fortran_detach")',
        "  import",
        dummy,
        "end subroutine",
    ]


def _dummy(variable, rank, type_):
    return f"{_attributes(variable, type_)}, intent(inout) :: array({', '.join(':' * rank)})"


def _attributes(variable, type_):
    """A type with the attributes of the view."""
    attributes = "".join(f", {attribute}" for attribute in ("target", "volatile", "asynchronous") if variable.has(attribute))
    return f"{type_}, {'pointer' if _is_pointer(variable) else 'allocatable'}{attributes}"


# ---- characters ----


def characters(context, variable):
    """The words of the length in `character(len=n)`, [] for length 1."""
    words = context.words(variable.type)[1:]
    inside = words[1:-1] if words and words[0].text == "(" else words[1:] if words else []
    if inside and inside[0].text == "(":  # character*(n)
        return inside[1:-1]
    parts = [part for part in split(inside) if len(part) < 2 or part[1].text != "=" or part[0].text == "len"]
    length = parts[0] if parts else []
    return length[2:] if len(length) > 2 and length[1].text == "=" else length


def _length(context, array):
    """What an allocation needs before the name: the length of the elements, where the type does not say it."""
    variable = array.symbol.declaration
    if view_type(context, variable) == variable.type:
        return ""
    return f"character({length(context, array)}) :: "


def view_type(context, variable):
    """The type of the view. A length that is no constant is that of the elements which the array is created with."""
    if variable.base != "character":
        return variable.type
    words = characters(context, variable)
    return variable.type if not words or value(words, variable.declarations) is not None else "character(len=:)"


def length(context, array):
    """The text of the length of an array of characters that are not of constant length."""
    variable = array.symbol.declaration
    text = text_of(characters(context, variable))
    return f"len({context.dummies[variable]})" if text == "*" else text


def bytes_of_element(context, array):
    """The text of the size of an element."""
    variable = array.symbol.declaration
    if view_type(context, variable) != variable.type:
        return length(context, array)
    return f"storage_size({array.name}) / 8"
