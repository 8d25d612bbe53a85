"""Collective subroutines as Omni has them (decision COA-22): `co_sum(source, result)`, where the standard's `co_sum(a)` leaves
the result in its argument, and the keyword `source`."""

from ..reading.components import part_of
from ..reading.lexer import closing, split

_REDUCTIONS = ("co_sum", "co_max", "co_min")


def write(context):
    for position, item in enumerate(context.items):
        words = item.words
        if item.kind == "call" and item.unit is not None and len(words) > 3 and words[2].text == "(":
            if words[1].text in (*_REDUCTIONS, "co_broadcast"):
                _rewrite(context, position)


def _rewrite(context, position):
    item = context.items[position]
    name, end = item.words[1].text, closing(item.words, 2)
    arguments = [part for part in split(item.words[3:end]) if part]
    given = {part[0].text: part[2:] for part in arguments if len(part) > 2 and part[1].text == "="}
    plain = [part for part in arguments if len(part) < 3 or part[1].text != "="]
    source, result = given.pop("source", None), given.pop("result", None)
    keyword = source is not None or result is not None
    source = source or (plain.pop(0) if plain else given.pop("a", None))
    if result is None and name in _REDUCTIONS and plain and _is_result(context, position, plain[0]):
        result = plain.pop(0)
    if source is None or not keyword and result is None:
        return
    text = lambda part: item.statement.text[part[0].start : part[-1].end]  # noqa: E731
    rest = [*map(text, plain), *(f"{key}={text(part)}" for key, part in given.items())]
    call = f"call {name}({', '.join([text(result or source), *rest])})"
    before = f"{text(result)} = {text(source)}; " if result is not None else ""
    context.edits.words(item.statement, item.words[0], item.words[end], before + call)


def _is_result(context, position, words):
    """Whether a second argument is no number of an image."""
    known = part_of(context.declarations(position), words) if words[0].kind == "identifier" else None
    if known is None:
        return any(word.text == ":" for word in words)
    return known[0] != "integer" or bool(known[2])
