"""Blocks that must be left at their end only: loops whose iterations are distributed, tasks."""

from ..reading.statements import targets


def check_no_jumps(context, first, end, what, loops=()):
    """Errors for statements in items first < position < end that leave the block; loops: positions of the distributed do
    statements, whose `cycle` is harmless."""
    items = context.items
    labels = {items[position].label for position in range(first + 1, end + 1)} - {None}
    for position in range(first + 1, end):
        item = items[position]
        for statement in filter(None, (item, item.guarded)):
            _check(context, statement, position, first, end, what, loops, labels)


def _check(context, item, position, first, end, what, loops, labels):
    if item.kind == "return":
        _error(context, item, "return", what)
    elif item.kind in ("exit", "cycle"):
        left = _target(context, item, position)
        if left is None or left <= first or (item.kind == "exit" and left in loops):
            if not (item.kind == "cycle" and left in loops):
                _error(context, item, item.kind, what)
    for label in targets(item):
        if label not in labels:
            _error(context, item, "goto" if item.kind == "goto" else "a jump to another place", what)


def _target(context, item, position):
    """Position of the construct that exit or cycle names, or of the innermost do loop around."""
    for candidate in range(position - 1, -1, -1):
        around = context.items[candidate]
        if around.end is None or around.end < position or around.kind in ("interface", "typedefinition", "enum"):
            continue
        if around.name == item.name if item.name else around.kind == "do":
            return candidate
    return None


def _error(context, item, statement, what):
    context.error(
        "XMP-E170",
        f"'{statement}' leaves the {what}",
        item.words[0],
        help="other nodes would wait for this one: end it normally",
    )
