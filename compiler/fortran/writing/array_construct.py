"""array: an array assignment, WHERE or FORALL of which each node carries out its own part (specification 4.4.4).

    !$xmp array on t(2:n)
      u(:, 2:n) = v(:, 1:n - 1) + 1
The sections that lie along the template shrink to this node's part; what remains is the user's statement. Fortran reads the
right side before it writes, as it does without the directive (decision WRK-14)."""

from ...plan.array_assignment import misfit
from ...plan.array_construct import plan
from ..reading.lexer import closing, find
from ..reading.operands import Refused, operands
from .forall import Forall, Header
from .parts import Construct


def write(context, directive, place):
    """The text in place of the directive; the statements behind it are edited. None after an error."""
    first = context.following(place)
    item = context.items[first]
    try:
        statements = _statements(context, first)
        if statements is None:
            notes = [("this follows", item.words[0])]
            context.error("XMP-E186", "array must be followed by an array assignment, where or forall", directive.word, notes,
                          "write: a(:) = ... behind it, or use a loop directive")  # fmt: skip
            return None
        forall = item.words[0].text == "forall"
        every = [Header(context, item)] if forall else [o for one in statements for o in operands(context, one)]
        found = [operand for operand in every if operand.rank]
        target = every[0] if forall else _target(statements, found)
    except Refused as refused:
        code, message, word, help_ = refused.args
        context.error(code, message, word, (), help_)
        return None
    if target is None:
        context.error("XMP-E206", "the left side of an array construct needs a section", item.words[0], (),
                      "write first:last or `:` for the dimension that is distributed")  # fmt: skip
        return None
    for operand in found:
        wrong = misfit(target, operand)
        if wrong is not None:
            context.error("XMP-E206", wrong, operand.word, [("the left side is here", target.word)])
            return None
    step = plan(context, directive, place, target, [operand for operand in found if operand is not target])
    if step is None:
        return None
    return (Forall if forall else Construct)(context, step, target, every, first).write()


def _statements(context, first):
    """The Items that have the shape of the construct; None if there is none."""
    item = context.items[first]
    if item.kind == "assignment":
        return [item]
    if item.kind == "where":
        inside = context.items[first : item.end]
        return [one for one in inside if not one.statement.directive]
    return [item] if item.words[0].text in ("where", "forall") else None


def _target(statements, found):
    """The Operand on the left of the first assignment."""
    for statement in statements:
        words = statement.words
        equals, start = find(words, "="), closing(words, 1) if words[0].text == "where" else 0
        if equals is not None:
            left = words[start:equals]
            return next((one for one in found if one.item is statement and any(one.word is word for word in left)), None)
    return None
