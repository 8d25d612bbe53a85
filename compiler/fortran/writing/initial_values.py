"""Initial values of global arrays, by DATA or in the declaration. The specification forbids them (4.3.4), but old programs have
them. Such an array exists as long as the program runs, as one in COMMON does (decision MAP-27). A local variable of each node
keeps the values as they are written, and this node's block gets its part of them when the array is created:

    real :: u_initial_xmp(8)
    data u_initial_xmp /8*1.0/
    call XMP_Gmove(site, XMP_Global(u_xmp, ...), XMP_Memory(u_initial_xmp, ...))"""

_UNITS = frozenset(("program", "module", "submodule", "subroutine", "function", "procedure"))
_OTHERS = ("pointer", "allocatable", "parameter")  # attributes of variables that have no such values, or never change


def are_given(variable):
    """Whether a variable of any unit has initial values that a global array may have."""
    plain = variable.common is None and not variable.dummy and not any(map(variable.has, _OTHERS))
    return variable.initial is not None and plain and variable.unit.kind in _UNITS


def write(context, arrays):
    """Edits of the DATA statements of global arrays."""
    variables = {array.symbol.declaration for array in arrays if are_given(array.symbol.declaration)}
    for item in context.items if variables else ():
        if item.kind == "specification" and item.words[0].text == "data" and item.unit is not None:
            for word in item.words[1:]:
                variable = context.scopes.of(item.unit).lookup(word.text) if word.kind == "identifier" else None
                if variable in variables:
                    context.edits.word(item.statement, word, _name(context, variable))


def declaration(context, variable, bounds):
    """The declaration of the variable that has the values. bounds: texts."""
    private = ", private" if variable.unit.kind == "module" else ""
    name = f"{_name(context, variable)}({', '.join(bounds)})"
    if variable.entity is None or variable.initial not in variable.entity:
        return f"{variable.type}{private} :: {name}"
    text = variable.item.statement.text[variable.initial.start : variable.entity[-1].end]
    return f"{variable.type}{private} :: {name} {text}"


def lines(context, array, site):
    """Lines that give an array its values behind its creation."""
    variable = array.symbol.declaration
    if not are_given(variable):
        return []
    name, whole = _name(context, variable), ", ".join(["XMP_WHOLE"] * array.rank)
    left = f"XMP_Global({context.object(array)}, '{array.name}' // XMP_END, {array.rank}, [{whole}])"
    return [f"call XMP_Gmove({site}, {left}, XMP_Memory({name}, '{array.name}' // XMP_END))"]


def _name(context, variable):
    if variable not in context.initial_values:
        context.initial_values[variable] = context.name(f"{variable.name}_initial_xmp")
    return context.initial_values[variable]
