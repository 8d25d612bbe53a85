"""local_alias (specification 5.8.1): variables of the program that show this node's block of a global array, shadow included,
under subscripts of their own. They are attached and detached wherever the array is. One that is a coarray is allocated instead,
in the memory of that block; its images are those of the array's node array (decision COA-20)."""

from ...record import Record
from ...semantics.alignment import counted_dimensions


class Alias(Record):
    """variable: the Variable; lower: the text of the lower bound of each dimension."""

    fields = ("variable", "lower")

    @property
    def is_coarray(self):
        return self.variable.has("codimension")

    def name_in(self, declarations):
        """What the alias is called in a unit with these Declarations, or None."""
        while declarations is not None:
            for names in (declarations.variables, declarations.imported):
                found = next((name for name, variable in names.items() if variable is self.variable), None)
                if found is not None:
                    return found
            declarations = declarations.host
        return None


def read(context):
    """Global array -> its Aliases, of this file and of the modules that it uses."""
    found = {}
    for directive, unit, position, find_symbol in context.model.local_aliases:
        array = _array(context, directive, unit, position, find_symbol)
        local = find_symbol(directive.local.text)
        if array is None or position >= 0 and not _fits(context, directive, unit, array, local):
            continue
        variable = local.declaration
        found.setdefault(array, []).append(Alias(variable, [low for low, _ in variable.bounds]))
    return found


def _array(context, directive, unit, position, find_symbol):
    if position < 0:  # of a module of another file, which was checked when that was compiled
        return context.model.array(find_symbol(directive.array.text).key)
    array = context.array(directive.array, position)
    if array is not None and array.symbol.scope is not unit:
        notes = [(f"'{array.name}' is declared here", array.word)]
        context.error("XMP-E154", f"'{array.name}' is declared in another scoping unit", directive.array, notes,
                      "write local_alias where it is declared")  # fmt: skip
        return None
    return array


def _fits(context, directive, unit, array, local):
    """Whether a variable can be the array's alias; it is told why not."""
    name = directive.local.text
    if local is None:
        declarations = context.scopes.of(unit)
        context.undeclared("XMP-E119", "array", name, directive.local, declarations.names())
        return False
    if local.declaration.has("codimension") and local.declaration.base == "type":
        help = "copy the block to a coarray of its size"  # an allocation would give the elements their default values
        context.unsupported("a local alias that is a coarray of a derived type is", directive.local, help)
        return False
    wrong = _wrong(context, name, local.declaration, unit, array)
    if wrong is not None:
        colons = ", ".join(":" * array.rank)
        message = f"'{name}' cannot be a local alias of '{array.name}': {wrong}"
        help = f"declare it here: {array.symbol.declaration.type} :: {name}({colons})"
        help += "[*]" * local.declaration.has("codimension")
        notes = [(f"'{name}' is declared here", local.declaration.word)]
        context.error("XMP-E154", message, directive.local, notes, help)
    return wrong is None


def _wrong(context, name, variable, unit, array):
    if variable.dummy or variable.unit is not unit:
        return "it is a dummy argument" if variable.dummy else "it is declared in another scoping unit"
    if context.model.array(variable) is not None:
        return "it is a global array itself"
    if len(variable.bounds) != array.rank:
        return f"it has {counted_dimensions(len(variable.bounds))}, not {array.rank}"
    if any(high is not None for _, high in variable.bounds) or variable.has("allocatable") or variable.has("pointer"):
        return "its shape is declared, or given by the program"
    same = _plain(variable.type) == _plain(array.symbol.declaration.type)
    return None if same else f"its type is {variable.type}, not {array.symbol.declaration.type}"


def _plain(type_):
    return "".join(type_.lower().split())
