"""Integer constant expressions: their value, where the compiler can know it (array sizes, enumerators, loop steps)."""

import re

from . import syntax, types

_INTEGER = re.compile(r"0x[\da-f]+|0b[01]+|0[0-7]*|[1-9]\d*", re.I)  # Python's int() takes more: 1_000, 0o17
_WIDEST_SHIFT = 127  # of a 128-bit integer; more is undefined in C, and Python would try


def evaluate(expression):
    """The value of an integer constant expression, or None where it is no constant or not known here.
    Unsigned arithmetic wraps as it does in C (LP64)."""
    try:
        return _evaluate(expression)
    except (ZeroDivisionError, OverflowError, ValueError):
        return None


def parse_number(text):
    """The value of an integer literal, or None for a floating one."""
    digits = text.rstrip("uUlLzZ").replace("'", "")
    if not _INTEGER.fullmatch(digits) or len(digits) > 200:
        return None
    if digits[1:2] in ("x", "X", "b", "B"):
        return int(digits, 0)
    return int(digits, 8 if digits[0] == "0" else 10)


def parse_character(text):
    """The value of a character literal, or None for one of several characters."""
    inner = text[text.index("'") + 1 : -1]
    if len(inner) == 1:
        return ord(inner)
    if not inner.startswith("\\"):
        return None
    if inner[1] in _ESCAPES and len(inner) == 2:
        return _ESCAPES[inner[1]]
    return int(inner[2:], 16) if inner[1] == "x" else int(inner[1:], 8)


_ESCAPES = {"n": 10, "t": 9, "r": 13, "a": 7, "b": 8, "f": 12, "v": 11, "e": 27, "\\": 92, "'": 39, '"': 34, "?": 63, "0": 0}


def _evaluate(node):
    method = _RULES.get(type(node))
    value = method(node) if method else None
    return value if value is None else _wrap(value, node.type)


def _wrap(value, type_):
    size = types.size_of(type_)
    inner = types.resolve(type_)
    if not size or not types.is_integer(type_):
        return value
    if isinstance(inner, types.Basic) and inner.name == "_Bool":
        return int(value != 0)
    value &= (1 << 8 * size) - 1
    return value if types.is_unsigned(type_) or value < 1 << 8 * size - 1 else value - (1 << 8 * size)


def _identifier(node):
    declaration = node.declaration
    return declaration.value if declaration is not None and declaration.kind == "enumerator" else None


def _unary(node):
    value = _evaluate(node.operand)
    return None if value is None or node.operator not in _UNARY else _UNARY[node.operator](value)


def _binary(node):
    left = _evaluate(node.left)
    if left is None or node.operator not in _BINARY:
        return None
    if node.operator in ("&&", "||") and bool(left) == (node.operator == "||"):
        return int(bool(left))
    right = _evaluate(node.right)
    return None if right is None else _BINARY[node.operator](left, right)


def _conditional(node):
    condition = _evaluate(node.condition)
    if condition is None:
        return None
    if condition and node.then is None:
        return condition
    return _evaluate(node.then if condition else node.otherwise)


def _cast(node):
    return _evaluate(node.operand) if types.is_integer(node.type) else None


def _size(node):
    operand = node.operand
    return types.size_of(operand.type) if node.operator == "sizeof" else None


def _shift(left, right):
    """left << right; a negative `right` is a ValueError."""
    if right > _WIDEST_SHIFT:
        raise OverflowError
    return left << right


def _divide(left, right):
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient


_UNARY = {"+": lambda x: x, "-": lambda x: -x, "~": lambda x: ~x, "!": lambda x: int(not x)}
_BINARY = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": _divide,
    "%": lambda a, b: a - b * _divide(a, b), "<<": _shift, ">>": lambda a, b: a >> b,
    "&": lambda a, b: a & b, "|": lambda a, b: a | b, "^": lambda a, b: a ^ b, "==": lambda a, b: int(a == b),
    "!=": lambda a, b: int(a != b), "<": lambda a, b: int(a < b), ">": lambda a, b: int(a > b),
    "<=": lambda a, b: int(a <= b), ">=": lambda a, b: int(a >= b), "&&": lambda a, b: int(bool(a and b)),
    "||": lambda a, b: int(bool(a or b)),
}  # fmt: skip
_RULES = {
    syntax.Number: lambda node: parse_number(node.text()), syntax.Character: lambda node: parse_character(node.text()),
    syntax.Identifier: _identifier, syntax.Parenthesized: lambda node: _evaluate(node.operand), syntax.Unary: _unary,
    syntax.Binary: _binary, syntax.Conditional: _conditional, syntax.Cast: _cast, syntax.SizeOf: _size,
}  # fmt: skip
