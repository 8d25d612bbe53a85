"""Conditions of `else if` that need statements before them. These must not come before the earlier conditions are evaluated, so

else if (c) then          becomes      else; statements; if (c) then
end if                                 end if; end if"""

from ..reading.lexer import closing
from ..reading.statements import Item


def has_condition(item):
    """Whether an Item is an `else if`."""
    texts = [word.text for word in item.words[:3]]
    return item.kind == "execute" and (texts[:2] == ["elseif", "("] or texts == ["else", "if", "("])


def condition(item):
    """The condition of an `else if` as an Item, which begins as `if (` does."""
    first = _opening(item) - 1
    return Item(item.statement, item.words[first : closing(item.words, first + 1) + 1])


def nest(context, position, before, behind):
    """Lines before the condition of the `else if` there, and behind all that hangs on it."""
    item, construct = context.items[position], _construct(context, position)
    end = context.items[construct.end]
    text = "".join(text + "; " for text in ["else", *before])
    context.edits.words(item.statement, item.words[0], item.words[_opening(item) - 1], text + "if")
    context.lines_before(end, ["; ".join(["end if", *behind])])
    for branch in range(position, construct.end):
        _forget_name(context, branch, construct)


def _opening(item):
    """Position of the bracket before the condition."""
    return 1 if item.words[0].text == "elseif" else 2


def _construct(context, position):
    """The innermost `if` around a position."""
    before = (context.items[at] for at in range(position - 1, -1, -1))
    return next(item for item in before if item.kind == "if" and item.end is not None and item.end > position)


def _forget_name(context, position, construct):
    """A branch behind it belongs to the construct that is added, which has no name."""
    words = context.items[position].words
    named = construct.name is not None and len(words) > 1 and words[-1].text == construct.name
    branch = named and words[0].text in ("else", "elseif") and words[-2].text in ("else", "then")
    if branch and _construct(context, position) is construct:
        context.edits.word(context.items[position].statement, words[-1], "")
