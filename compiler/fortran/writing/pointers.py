"""Assignments to aligned pointers, `pointer => target` and nullify (specification 3.5, decision MAP-21): the object and the
local aliases follow. Only whole arrays have the layout that an alignment says; a section has another one, or lies in part on
nodes where the pointer has nothing."""

from ..reading.declarations import text_of
from ..reading.lexer import closing, find, split
from . import structures
from .arrays import allocated_array
from .views import aliases_attached, aliases_detached


def assigned(context, position, item):
    """The statements in place of `pointer => target`; None where the left side is no global array, or after an error."""
    words = item.words
    arrow = find(words, "=>") if item.kind == "assignment" else None
    array = allocated_array(context, position, words) if arrow is not None else None
    if array is None or arrow + 1 == len(words):
        return None
    wrong = _wrong_bounds(array, words[0]) if arrow > 1 else None
    if wrong is None:
        name, right = words[0].text, words[arrow + 1 :]
        if right[0].text == "null":
            return [f"{name} => null()", *_aliases(context, position, array, name, aliases_detached)]
        target, text = _target(context, position, right)
        if text is not None:
            site = context.site_of_code(position, item)
            declared = structures.declared(context, context.unit(position), array, site)
            point = f"call XMP_Array_point({context.object(array)}, {site}, {context.object(target)})"
            return [f"{name} => {text}", *declared, point, *_aliases(context, position, array, name, aliases_attached)]
        wrong = _wrong_target(array, target, right)
    message, word, help = wrong
    context.error("XMP-E146", message, word, [("it is aligned here", array.align.array)], help)
    return None


def _target(context, position, words):
    """(global array or None, its text where it is a whole one)."""
    reference = context.result_reference(words[0])
    if reference is not None and len(reference.words) == len(words):
        return reference.array, reference.name.text
    target = context.array_at(words[0].text, context.unit(position)) if words[0].kind == "identifier" else None
    whole = target is not None and (len(words) == 1 or _is_full(words) and _counts_from_one(target))
    return target, words[0].text if whole else None


def _is_full(words):
    """`u(:, :)`."""
    return words[1].text == "(" and closing(words, 1) == len(words) - 1 and all(text_of(d) == ":" for d in split(words[2:-1]))


def _counts_from_one(array):
    variable = array.symbol.declaration
    return all(low == "1" and high is not None for low, high in variable.bounds)


_NODES_PART = "to use this node's part, leave out the align directive of the pointer"


def _wrong_bounds(array, word):
    message = f"'{array.name}' is aligned, so that it has the bounds of its target"
    return message, word, "write the name alone; an alignment with an offset, t(i + 1), gives an array other bounds"


def _wrong_target(array, target, words):
    """(message, word, help)."""
    if target is None or len(words) == 1:
        message = f"'{array.name}' is aligned, so that it can only point to a whole global array of the same layout"
        return message, words[0], _NODES_PART
    if _is_full(words):
        message = f"'{array.name}' is aligned as '{target.name}' is, and '{text_of(words)}' would count from 1"
        return message, words[0], f"write: {array.name} => {target.name}"
    message = f"'{array.name}' is aligned, and a section of '{target.name}' does not lie as an alignment says"
    return message, words[0], "point to the whole array, and write the bounds where the pointer is used; or " + _NODES_PART


def nullified(context, position, item):
    """The same for nullify, where one of the pointers has aliases."""
    words, text = item.words, item.statement.text
    if words[0].text != "nullify" or item.kind != "execute":
        return None
    named = [part[0] for part in split(words[2:-1]) if len(part) == 1]
    ours = [(array, word.text) for word in named if (array := allocated_array(context, position, [word])) is not None]
    lines = [line for array, name in ours for line in _aliases(context, position, array, name, aliases_detached)]
    return [text[words[0].start : words[-1].end], *lines] if lines else None


def _aliases(context, position, array, name, lines):
    """lines: what becomes of the local aliases."""
    unit = context.unit(position)
    if context.aliases.get(array):
        context.attaches(unit, array, name)
    return lines(context, array, unit)
