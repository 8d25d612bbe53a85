"""Subscripts of cyclic dimensions: a global array is subscripted by the position there (decision view-subscripts). The position
is the loop's own where a subscript follows a loop over positions, and else a function of the runtime."""

from ...plan.loop import enclosing, giving_position
from . import inquiries
from .references import elements


def write(context):
    """Edits of all statements of the file."""
    if not context.has_positions:
        return
    for position, item in enumerate(context.items):
        if item.statement.directive or item.unit is None or not item.executable and item.label is None:
            continue
        if (item.guarded or item).words[0].text in ("allocate", "deallocate"):
            continue  # written anew (allocation.py)
        for change in _changes(context, position, item.words):
            _edit(context, item.statement, change)


def text(context, position, words):
    """The text of an expression, part of the statement at a position, as it stands in the translation."""
    if not words or id(words[0]) in context.result_bounds:
        return context.result_bounds[id(words[0])] if words else ""
    statement = context.items[position].statement
    first, result = words[0].start, statement.text[words[0].start : words[-1].end]
    pieces = [(part[0].start, part[-1].end, call) for part, call in inquiries.changes(context, position, words)]
    changes = _changes(context, position, words) if context.has_positions else []
    pieces += [piece for change in changes for piece in _pieces(change)]
    for start, end, new in sorted(pieces, key=lambda piece: piece[:2], reverse=True):
        result = result[: start - first] + new + result[end - first :]
    return result


def _changes(context, position, words):
    """(words of a subscript, name of the position or None, text before it otherwise) in a statement."""
    inside = {id(word) for word in words}
    for element in elements(context, context.items[position]):
        array = element.array
        if id(element.word) not in inside:
            continue
        for d, subscript in enumerate(element.subscripts):
            if subscript and array.positional(d):
                loop = giving_position(enclosing(context, position), array, d, context.affine(subscript))
                name = context.position_names.get(loop)  # a loop with an error has none
                yield subscript, name, f"XMP_Subscript({context.object(array)}, {d}, "


def _pieces(change):
    subscript, name, before = change
    start, end = subscript[0].start, subscript[-1].end
    return [(start, end, name)] if name else [(start, start, before), (end, end, ")")]


def _edit(context, statement, change):
    subscript, name, before = change
    if name:
        context.edits.words(statement, subscript[0], subscript[-1], name)
        return
    line, column = statement.at[subscript[0].start]
    context.edits.place(line, column, column, before)
    line, column = statement.at[subscript[-1].end - 1]
    context.edits.place(line, column + 1, column + 1, ")")
