"""What an array assignment evaluates once, before its loops: bounds, scalar operands, subscripts outside the sections."""

from ...directives.words import integer
from ..reading import syntax, types
from .elements import type_text


class Once:
    """prefix: the statements before the loops."""

    def __init__(self, lowering):
        self.lowering, self.context, self.edits = lowering, lowering.context, lowering.context.edits
        self.prefix = []
        self._names = {}

    def index(self, expression):
        """The text of a bound; it is a constant of its own unless it is simple."""
        text = self.lowering.spelled(expression)
        value, wide = expression.constant(), types.is_unsigned(expression.type) and types.size_of(expression.type) == 8
        if value is not None:
            return str(value) if integer(text) is not None or text.startswith("-") or wide else text
        return text if self._is_simple(expression) and not wide else self.constant("index", text)

    def constant(self, stem, text):
        name = self.name(stem)
        self.prefix.append(f"const XMP_Index {name} = {text};")
        return name

    def name(self, stem):
        number = self._names[stem] = self._names.get(stem, 0) + 1
        return self.context.name(f"{stem}{number if number > 1 else ''}_xmp")

    def in_place(self, expression):
        """An expression without sections that stays where it is, by its value before the loops."""
        self.lowering.visit(expression)
        if expression.constant() is not None or self._is_simple(expression) or not types.is_arithmetic(expression.type):
            return
        name = self.name("value")
        self.prefix.append(f"const __auto_type {name} = {self.context.spelling(expression)};")
        self.edits.override(expression.first, expression.last, name)

    def _is_simple(self, expression):
        """Whether the value cannot change in the loops: literals and local variables that no pointer leads to."""
        for part in expression.walk():
            if isinstance(part, syntax.Identifier):
                if not self._is_register(part):
                    return False
            elif not isinstance(part, (syntax.Number, syntax.Character, syntax.Binary, syntax.Parenthesized)):
                if not isinstance(part, syntax.Unary) or part.operator not in ("+", "-", "~", "!"):
                    return False
        return True

    def _is_register(self, identifier):
        declarator = identifier.declaration
        if declarator is None or self.context.key(declarator) in self.context.addressed:
            return False
        if declarator.kind == "enumerator":
            return True
        local = declarator.scope.kind != "file" and declarator.storage not in ("static", "extern")
        return local and types.is_arithmetic(declarator.type) and "volatile" not in type_text(declarator.type)
