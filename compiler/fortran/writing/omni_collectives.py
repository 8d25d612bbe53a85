"""Collective subroutines as Omni has them (decision COA-22): `co_sum(source, result)`, where the standard's `co_sum(a)` leaves
the result in its argument, and the keyword `source`. And those of numbers of kind 10, which gfortran describes to the library
as those of kind 16: a variable of kind 16 takes their place."""

from ..reading.components import part_of
from ..reading.generics import kind_of
from ..reading.lexer import closing, split

_REDUCTIONS = ("co_sum", "co_max", "co_min")


def write(context):
    for position, item in enumerate(context.items):
        call = item.guarded or item
        if item.unit is not None and is_call(call, (*_REDUCTIONS, "co_broadcast")):
            _rewrite(context, position, item, call.words)


def arguments_of(words):
    """(those by position, those by keyword) of a call: their words."""
    arguments = [part for part in split(words[3 : closing(words, 2)]) if part]
    given = {part[0].text: part[2:] for part in arguments if len(part) > 2 and part[1].text == "="}
    return [part for part in arguments if len(part) < 3 or part[1].text != "="], given


def is_call(call, names):
    return call.kind == "call" and len(call.words) > 3 and call.words[2].text == "(" and call.words[1].text in names


def _rewrite(context, position, item, words):
    name, end = words[1].text, closing(words, 2)
    plain, given = arguments_of(words)
    source, result = given.pop("source", None), given.pop("result", None)
    keyword = source is not None or result is not None
    source = source or (plain.pop(0) if plain else given.pop("a", None))
    if result is None and name in _REDUCTIONS and plain and _is_result(context, position, plain[0]):
        result = plain.pop(0)
    omni = source is not None and (keyword or result is not None)
    wide = _wide(context, position, result or source) if source is not None and name != "co_broadcast" else None
    if not omni and wide is None:
        return
    text = lambda part: item.statement.text[part[0].start : part[-1].end]  # noqa: E731
    rest = [*map(text, plain), *(f"{key}={text(part)}" for key, part in given.items())]
    target = text(result or source)
    lines = [f"{target} = {text(source)}"] if result is not None else []
    lines += _widened(context, name, target, rest, wide) if wide else [f"call {name}({', '.join([target, *rest])})"]
    guarded = item.words is not words and len(lines) > 1
    lines = ["then", *lines, "end if"] if guarded else lines
    context.edits.words(item.statement, words[0], words[end], "; ".join(lines))


def _wide(context, position, words):
    """The declaration of what takes the place of numbers of kind 10; None for others."""
    declarations = context.declarations(position)
    known = part_of(declarations, words) if words[0].kind == "identifier" else None
    if known is None or known[0] not in ("real", "complex") or kind_of(known[1], words[0], declarations) != 10:
        return None
    shape = f", allocatable :: {{}}({', '.join(':' * len(known[2]))})" if known[2] else " :: {}"
    return f"{known[0]}(16){shape}"


def _widened(context, name, target, rest, declaration):
    wide = context.name("wide_xmp")
    call = f"call {name}({', '.join([wide, *rest])})"
    return ["block", declaration.format(wide), f"{wide} = {target}", call, f"{target} = {wide}", "end block"]


def _is_result(context, position, words):
    """Whether a second argument is no number of an image."""
    known = part_of(context.declarations(position), words) if words[0].kind == "identifier" else None
    if known is None:
        return any(word.text == ":" for word in words)
    return known[0] != "integer" or bool(known[2])
