"""Arithmetic of integer constant expressions (array sizes, enumerators, loop steps): literals, operators, and what a type does
to a value (LP64). syntax.Expression.constant() goes through an expression with it."""

import re

from . import types

_INTEGER = re.compile(r"0x[\da-f]+|0b[01]+|0[0-7]*|[1-9]\d*", re.I)  # Python's int() takes more: 1_000, 0o17
_WIDEST_SHIFT = 127  # of a 128-bit integer; more is undefined in C, and Python would try


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


def wrapped(value, type_):
    """A value as an integer type keeps it: unsigned arithmetic wraps."""
    size = types.size_of(type_)
    inner = types.resolve(type_)
    if not size or not types.is_integer(type_):
        return value
    if isinstance(inner, types.Basic) and inner.name == "_Bool":
        return int(value != 0)
    value &= (1 << 8 * size) - 1
    return value if types.is_unsigned(type_) or value < 1 << 8 * size - 1 else value - (1 << 8 * size)


def unary(operator, value):
    """Operator and operand as a number, or None for what gives no integer constant."""
    return _UNARY[operator](value) if operator in _UNARY else None


def decided(operator, left):
    """The value of `left && ...` or `left || ...` that the rest cannot change, or None."""
    return int(bool(left)) if operator in ("&&", "||") and bool(left) == (operator == "||") else None


def binary(operator, left, right):
    """Both operands as a number, or None; ZeroDivisionError, OverflowError or ValueError where C defines none."""
    return _BINARY[operator](left, right) if operator in _BINARY else None


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
