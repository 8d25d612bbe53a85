"""Directives that all nodes must reach, under a condition that only some nodes meet: those wait for ever."""

from ..reading import syntax
from ..reading.places import Place
from .tree import called

_NUMBERS = frozenset(
    "xmp_node_num xmpc_node_num xmp_all_node_num xmpc_all_node_num xmp_this_image xmpc_this_image xmp_nodes_index".split()
)
_COLLECTIVE = ("barrier", "reflect", "gmove", "bcast", "reduction", "reduce_shadow", "template_fix")


class Conditions:
    """Which conditions have other values on other nodes: those that ask for the node's number, directly or through a local
    variable that holds it."""

    def __init__(self, context):
        self.context = context
        self._numbers = None  # the Declarators of variables that hold a node's number

    def advise(self):
        for node, directive in self.context.directives(*_COLLECTIVE):
            if directive.kind == "gmove" and directive.mode:
                continue  # one-sided
            condition = self.chosen(node)
            if condition is not None and not self._in_both_branches(condition, directive.kind):
                self._warn(directive, condition)

    def _in_both_branches(self, condition, kind):
        """`if (me == 0) { ... barrier ... } else { ... barrier ... }`."""
        branches = condition.parent
        if not isinstance(branches, syntax.If) or branches.otherwise is None:
            return False
        places = [node.first for node, _ in self.context.directives(kind)]
        sides = branches.then, branches.otherwise
        return all(any(side.first <= place <= side.last for place in places) for side in sides)

    def _warn(self, directive, condition):
        message = f"only some nodes reach this {directive.kind}: they wait for the others for ever"
        notes = [("this condition depends on the node's number", Place(condition.token, condition.text()))]
        help = "all nodes of the executing set must reach it; a task directive makes that set smaller"
        self.context.diagnostics.warning("XMP-W172", message, directive.word, notes, help)

    def chosen(self, node):
        """The condition around a node that differs between nodes, or None; a task or loop directive between makes a set of
        its own."""
        child = node
        for ancestor in node.ancestors():
            if isinstance(ancestor, syntax.FunctionDefinition):
                return None
            if isinstance(ancestor, syntax.DirectiveStatement) and ancestor is not node.parent:
                return None
            condition = _condition(ancestor)
            if condition is not None and child is not condition and self.differs(condition):
                return condition
            child = ancestor
        return None

    def differs(self, node):
        """Whether an expression or statement asks for the node's number."""
        for part in node.walk():
            if isinstance(part, syntax.Call) and called(part) in _NUMBERS:
                return True
            if isinstance(part, syntax.Identifier) and part.declaration in self.numbers:
                return True
        return False

    @property
    def numbers(self):
        if self._numbers is None:
            self._numbers = {declarator for declarator in map(_holder, self._calls()) if declarator is not None}
        return self._numbers

    def _calls(self):
        for part in self.context.unit.walk():
            if isinstance(part, syntax.Call) and called(part) in _NUMBERS:
                yield part


def _holder(call):
    """The local variable that is initialised with a node's number, or assigned it."""
    node = call
    while isinstance(node.parent, (syntax.Parenthesized, syntax.Cast, syntax.Binary, syntax.Subscript)):
        node = node.parent
    parent = node.parent
    if isinstance(parent, syntax.Declarator) and parent.initializer is node:
        return parent
    if isinstance(parent, syntax.Assign) and parent.value is node and isinstance(parent.target, syntax.Identifier):
        return parent.target.declaration
    return None


def _condition(node):
    if isinstance(node, (syntax.If, syntax.While, syntax.DoWhile, syntax.For, syntax.Conditional)):
        return node.condition
    if isinstance(node, syntax.Switch):
        return node.value
    if isinstance(node, syntax.Binary) and node.operator in ("&&", "||"):
        return node.left
    return None
