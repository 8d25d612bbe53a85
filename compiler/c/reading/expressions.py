"""Expressions of C11, GNU C and XMP/C (sections, coindices), with their types."""

import re

from . import syntax, types
from .constants import parse_number
from .tokens import CHARACTER, IDENTIFIER, NUMBER, STRING

_PRECEDENCE = {
    "||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, ">": 7, "<=": 7, ">=": 7, "<<": 8, ">>": 8,
    "+": 9, "-": 9, "*": 10, "/": 10, "%": 10,
}  # fmt: skip
_ASSIGNMENT = frozenset("= += -= *= /= %= &= |= ^= <<= >>=".split())
_PREFIX = frozenset("& * + - ~ ! && ++ -- __real__ __imag__ __real __imag".split())
_SIZES = {"sizeof": "sizeof", "_Alignof": "_Alignof", "__alignof__": "_Alignof", "__alignof": "_Alignof"}
_GENERIC = frozenset(
    "_Generic __builtin_choose_expr __builtin_types_compatible_p __builtin_offsetof __builtin_va_arg __builtin_tgmath".split()
)
_BUILTIN_REAL = re.compile(
    r"(huge_val|inf|nans?|fabs|sqrt|cbrt|pow|exp|log|a?(?:sin|cos|tan)h?|atan2|hypot|floor|ceil|f?mod|round|fmax|fmin"
    r"|copysign)([fl]?)$"
)
_FLOAT_SUFFIXES = {"f": "float", "l": "long double", "": "double"}
# GNU's suffixes, too: _Float128, decimal, fixed-point and complex constants.
_FLOAT = re.compile(r"(?:(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?|0x[\da-f]*(?:\.[\da-f]*)?p[+-]?\d+)(?:[a-z]{1,3}\d*x?)?[ij]?")


class Expressions:
    """Part of Parser: all methods start at self.position and leave it behind what they read."""

    def expression(self):
        left = self.assignment()
        while self.texts[self.position] == ",":
            self.position += 1
            right = self.assignment()
            left = self.make_expression(syntax.Comma, left.first, right.type, left, right)
        return left

    def assignment(self):
        left = self.conditional()
        operator = self.texts[self.position]
        if operator not in _ASSIGNMENT:
            return left
        self.position += 1
        value = self.assignment()
        return self.make_expression(syntax.Assign, left.first, left.type, operator, left, value)

    def conditional(self):
        condition = self.binary(1)
        if self.texts[self.position] != "?":
            return condition
        self.position += 1
        then = None if self.texts[self.position] == ":" else self.expression()
        self.expect(":")
        otherwise = self.conditional()
        type_ = _conditional_type(condition if then is None else then, otherwise)
        return self.make_expression(syntax.Conditional, condition.first, type_, condition, then, otherwise)

    def binary(self, lowest):
        left = self.cast()
        while True:
            operator = self.texts[self.position]
            precedence = _PRECEDENCE.get(operator, 0)
            if precedence < lowest or self.position == self.end:
                return left
            self.position += 1
            right = self.binary(precedence + 1)
            left = self.make_expression(
                syntax.Binary, left.first, _binary_type(operator, left.type, right.type), operator, left, right
            )

    def cast(self):
        if self.texts[self.position] != "(" or not self.starts_type(self.position + 1):
            return self.unary()
        first = self.position
        self.position += 1
        type_name = self.type_name()
        self.expect(")")
        if self.texts[self.position] == "{":
            return self.suffixes(self._literal(first, type_name))
        operand = self.cast()
        return self.make_expression(syntax.Cast, first, type_name.type, type_name, operand)

    def _literal(self, first, type_name):
        initializer = self.initializer()
        return self.make_expression(syntax.CompoundLiteral, first, type_name.type, type_name, initializer)

    def unary(self):
        text, first = self.texts[self.position], self.position
        if text in _PREFIX:
            self.position += 1
            if text == "&&":
                self.position += 1  # GNU: address of a label
                operand = self.make_expression(syntax.Identifier, first + 1, types.VOID, self.texts[first + 1], None)
            else:
                operand = self.cast()
            return self.make_expression(syntax.Unary, first, _unary_type(text, operand.type), text, operand)
        if text in _SIZES:
            self.position += 1
            if self.texts[self.position] == "(" and self.starts_type(self.position + 1):
                start = self.position
                self.position += 1
                operand = self.type_name()
                self.expect(")")
                if self.texts[self.position] == "{":
                    operand = self.suffixes(self._literal(start, operand))
            else:
                operand = self.unary()
            return self.make_expression(syntax.SizeOf, first, types.UNSIGNED_LONG, _SIZES[text], operand)
        if text == "__extension__":
            self.position += 1
            operand = self.cast()
            return self.make_expression(syntax.Unary, first, operand.type, text, operand)
        return self.suffixes(self.primary())

    def primary(self):
        first = self.position
        text, kind = self.texts[first], self.tokens[first].kind
        if kind is IDENTIFIER:
            if text in _GENERIC:
                return self._generic(first)
            self.position += 1
            declaration = self.scope.lookup(text)
            type_ = types.UNKNOWN
            if declaration is not None:
                if declaration.kind == "typedef":
                    self.position -= 1
                    self.fail(f"'{text}' is a type here, and an expression is expected")
                type_ = declaration.type
            return self.make_expression(syntax.Identifier, first, type_, text, declaration)
        if kind is NUMBER:
            type_ = number_type(text)
            if type_ is None:
                self.fail("this is no number of C")
            self.position += 1
            return self.make_expression(syntax.Number, first, type_)
        if text == "(":
            self.position += 1
            if self.texts[self.position] == "{":
                body = self.compound()
                self.expect(")")
                return self.make_expression(syntax.StatementExpression, first, _last_type(body), body)
            operand = self.expression()
            self.expect(")")
            return self.make_expression(syntax.Parenthesized, first, operand.type, operand)
        if kind is STRING:
            while self.tokens[self.position].kind is STRING:
                self.position += 1
            return self.make_expression(syntax.String, first, types.Array(types.CHAR))
        if kind is CHARACTER:
            self.position += 1
            return self.make_expression(syntax.Character, first, types.INT)
        return self.fail("an expression is expected")

    def _generic(self, first):
        """Operands may be types, and `_Generic` puts types before colons."""
        name = self.texts[first]
        self.position += 1
        self.expect("(")
        operands = []
        while self.texts[self.position] != ")":
            if self.texts[self.position] == "default" and self.texts[self.position + 1] == ":":
                self.position += 1
            elif name == "__builtin_offsetof" and operands:
                while self.texts[self.position] in (".", "[") or self.tokens[self.position].kind is IDENTIFIER:
                    if self.texts[self.position] == "[":
                        self.position += 1
                        operands.append(self.expression())
                        self.expect("]")
                    else:
                        self.position += 1
            else:
                operands.append(self.argument())
            if self.texts[self.position] not in (",", ":"):
                break
            self.position += 1
        self.expect(")")
        return self.make_expression(syntax.Generic, first, _generic_type(name, operands), operands)

    def argument(self):
        return self.type_name() if self.starts_type(self.position) else self.assignment()

    def suffixes(self, base):
        """What follows a primary expression: subscripts, sections, calls, members, coindices, ++ and --."""
        while True:
            text = self.texts[self.position]
            if text == "[":
                base = self._subscript(base)
            elif text == "(":
                base = self._call(base)
            elif text == "." or text == "->":
                base = self._member(base, text == "->")
            elif text == "++" or text == "--":
                self.position += 1
                base = self.make_expression(syntax.Postfix, base.first, base.type, text, base)
            elif text == ":" and self.texts[self.position + 1] == "[" and self.colon_is_coindex():
                base = self._coindex(base)
            else:
                return base

    def colon_is_coindex(self):
        """No expression of C starts with `[`, so `: [` is always a coindex."""
        return True

    def _subscript(self, base):
        self.position += 1
        element = types.pointed(base.type)
        begin = None if self.texts[self.position] == ":" else self.expression()
        if self.texts[self.position] != ":":
            self.expect("]")
            if isinstance(types.resolve(begin.type), (types.Array, types.Pointer)) and element is types.UNKNOWN:
                element = types.pointed(begin.type)  # `2[a]`
            return self.make_expression(syntax.Subscript, base.first, element, base, begin)
        length = step = None
        self.position += 1
        if self.texts[self.position] not in (":", "]"):
            length = self.expression()
        if self.texts[self.position] == ":":
            self.position += 1
            step = None if self.texts[self.position] == "]" else self.expression()
        self.expect("]")
        return self.make_expression(syntax.Section, base.first, element, base, begin, length, step)

    def _call(self, function):
        self.position += 1
        arguments = []
        while self.texts[self.position] != ")":
            arguments.append(self.argument())
            if self.texts[self.position] != ",":
                break
            self.position += 1
        self.expect(")")
        return self.make_expression(syntax.Call, function.first, self._result(function), function, arguments)

    def _result(self, function):
        if isinstance(function, syntax.Identifier) and function.declaration is None:
            return self._builtin_result(function.name)
        type_ = types.resolve(function.type)
        if isinstance(type_, types.Pointer):
            type_ = types.resolve(type_.target)
        return type_.result if isinstance(type_, types.Function) else types.INT

    def _builtin_result(self, name):
        if not name.startswith("__builtin_"):
            return types.INT
        name = name[len("__builtin_") :]
        real = _BUILTIN_REAL.match(name)
        if real:
            return types.basic(_FLOAT_SUFFIXES[real.group(2)].split())
        declaration = self.scope.lookup(name)
        type_ = types.resolve(declaration.type) if declaration is not None else None
        return type_.result if isinstance(type_, types.Function) else types.INT

    def _member(self, base, arrow):
        self.position += 1
        name = self.identifier()
        struct = types.resolve(types.pointed(base.type) if arrow else base.type)
        field = struct.field(name) if isinstance(struct, types.Struct) else None
        type_ = types.UNKNOWN if field is None else field.type.qualified(struct.qualifiers)
        return self.make_expression(syntax.Member, base.first, type_, base, name, arrow, field)

    def _coindex(self, base):
        self.position += 1
        images = []
        while self.texts[self.position] == "[":
            self.position += 1
            images.append(self.expression())
            self.expect("]")
        return self.make_expression(syntax.CoarrayReference, base.first, base.type, base, images)


def number_type(text):
    """The type of a numeric literal, None if it is none."""
    lower = text.lower().replace("'", "")
    hexadecimal = lower.startswith("0x")
    if "." in lower or ("p" in lower if hexadecimal else "e" in lower):
        if not _FLOAT.fullmatch(lower):
            return None
        imaginary = not hexadecimal and lower[-1] in "ij" or lower[-2:-1] in ("i", "j") and lower[-2:] != "0i"
        suffix = lower.rstrip("ij") if imaginary else lower
        suffix = suffix[-1] if suffix[-1] in "fl" and not (hexadecimal and "p" not in suffix) else ""
        words = _FLOAT_SUFFIXES[suffix].split()
        return types.basic(words + ["_Complex"] if imaginary else words)
    digits = lower.rstrip("ulij")
    suffix = lower[len(digits) :]
    imaginary = "i" in suffix or "j" in suffix
    value = parse_number(digits)
    if value is None:
        return None
    words = _integer_words(value, suffix, digits[0] != "0")
    return types.basic(words + ["_Complex"] if imaginary else words)


def _integer_words(value, suffix, decimal):
    longs, unsigned = suffix.count("l"), "u" in suffix
    if not longs and value < (1 << 32 if unsigned or not decimal else 1 << 31):
        return ["unsigned", "int"] if unsigned or value >= 1 << 31 else ["int"]
    if value >= 1 << 63 and not decimal:
        unsigned = True
    return ["unsigned"] * unsigned + ["long"] * max(longs, 1)


def _unary_type(operator, type_):
    if operator == "*":
        inner = types.resolve(type_)
        return inner if isinstance(inner, types.Function) else types.pointed(type_)
    if operator in ("&", "&&"):
        return types.Pointer(type_)
    if operator == "!":
        return types.INT
    if operator.startswith(("__real", "__imag")):
        inner = types.resolve(type_)
        return types.basic([inner.name[: -len(" _Complex")]]) if types.is_complex(inner) else type_
    return type_ if operator in ("++", "--") else types.promote(type_)


def _binary_type(operator, left, right):
    if operator in ("||", "&&", "==", "!=", "<", ">", "<=", ">="):
        return types.INT
    if operator in ("<<", ">>"):
        return types.promote(left)
    left, right = types.decay(left), types.decay(right)
    pointers = [isinstance(types.resolve(t), types.Pointer) for t in (left, right)]
    if all(pointers):
        return types.LONG
    if any(pointers):
        return left if pointers[0] else right
    return types.arithmetic(left, right)


def _conditional_type(then, otherwise):
    left, right = types.decay(then.type), types.decay(otherwise.type)
    if types.is_arithmetic(left) and types.is_arithmetic(right):
        return types.arithmetic(left, right)
    pointers = [isinstance(types.resolve(t), types.Pointer) for t in (left, right)]
    if not all(pointers):
        return left if pointers[0] or not pointers[1] else right
    for operand, own, other in ((then, left, right), (otherwise, right, left)):
        if _points_to_void(own):
            if _is_null(operand):
                return other
            return types.Pointer(types.pointed(own).qualified(types.pointed(other).qualifiers))
    return left


def _points_to_void(type_):
    target = types.resolve(types.pointed(type_))
    return isinstance(target, types.Basic) and target.name == "void"


def _is_null(expression):
    """`(void *)0`, the null pointer constant, which takes the type of the other operand."""
    expression = syntax.bare(expression)
    return isinstance(expression, syntax.Cast) and expression.operand.constant() == 0


def _last_type(body):
    last = body.items[-1] if body.items else None
    if isinstance(last, syntax.ExpressionStatement) and last.expression is not None:
        return types.decay(last.expression.type)
    return types.VOID


def _generic_type(name, operands):
    if name == "__builtin_va_arg":
        return operands[-1].type if operands else types.UNKNOWN
    if name == "__builtin_offsetof":
        return types.UNSIGNED_LONG
    if name == "__builtin_types_compatible_p":
        return types.INT
    if name == "__builtin_choose_expr":
        chosen = operands[0].constant() if len(operands) == 3 else None
        return types.UNKNOWN if chosen is None else operands[1 if chosen else 2].type
    if name == "_Generic" and operands:
        return _selected_type(operands)
    return types.UNKNOWN


def _selected_type(operands):
    """The type of the association of _Generic that fits; of the one without a type (default) otherwise."""
    control = types.decay(operands[0].type)
    default, index = types.UNKNOWN, 1
    while index < len(operands):
        if isinstance(operands[index], syntax.TypeName) and index + 1 < len(operands):
            if types.same_type(operands[index].type, control):
                return operands[index + 1].type
            index += 2
        else:
            default = operands[index].type
            index += 1
    return default
