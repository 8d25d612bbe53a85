"""Initial values of global arrays, by DATA or in the declaration. The specification forbids them (4.3.4), but old programs have
them. Such an array exists as long as the program runs, as one in COMMON does (decision MAP-27). A local variable of each node
keeps the values as they are written, and this node's block gets its part of them when the array is created:

    real :: u_initial_xmp(8)
    data u_initial_xmp /8*1.0/
    call XMP_Gmove(site, XMP_Global(u_xmp, ...), XMP_Memory(u_initial_xmp, ...))

The unit that creates an array in COMMON may be in another file than BLOCK DATA. A COMMON block of the translation, which both
declare, leads from one to the other. It begins with a mark, which the linker leaves 0 where no unit gives values:

    integer(8) :: u_given_xmp(2); common /xmp_initial_flow_1/ u_given_xmp, u_initial_xmp; data u_given_xmp /1, 0/
    call XMP_Array_declare(u_xmp, ..., initial=u_given_xmp)

Without values the block takes addresses, no memory. Programs in which all such blocks are large could not be linked.

A BLOCK DATA in a file without directives gives its values to memory that nobody reads. It has a mark, too, by which the unit
that creates the arrays of the block finds it out:

    integer :: flow_plain_xmp; common /xmp_plain_flow/ flow_plain_xmp; data flow_plain_xmp /1/
    call XMP_Common_check(site, 'flow', flow_plain_xmp)"""

from math import prod

from ..reading.constants import value

_UNITS = frozenset(("program", "module", "submodule", "subroutine", "function", "procedure"))
MOST_IN_COMMON = 1 << 20  # elements of an array there that has such values
_OTHERS = ("pointer", "allocatable", "parameter")  # attributes of variables that have no such values, or never change


def are_given(variable):
    """Whether a variable of any unit has initial values that a global array may have."""
    units = _UNITS if variable.common is None else {*_UNITS, "blockdata"}
    plain = variable.common != "" and not variable.dummy and not any(map(variable.has, _OTHERS))
    return variable.initial is not None and plain and variable.unit.kind in units


def fit(context, variable):
    """Whether an array in COMMON is small enough for such values."""
    bounds = [[value(context.words(text), variable.declarations) for text in pair] for pair in variable.bounds]
    return not any(None in pair for pair in bounds) and prod(high - low + 1 for low, high in bounds) <= MOST_IN_COMMON


def write(context, arrays):
    """Edits of the DATA statements of global arrays, and the marks of BLOCK DATA without directives."""
    variables = {array.symbol.declaration for array in arrays if are_given(array.symbol.declaration)}
    for item in context.items if variables else ():
        if item.kind == "specification" and item.words[0].text == "data" and item.unit is not None:
            for word in item.words[1:]:
                variable = context.scopes.of(item.unit).lookup(word.text) if word.kind == "identifier" else None
                if variable in variables:
                    context.edits.word(item.statement, word, _name(context, variable))
    for unit in (unit for unit in context.file.units if unit.kind == "blockdata"):
        context.lines_before(context.items[unit.end], _plain_blocks(context, unit))


def declaration(context, variable, bounds):
    """The declaration of the variable that has the values. bounds: texts."""
    private, name = _private(variable.unit), f"{_name(context, variable)}({', '.join(bounds)})"
    shared = _shared(context, variable) if variable.common is not None else []
    shared += [f"data {_mark(context, variable)} /1, 0/"] if shared else []
    if variable.entity is None or variable.initial not in variable.entity:
        return "; ".join([f"{variable.type}{private} :: {name}", *shared])
    text = variable.item.statement.text[variable.initial.start : variable.entity[-1].end]
    return "; ".join([f"{variable.type}{private} :: {name} {text}", *shared])


def lines(context, array, site):
    """Lines that give an array its values behind its creation."""
    variable = array.symbol.declaration
    if not are_given(variable) or variable.common is not None:
        return []
    name, whole = _name(context, variable), ", ".join(["XMP_WHOLE"] * array.rank)
    left = f"XMP_Global({context.object(array)}, '{array.name}' // XMP_END, {array.rank}, [{whole}])"
    return [f"call XMP_Gmove({site}, {left}, XMP_Memory({name}, '{array.name}' // XMP_END))"]


def of_common(context, array):
    """The variable that begins what may have values for an array in a named COMMON block, None for a large one; and its
    declarations in the unit that creates the array."""
    variable = array.symbol.declaration
    if not fit(context, variable):
        return None, []
    if are_given(variable):
        return _mark(context, variable), []
    bounds = (f"{low}:{high}" for low, high in variable.bounds)
    values = f"{variable.type}{_private(variable.unit)} :: {_name(context, variable)}({', '.join(bounds)})"
    return _mark(context, variable), [values, *_shared(context, variable)]


def _plain_blocks(context, unit):
    """Lines that mark the COMMON blocks to which a BLOCK DATA gives values without directives."""
    variables = [one for one in context.scopes.of(unit).variables.values() if one.common]
    given = dict.fromkeys(one.common for one in variables if one.initial is not None)
    mapped = {one.common for one in variables if context.model.array(one) is not None}
    return [line for block in given if block not in mapped for line in _plain_mark(context, unit, block, " /1/")]


def check_of_plain(context, unit, block, site):
    """Declarations, and the line that ends a program in which a BLOCK DATA lacks the directives of a block."""
    return _plain_mark(context, unit, block), f"call XMP_Common_check({site}, '{block}' // XMP_END, {block}_plain_xmp)"


def _plain_mark(context, unit, block, value=""):
    name = f"{block}_plain_xmp"
    lines = [f"integer{_private(unit)} :: {name}", f"common /xmp_plain_{block}/ {name}"]
    return [*lines, f"data {name}{value}"] if value else lines


def _shared(context, variable):
    mark = _mark(context, variable)
    block = f"common /xmp_initial_{variable.common}_{variable.place}/ {mark}, {_name(context, variable)}"
    return [f"integer(8){_private(variable.unit)} :: {mark}(2)", block]


def _private(unit):
    return ", private" if unit.kind == "module" else ""


def _mark(context, variable):
    return f"{_name(context, variable).removesuffix('_initial_xmp')}_given_xmp"


def _name(context, variable):
    if variable not in context.initial_values:
        context.initial_values[variable] = context.name(f"{variable.name}_initial_xmp")
    return context.initial_values[variable]
