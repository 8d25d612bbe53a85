"""What can be known in front of a statement: expressions that have one value all the time while it is executed, and parts of it
that are executed for certain."""

from ..reading import syntax

_PARTS = (syntax.Number, syntax.Character, syntax.Parenthesized, syntax.Binary, syntax.Unary)
_PLAIN = (syntax.Compound, syntax.ExpressionStatement, syntax.Declaration, syntax.DirectiveStatement)
_JUMPS = (syntax.Break, syntax.Continue, syntax.Goto, syntax.Return, syntax.Label)
_LOOPS = (syntax.For, syntax.While, syntax.DoWhile)


def executes_all(node):
    """Whether a statement or expression that is no loop executes all its parts once."""
    if isinstance(node, syntax.Binary):
        return node.operator not in ("&&", "||")
    return isinstance(node, (syntax.Expression, *_PLAIN)) and not isinstance(node, syntax.Conditional)


def has_jumps(statement):
    return any(isinstance(part, _JUMPS) for part in statement.walk())


def innermost_loop(node):
    """The loop statement around a node, or None."""
    return next((ancestor for ancestor in node.ancestors() if isinstance(ancestor, _LOOPS)), None)


class Unchanging:
    """changed: the declarators of the variables that the statement assigns to, one for each place; besides: declarators whose
    values are others in front of the statement."""

    def __init__(self, context, statement, besides=()):
        self.context, self.statement, self.besides = context, statement, besides
        self.changed = _changed(statement)
        self.has_calls = any(isinstance(part, syntax.Call) for part in statement.walk())

    def __call__(self, expression):
        """Whether an expression has one value, and no effect."""
        parts = expression.walk()
        return all(self._variable(part) if isinstance(part, syntax.Identifier) else isinstance(part, _PARTS) for part in parts)

    def counts(self, loop):
        """Whether a CanonicalLoop, the statement or in it, has such bounds, and only its header changes its variable."""
        header = 1 if not loop.outside else 2
        return self.changed.count(loop.declarator) == header and self(loop.first) and self(loop.bound)

    def _variable(self, node):
        context, declarator = self.context, node.declaration
        if declarator is None or declarator in self.changed or declarator in self.besides:
            return False
        if context.array_of(node) is not None or context.coarray_of(node) is not None:
            return False
        seen_elsewhere = declarator.scope.kind == "file" or context.key(declarator) in context.addressed
        if self.has_calls and seen_elsewhere and declarator.kind != "enumerator":
            return False
        return not self.statement.first <= (declarator.name_index or -1) <= self.statement.last


def _changed(statement):
    changed = []
    for part in statement.walk():
        target = None
        if isinstance(part, syntax.Assign):
            target = part.target
        elif isinstance(part, (syntax.Unary, syntax.Postfix)) and part.operator in ("++", "--"):
            target = part.operand
        while isinstance(target, syntax.Parenthesized):
            target = target.operand
        if isinstance(target, syntax.Identifier):
            changed.append(target.declaration)
    return changed
