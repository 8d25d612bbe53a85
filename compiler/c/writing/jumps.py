"""Blocks that must be left at their end only: loops whose iterations are distributed, tasks."""

from ..reading import syntax

_LOOPS = (syntax.For, syntax.While, syntax.DoWhile)


def check_no_jumps(context, statement, what, is_loop):
    """Errors for return, goto, break and continue that leave `statement`. is_loop: it is the distributed loop itself, whose
    `continue` is harmless."""
    labels = {node.name for node in statement.walk() if isinstance(node, syntax.Label)}
    start = statement.body if is_loop else statement
    _walk(context, start, what, labels, is_loop, False, False)


def _walk(context, node, what, labels, in_loop, breakable, continuable):
    """breakable, continuable: a break or continue here stays inside."""
    if isinstance(node, syntax.Return):
        _error(context, node, "return", what)
    elif isinstance(node, syntax.Goto) and (node.label is None or node.label not in labels):
        _error(context, node, "goto", what)
    elif isinstance(node, syntax.Break) and not breakable:
        _error(context, node, "break", what)
    elif isinstance(node, syntax.Continue) and not continuable and not in_loop:
        _error(context, node, "continue", what)
    for child in node.children():
        inner_loop = isinstance(node, _LOOPS)
        _walk(
            context,
            child,
            what,
            labels,
            in_loop,
            breakable or inner_loop or isinstance(node, syntax.Switch),
            continuable or inner_loop,
        )


def _error(context, node, statement, what):
    context.error(
        "XMP-E170", f"'{statement}' leaves the {what}", node, help="other nodes would wait for this one: end it normally"
    )


def continues(body):
    """The continue statements that belong to the loop whose body this is."""
    found, stack = [], [body]
    while stack:
        node = stack.pop()
        if isinstance(node, syntax.Continue):
            found.append(node)
        if not isinstance(node, _LOOPS):
            stack.extend(node.children())
    return found
