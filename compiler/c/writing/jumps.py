"""Statements that leave a block before its end."""

from ..reading import syntax

_LOOPS = (syntax.For, syntax.While, syntax.DoWhile)


def leaving(body, is_loop):
    """(statement, node) of each return, goto, break and continue that leaves a statement. is_loop: it is the body of a loop,
    where `continue` is harmless."""
    labels = {node.name for node in body.walk() if isinstance(node, syntax.Label)}
    return _leaving(body, labels, False, is_loop)


def _leaving(node, labels, breakable, continuable):
    """breakable, continuable: a break or continue here stays inside."""
    if isinstance(node, syntax.Return):
        yield "return", node
    elif isinstance(node, syntax.Goto) and (node.label is None or node.label not in labels):
        yield "goto", node
    elif isinstance(node, syntax.Break) and not breakable:
        yield "break", node
    elif isinstance(node, syntax.Continue) and not continuable:
        yield "continue", node
    inner_loop = isinstance(node, _LOOPS)
    breakable = breakable or inner_loop or isinstance(node, syntax.Switch)
    for child in node.children():
        yield from _leaving(child, labels, breakable, continuable or inner_loop)


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
