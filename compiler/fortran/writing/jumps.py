"""Statements that leave a block before its end."""

import re

from ..reading.statements import targets

_ASSIGN = re.compile(r"assign(\d+)to(\w+)")


def leaving(items, first, end, loops=()):
    """(statement, word) of the statements in items first < position < end that leave the block; loops: positions of the
    distributed do statements, whose `cycle` is harmless."""
    labels = {items[position].label for position in range(first + 1, end + 1)} - {None}
    for position in range(first + 1, end):
        for item in filter(None, (items[position], items[position].guarded)):
            for statement in _leaving(items, item, position, first, loops, labels):
                yield statement, item.words[0]


def _leaving(items, item, position, first, loops, labels):
    if item.kind == "return":
        yield "return"
    elif item.kind in ("exit", "cycle"):
        left = _target(items, item, position)
        stays = left is not None and left > first and (item.kind == "cycle" or left not in loops)
        if not stays and not (item.kind == "cycle" and left in loops):
            yield item.kind
    for label in targets(item) or _assigned(items, item, items[position].unit):
        if label not in labels:
            yield "goto" if item.kind == "goto" else "a jump to another place"


def _assigned(items, item, unit):
    """The labels that an assigned GO TO without a list may jump to: those that its procedure assigns to the variable."""
    variable = item.words[-1]
    if item.kind != "goto" or variable.kind != "identifier":
        return
    for one in items:
        if one.unit is not None and one.unit.procedure is unit.procedure:
            found = _ASSIGN.fullmatch("".join(word.text for word in (one.guarded or one).words))
            if found and found.group(2) == variable.text:
                yield found.group(1)


def _target(items, item, position):
    """Position of the construct that exit or cycle names, or of the innermost do loop around."""
    for candidate in range(position - 1, -1, -1):
        around = items[candidate]
        if around.end is None or around.end < position or around.kind in ("interface", "typedefinition", "enum"):
            continue
        if around.name == item.name if item.name else around.kind == "do":
            return candidate
    return None
