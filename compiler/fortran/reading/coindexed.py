"""Image selectors in statements: `a(i)[k]`, `s[k]%x`, `e[j, k]`."""

from ...record import Record
from .components import parts
from .lexer import closing, find, split

# Statements in which brackets behind a coarray's name say its codimensions.
_DECLARING = frozenset(("declaration", "specification", "typedefinition"))


class Coindexed(Record):
    """A variable of another image. variable: the Variable it begins with; first: position of its name; opening, closing:
    positions of the brackets; cosubscripts: their words, without `stat=` and its like; last: position where it ends."""

    fields = ("variable", "first", "opening", "closing", "cosubscripts", "last")


def coindexed(item, declarations):
    """Those of a statement."""
    if item.kind in _DECLARING:
        return
    words = item.words
    for opening in range(1, len(words)):
        if words[opening].text != "[":
            continue
        first = _begin(words, opening)
        variable = declarations.lookup(words[first].text) if first is not None else None
        if variable is not None and _selects(variable, words, first, opening):
            end = closing(words, opening)
            parts_ = [part for part in split(words[opening + 1 : end]) if part]
            cosubscripts = [part for part in parts_ if find(part, "=") is None]
            if not any(word.text in ("*", ":") for part in cosubscripts for word in part[-1:]):  # of allocate
                yield Coindexed(variable, first, opening, end, cosubscripts, _end(words, end))


def _begin(words, opening):
    """Where the variable begins that brackets follow, or None."""
    at = opening - 1
    while True:
        if words[at].text == ")":
            at = opening_of(words, at) - 1
        if at < 0 or words[at].kind != "identifier":
            return None
        if at < 2 or words[at - 1].text != "%":
            return at
        at -= 2


def opening_of(words, end):
    """Position of the bracket that one closes."""
    depth = 0
    for number in range(end, -1, -1):
        depth += (words[number].text in (")", "]")) - (words[number].text in ("(", "["))
        if depth == 0:
            return number
    return 0


def _selects(variable, words, first, opening):
    """Whether what stands before the brackets is a coarray."""
    if variable.has("codimension"):
        return True
    return any("codimension" in component.attributes for last, component in parts(variable, words, first + 1) if last < opening)


def _end(words, at):
    """Where a variable ends whose brackets close at a position."""
    while at + 2 < len(words) and words[at + 1].text == "%":
        at += 2
        if at + 1 < len(words) and words[at + 1].text == "(":
            at = closing(words, at + 1)
    return at


def array_rank(one, words):
    """The rank of the variable or component that the brackets follow; 0 for a scalar."""
    rank = len(one.variable.bounds)
    for last, component in parts(one.variable, words, one.first + 1):
        if last < one.opening:
            rank = len(component.bounds)
    return rank


def behind_section(words, first, last, variable):
    """The name of a component of the elements of an array: in `a(1:3)%b` that of b. None if there is none."""
    section, at = bool(variable is not None and variable.bounds), first + 1
    ranks = {last: len(component.bounds) for last, component in parts(variable, words, first + 1)}
    while at <= last:
        if words[at].text == "(":
            end = closing(words, at)
            section = any(find(part, ":") is not None or find(part, "::") is not None for part in split(words[at + 1 : end]))
            at = end + 1
        elif words[at].text == "[":
            at = closing(words, at) + 1
        elif words[at].text == "%" and at < last:
            if section:
                return words[at + 1]
            section, at = ranks.get(at + 1, 0) > 0, at + 2
        else:
            return None
    return None
