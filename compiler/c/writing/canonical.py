"""Canonical loops: `for (i = first; i < end; i += step)` and its variants, as a loop directive demands them."""

from ...directives.words import negated, plus
from ..reading import syntax
from .elements import is_integer, is_unsigned

_MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "!=": "!="}


class NotCanonical(Exception):
    """What is wrong with a for statement, and the node that shows it."""

    def __init__(self, message, node):
        super().__init__(message)
        self.message = message
        self.node = node


class CanonicalLoop:
    """A for statement understood.

    name, declarator, type   of the loop variable; outside: whether it was declared before the loop
    first, bound             syntax nodes of the initial value and of the limit
    relation                 `<`, `<=`, `>`, `>=` or `!=`
    step                     text of the step with its sign, step_value: its value or None; up: whether it counts up

    With these and the properties it is the planner's CountingLoop (plan/questions.py)."""

    __slots__ = ("node", "name", "declarator", "type", "outside", "first", "bound", "relation", "step", "step_value", "up")

    @property
    def body(self):
        return self.node.body

    @property
    def variable(self):
        return self.declarator

    @property
    def unsigned(self):
        return is_unsigned(self.type)

    @property
    def bound_variables(self):
        parts = (part for expression in (self.first, self.bound) for part in expression.walk())
        return {part.declaration: part for part in parts if isinstance(part, syntax.Identifier)}

    def last(self, text):
        """The last value that the variable may take: text(node) gives the text of a node."""
        bound = text(self.bound)
        if self.relation in ("<=", ">="):
            return bound
        return plus(bound, -1 if self.up else 1)


def first_for(statement):
    """The For that a directive's statement is: itself, or behind pragmas of others and in braces of its own."""
    while statement is not None and not isinstance(statement, syntax.For):
        if isinstance(statement, syntax.DirectiveStatement) and statement.directive.language != "xmp":
            statement = statement.statement
        elif isinstance(statement, syntax.Compound):
            statements = [item for item in statement.items if not _empty(item)]
            statement = statements[0] if len(statements) == 1 else None
        else:
            return None
    return statement


def _empty(item):
    return isinstance(item, syntax.ExpressionStatement) and item.expression is None


def loop_variable(node):
    """The Declarator of the variable that a for statement initialises, or None."""
    init = node.init
    if isinstance(init, syntax.Declaration):
        return init.declarators[0] if len(init.declarators) == 1 else None
    if isinstance(init, syntax.Assign) and init.operator == "=" and isinstance(init.target, syntax.Identifier):
        return init.target.declaration
    return None


def canonical(node, text):
    """The CanonicalLoop of a For; text(node): the text of an expression. Raises NotCanonical."""
    loop = CanonicalLoop()
    loop.node = node
    _initial(loop, node)
    _condition(loop, node)
    _step(loop, node, text)
    wrong = loop.relation in ("<", "<=") and not loop.up or loop.relation in (">", ">=") and loop.up
    if wrong:
        raise NotCanonical(f"the loop runs away from its bound: '{text(node.condition)}' with step {loop.step}", node.condition)
    if loop.relation == "!=" and loop.step_value not in (1, -1):
        raise NotCanonical("a loop with '!=' must count by one", node.condition)
    return loop


def _initial(loop, node):
    loop.declarator = loop_variable(node)
    if loop.declarator is None:
        raise NotCanonical("the loop must begin with 'variable = first value'", node.init or node)
    loop.outside = not isinstance(node.init, syntax.Declaration)
    loop.name, loop.type = loop.declarator.name, loop.declarator.type
    loop.first = node.init.value if loop.outside else loop.declarator.initializer
    if loop.first is None or isinstance(loop.first, syntax.InitializerList):
        raise NotCanonical("the loop must begin with 'variable = first value'", node.init)
    if not is_integer(loop.type):
        raise NotCanonical(f"the loop variable '{loop.name}' is not of an integer type", node.init)


def _is_variable(loop, expression):
    expression = syntax.bare(expression)
    return isinstance(expression, syntax.Identifier) and expression.declaration is loop.declarator


def _condition(loop, node):
    condition = node.condition
    condition = syntax.bare(condition)
    if isinstance(condition, syntax.Binary) and condition.operator in _MIRRORED:
        if _is_variable(loop, condition.left):
            loop.relation, loop.bound = condition.operator, condition.right
            return
        if _is_variable(loop, condition.right):
            loop.relation, loop.bound = _MIRRORED[condition.operator], condition.left
            return
    raise NotCanonical(f"the condition must compare '{loop.name}' with the bound", node.condition or node)


def _step(loop, node, text):
    step = node.step
    step = syntax.bare(step)
    if isinstance(step, (syntax.Postfix, syntax.Unary)) and step.operator in ("++", "--") and _is_variable(loop, step.operand):
        _set_step(loop, "1" if step.operator == "++" else "-1", 1 if step.operator == "++" else -1)
        return
    if isinstance(step, syntax.Assign) and _is_variable(loop, step.target):
        amount, sign = _amount(loop, step)
        if amount is not None:
            value = amount.constant()
            written = text(amount)
            _set_step(loop, written if sign > 0 else negated(written), None if value is None else sign * value, sign)
            if loop.step_value == 0:
                raise NotCanonical("the step of the loop is 0", step)
            return
    raise NotCanonical(
        f"the loop must count by '{loop.name}++', '{loop.name}--', '{loop.name} += c' or '{loop.name} -= c'", step or node
    )


def _amount(loop, step):
    """(expression, sign) of what an assignment adds to the variable."""
    if step.operator in ("+=", "-="):
        return step.value, 1 if step.operator == "+=" else -1
    value = step.value
    if step.operator == "=" and isinstance(value, syntax.Binary) and value.operator in ("+", "-"):
        if _is_variable(loop, value.left):
            return value.right, 1 if value.operator == "+" else -1
        if value.operator == "+" and _is_variable(loop, value.right):
            return value.left, 1
    return None, 0


def _set_step(loop, text, value, sign=None):
    loop.step, loop.step_value = text, value
    if value is not None:
        loop.up = value > 0
    elif loop.relation in ("<", "<="):  # the sign of a variable step follows from the condition
        loop.up = True
    elif loop.relation in (">", ">="):
        loop.up = False
    else:
        loop.up = sign > 0
