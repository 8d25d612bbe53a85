"""Calls that may give an allocatable or pointer global array other memory: behind them its object follows the variable."""

from .arrays import allocated_argument, allocated_by_program
from .references import passed
from .views import followed

# What may stand before the bracket around an array and leaves it where it is.
_HARMLESS = frozenset(
    "allocate deallocate nullify allocated associated present size shape lbound ubound kind c_loc loc "
    "if write read inquire".split()
)


def write(context):
    """Edits of the statements that call procedures."""
    if not any(allocated_by_program(array.symbol.declaration) for array in context.model.arrays):
        return
    for position, item in enumerate(context.items):
        if item.statement.directive or item.unit is None or not item.executable or item.end is not None:
            continue
        lines = [line for array, name in _passed(context, item) for line in _followed(context, position, item, array, name)]
        if lines:
            context.edits.after(item.statement, "; " + "; ".join(lines))


def _passed(context, item):
    """(array, its name there) of the arguments of procedures that may change where they lie."""
    found = []
    for number, word in enumerate(item.words):
        array = context.array_at(word.text, item.unit) if word.kind == "identifier" else None
        if array is None or not allocated_by_program(array.symbol.declaration) or (array, word.text) in found:
            continue
        callee = passed(item.words, number)
        if callee is not None and callee.text not in _HARMLESS and _may_change(context, callee):
            found.append((array, word.text))
    return found


def _may_change(context, callee):
    """Procedures of other files may; of those of this file is known what their arguments are."""
    units = [unit for unit in context.file.units if unit.name == callee.text and not unit.construct]
    dummies = [v for unit in units for v in context.scopes.of(unit).variables.values()]
    return not units or any(map(allocated_argument, dummies))


def _followed(context, position, item, array, name):
    unit = context.unit(position)
    lines = followed(context, array, context.site_of_code(position, item), name, unit)
    if context.aliases.get(array):
        context.attaches(unit, array, name)
    if not array.symbol.declaration.has("optional"):
        return lines
    return [f"if (present({name})) then", *lines, "end if"]
