"""Directives of OpenMP and gfortran at the loops of a nest. Between such a directive and its do statement, and between the end
of the loop and the end directive, nothing may come."""

from ...directives.words import integer

_DECLARE = frozenset("attributes declare groupprivate requires threadprivate".split())  # stand among declarations
_TAKE_LOOPS = frozenset("do simd loop distribute taskloop tile unroll ivdep vector novector".split())


def _name(item):
    """The words of a directive before its clauses."""
    texts = [word.text for word in item.words]
    return texts[: texts.index("(") - 1] if "(" in texts else texts


def _takes_loop(item):
    return item.kind == "pragma" and bool(item.words) and item.words[0].text != "end" and bool(_TAKE_LOOPS & set(_name(item)))


def at(context, position):
    """Positions of the directives of others directly before a do statement or loop directive, the first one first; a loop
    directive may stand among them."""
    found, before = [], position - 1
    while before >= 0 and (_takes_loop(context.items[before]) or _is_loop(context.items[before])):
        found += [before] if _takes_loop(context.items[before]) else []
        before -= 1
    return found[::-1]


def _is_loop(item):
    return item.kind == "directive" and bool(item.words) and item.words[0].text == "loop"


def beginning(context, unit):
    """Position where a unit begins to do something: its first executable statement or directive, with the directives of others
    in front of it."""
    first = min([unit.start, *context.executable_directives(unit)])
    while _begins(context.items[first - 1], unit):
        first -= 1
    return first


def _begins(item, unit):
    declares = bool(item.words) and item.words[0].text in _DECLARE
    return item.kind == "pragma" and item.unit is unit and not declares


def first_before(context, position):
    """The Item of the first of them that stands before a position, or None."""
    found = at(context, position)
    return context.items[found[0]] if found else None


def depth(context, position):
    """How many loops of a nest the directives before its do statement take."""
    most = 1
    for before in at(context, position):
        texts = [word.text for word in context.items[before].words]
        most = max([most, *(integer(texts[n + 2]) or 1 for n, text in enumerate(texts[:-2])
                            if text in ("collapse", "ordered") and texts[n + 1] == "(")])  # fmt: skip
    return most


def opens_threads(context, position):
    """Whether threads share the iterations of the do loop at a position."""
    return any("do" in _name(context.items[before]) for before in at(context, position))


def end_behind(context, loop):
    """The Item of the end directive that belongs to the do statement at a position, or None."""
    item = context.items[loop]
    after = item.end + 1
    if not at(context, loop) or after >= len(context.items) or context.items[after].kind != "pragma":
        return None
    words = context.items[after].words
    return context.items[after] if words and words[0].text.startswith("end") else None


def governed(context):
    """Positions of statements that stay as they are because OpenMP's atomic directive takes them: two where it captures."""
    taken = (position for position, item in enumerate(context.items) if item.kind == "pragma" and "atomic" in _name(item))
    return {after for position in taken for after in (position + 1, position + 2)}


def make_private(context, position, names):
    """Adds a private clause for names to the directive that gives the iterations of the do loop at a position, or of one
    around it, to threads."""
    for around in range(position, -1, -1):
        item = context.items[around]
        if item.kind != "do" or around != position and (item.end or 0) < position:
            continue
        for before in at(context, around):
            pragma = context.items[before]
            if "do" in _name(pragma):
                missing = [name for name in names if all(word.text != name for word in pragma.words)]
                if missing:
                    context.edits.after(pragma.statement, f" private({', '.join(missing)})")
                return
