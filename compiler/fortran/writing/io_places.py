"""Which statements of a file are master I/O: those that master_io governs, and by --io=master all others on files."""

from ...plan.master_io import STATEMENTS
from ..reading.components import part_of
from ..reading.io_statements import io_statement
from ..reading.lexer import find

_GOVERNING = ("master_io", "global_io")


def end_of_block(context, position, kind):
    """The position of `end master_io` or `end global_io` behind the beginning of such a block; None if it has none."""
    for at in range(position + 1, len(context.items)):
        item, found = context.items[at], context.parsed.get(at)
        if found and found[0].kind == "end" and found[0].what == kind:
            return at
        if item.kind in ("directive", "end", "contains") or item.unit is not context.unit(position):
            return None
    return None


def without_begin(context, position, kind):
    """Notes for an end directive that ends nothing: where its block may have been meant to begin."""
    unit = context.unit(position)
    before = (found[0] for at, found in context.parsed.items() if found and at < position and context.items[at].unit is unit)
    same = [directive for directive in before if directive.kind == kind]
    return [("'begin' is missing behind this", same[-1].words[-1])] if same and not same[-1].begin else []


def governed(context, position, directive):
    """The positions of the statements that master_io or global_io governs."""
    if not directive.begin:
        return [context.following(position)]
    end = end_of_block(context, position, directive.kind) or position
    inside = ((at, context.items[at]) for at in range(position + 1, end))
    return [at for at, item in inside if item.kind != "pragma" and item.words and item.words[0].text != "format"]


def master_statements(context):
    """The positions of all statements of master I/O. Asked when all directives are parsed."""
    known = _known(context)
    return known["master_io"] + (_others(context, known) if context.wishes.master_io else [])


def global_statements(context):
    """The same of global I/O."""
    return _known(context)["global_io"]


def _known(context):
    """Directive -> the positions of all statements that it governs."""
    directives = [(at, found[0]) for at, found in context.parsed.items() if found and found[0].kind in _GOVERNING]
    known = {kind: [] for kind in _GOVERNING}
    for at, directive in directives:
        known[directive.kind] += governed(context, at, directive)
    return known


def _others(context, known):
    """By the option. What stands in a distributed loop is not executed by all nodes together, and stays each node's own."""
    taken = {at for positions in known.values() for at in positions} | set(_in_loops(context))
    return [at for at in range(len(context.items)) if at not in taken and _is_on_file(context, at)]


def _in_loops(context):
    for at, found in context.parsed.items():
        if found and found[0].kind == "loop":
            first = context.following(at)
            yield from range(first, (context.items[first].end or first) + 1)


def _is_on_file(context, position):
    whole = context.items[position]
    item = whole.guarded or whole
    if whole.statement.directive or whole.unit is None or item.kind != "execute" or not item.words:
        return False
    io = io_statement(item.words, context.declarations(position))
    return io is not None and io.kind in STATEMENTS and not is_internal(context, position, io)


def is_internal(context, position, io):
    """Whether a statement reads or writes a variable, not a file."""
    unit = io.specifier("unit")
    if io.kind not in ("read", "write") or unit is None or unit.star or unit.words[0].kind != "identifier":
        return False
    opening = find(unit.words, "(")
    known = part_of(context.declarations(position), unit.words[:opening])
    return known is not None and known[0] == "character"
