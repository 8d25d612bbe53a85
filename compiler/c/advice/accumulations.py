"""What a loop makes of its values in one variable, `s += x`, `s = s && x`, `if (x > s) s = x`, and by which operator of a
reduction."""

from ..reading import syntax

_ACCUMULATING = ("+=", "-=", "*=", "|=", "&=", "^=")
_COMBINING = ("+", "-", "*", "|", "&", "^", "&&", "||")
_COMPARING = (">", ">=", "<", "<=")
_EXTREMES = {"fmax": "max", "fmaxf": "max", "fmaxl": "max", "fmin": "min", "fminf": "min", "fminl": "min"}


def accumulated(part):
    """(Identifier of the variable, operator) of an Assign, Unary or Postfix, or None."""
    target = part.target if isinstance(part, syntax.Assign) else getattr(part, "operand", None)
    if not isinstance(target, syntax.Identifier) or target.declaration is None:
        return None
    if isinstance(part, (syntax.Postfix, syntax.Unary)):
        return (target, part.operator[0]) if part.operator in ("++", "--") else None
    if not isinstance(part, syntax.Assign):
        return None
    if part.operator in _ACCUMULATING:
        return target, part.operator[:-1]
    operator = _combined(part, target.declaration) if part.operator == "=" else None
    return operator and (target, operator)


def _combined(assign, declarator):
    """The operator by which `s = ...` combines s with something; None if it does not."""
    value = syntax.bare(assign.value)
    if isinstance(value, syntax.Binary) and value.operator in _COMBINING:
        sides = (value.left, value.right) if value.operator != "-" else (value.left,)
        return value.operator if any(_is(side, declarator) for side in sides) else None
    if isinstance(value, syntax.Call) and getattr(value.function, "name", None) in _EXTREMES:
        return _EXTREMES[value.function.name] if any(_is(one, declarator) for one in value.arguments) else None
    if isinstance(value, syntax.Conditional):
        operator = _compared(value.condition, declarator)
        return {"max": "min", "min": "max"}.get(operator) if _is(value.then, declarator) else operator
    return _compared_around(assign, declarator)


def _compared_around(assign, declarator):
    """Of `if (x > s) s = x`, in braces or not."""
    around = assign.parent
    while isinstance(around, (syntax.Parenthesized, syntax.Comma, syntax.ExpressionStatement, syntax.Compound)):
        around = around.parent
    taken = isinstance(around, syntax.If) and around.then.first <= assign.first <= around.then.last
    return _compared(around.condition, declarator) if taken else None


def _compared(condition, declarator):
    """max for `x > s`, min for `x < s`."""
    condition = syntax.bare(condition)
    if not isinstance(condition, syntax.Binary) or condition.operator not in _COMPARING:
        return None
    greater = condition.operator in (">", ">=")
    if _is(condition.right, declarator):
        return "max" if greater else "min"
    return ("min" if greater else "max") if _is(condition.left, declarator) else None


def _is(expression, declarator):
    expression = syntax.bare(syntax.uncast(expression))
    return isinstance(expression, syntax.Identifier) and expression.declaration is declarator
