"""What loop variables are: whether a distributed loop may count with the user's own variable, and who reads it afterwards."""

from ..reading import syntax
from .canonical import loop_variable


def plain_local(context, loop, node):
    """Whether the compiler can keep the variable in a register and no other thread sees it: an automatic variable whose
    address is never taken, and no OpenMP around. (A global loop variable prevents vectorisation.)"""
    if not loop.outside:
        return False
    declarator = loop.declarator
    if declarator.storage in ("static", "extern") or declarator.scope.kind == "file":
        return False
    if context.key(declarator) in context.addressed:
        return False
    around = [ancestor for ancestor in node.ancestors() if isinstance(ancestor, syntax.DirectiveStatement)]
    return not any(a.directive.language == "omp" for a in around) and not any(
        isinstance(part, syntax.Directive) and part.language == "omp" for part in node.walk()
    )


def read_after_loop(context, declarator):
    """Whether some use of the variable may see the value that a loop over it leaves."""
    if declarator.scope.kind == "file" and declarator.storage != "static":
        return True
    return any(_outside_own_loop(use, declarator) for use in context.uses.get(context.key(declarator), ()))


def _outside_own_loop(use, declarator):
    node = use
    for ancestor in use.ancestors():
        if isinstance(ancestor, syntax.For) and loop_variable(ancestor) is declarator:
            init = ancestor.init
            return node is init and not (isinstance(init, syntax.Assign) and init.target is use)
        node = ancestor
    return True
