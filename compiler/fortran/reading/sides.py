"""Fortran's answers to the planner about expressions (plan/questions.py): the sides of an assignment taken apart, and types."""

from ...plan.array_assignment import Dimension
from ...plan.array_functions import FUNCTIONS
from ...plan.gmove import Index, Side, Triplet
from ...plan.questions import ArrayArguments, Sections
from .constants import value
from .declarations import text_of
from .lexer import closing, find, split

_NUMBERS = ("integer", "real", "complex")


class Part:
    """An expression, or a part of one: its words, the Declarations that hold there, and where it stands (as a Place)."""

    def __init__(self, words, declarations):
        self.words, self.declarations, self.text = words, declarations, text_of(words)
        self.file, self.line, self.column = words[0].file, words[0].line, words[0].column

    @property
    def word(self):
        return self.words[0]

    @property
    def type(self):
        """(base, text) of the type; None where it is not known."""
        first = self.words[0]
        if first.kind == "string":
            return "character", "character"
        if first.kind != "identifier" or find(self.words, "%") is not None:
            return None
        known = self.declarations.type_of(first.text)
        return None if known is None else known[:2]

    def constant(self):
        return value(self.words, self.declarations)


class Sides(ArrayArguments, Sections):
    """Base of writing.Context."""

    def assignment(self, place):
        item = self.items[self.following(place)]
        equals = find(item.words, "=") if item.kind == "assignment" else None
        if equals is None or not item.words[equals + 1 :]:
            return None
        declarations = self.declarations(place)
        return Part(item.words[:equals], declarations), Part(item.words[equals + 1 :], declarations)

    def follower(self, place):
        return self.items[self.following(place)].words[0]

    def expression(self, expression, place):
        return Part(list(expression.words), self.declarations(place))

    def side(self, expression):
        words, declarations = expression.words, expression.declarations
        kind, end = _designator(words)
        reference = self.result_reference(words[0])
        if reference is not None and len(reference.words) == len(words):
            return self._global(expression, reference.array)
        array = self.array_at(words[0].text, declarations.unit) if kind == "variable" else None
        if kind != "variable" or end != len(words):
            constant = kind == "value" and end == len(words) or expression.constant() is not None
            return Side("image" if kind == "image" else "value" if constant else "expression", expression, expression.type,
                        expression)  # fmt: skip
        if array is not None:
            return self._global(expression, array)
        return self._memory(expression)

    def _global(self, expression, array):
        words = expression.words
        start = Part(words[:1], expression.declarations)
        type_ = array.symbol.declaration.base, self.element_type(array)
        if self.result_reference(words[0]) is None and find(words, "%") is not None:
            return Side("member", expression, type_, start, array)
        if len(words) == 1 or self.result_reference(words[0]) is not None:
            subscripts = [Triplet(expression, None, None, None) for _ in range(array.rank)]
        else:
            subscripts = _subscripts(words[2:-1], expression.declarations)
        for dimension, subscript in enumerate(subscripts):
            subscript.dimension = (array.symbol.declaration, dimension)
        return Side("array", expression, type_, start, array, subscripts)

    def _memory(self, expression):
        """A variable of each node, or a constant. Whose components and functions are not known here has a rank that only the
        compiler knows."""
        words, declarations = expression.words, expression.declarations
        variable = declarations.lookup(words[0].text)
        known = variable is not None and variable.type is not None and find(words, "%") is None
        kind = "value" if variable is not None and variable.has("parameter") else "memory"
        subscripts = _subscripts(words[2:-1], declarations) if len(words) > 1 and known else []
        if known and not variable.bounds and subscripts and variable.base != "character":
            kind = "expression"  # a function
        if known and len(words) == 1:
            subscripts = [Triplet(expression, None, None, None) for _ in variable.bounds]
        for dimension, subscript in enumerate(subscripts):
            subscript.dimension = (variable, dimension)
        side = Side(kind, expression, expression.type, expression, None, subscripts if known and variable.bounds else ())
        if not known:
            side.unknown = declarations.is_foreign() or find(words, "%") is not None
        return side

    def whole_side(self, expression):
        return self.side(expression)

    def is_mask(self, type_):
        return type_[0] == "logical"

    def is_null(self, expression):
        return False

    def section_of(self, expression):
        return None

    # ---- subscripts ----
    def lower_bound(self, subscript):
        variable, dimension = subscript.dimension
        low, _ = variable.bounds[dimension] if dimension < len(variable.bounds) else ("1", None)
        return None if _deferred(variable) else self.constant(low, variable.unit)

    def size(self, subscript):
        variable, dimension = subscript.dimension
        low, high = variable.bounds[dimension] if dimension < len(variable.bounds) else ("1", None)
        ends = [None if text is None else self.constant(text, variable.unit) for text in (low, high)]
        return None if None in ends else max(0, ends[1] - ends[0] + 1)

    def dimension(self, subscript):
        begin, end, step = subscript.parts
        found, low = Dimension(), self.lower_bound(subscript)
        found.size, found.step = self.size(subscript), 1 if step is None else step.constant()
        found.first = 0 if begin is None else _distance(begin.constant(), low)
        last = _distance(found.size, 1) if end is None else _distance(end.constant(), low)
        if None not in (found.first, last, found.step) and found.step != 0:
            found.number = max(0, (last - found.first + found.step) // found.step)
        return found

    def names(self, side):
        return [word.text for word in side.expression.words if word.kind == "identifier"]

    def whole(self, rank):
        return f"({', '.join(':' * rank)})"

    def downwards(self, section):
        return "write: first:last:step"

    def element_inside(self, expression):
        unit = expression.declarations.unit
        found = ((word, self.array_at(word.text, unit)) for word in expression.words if word.kind == "identifier")
        word, array = next(((word, array) for word, array in found if array is not None), (None, None))
        return (None if word is None else Part([word], expression.declarations)), array

    # ---- types ----
    def written(self, expression):
        """An expression, or the statement at a place."""
        return expression.text if isinstance(expression, Part) else self.items[expression].statement.text.strip()

    def is_integer(self, type_):
        return type_ is None or type_[0] == "integer"

    def is_lock(self, expression):
        return False

    def same_type(self, left, right):
        return left is None or right is None or left == right

    def assignable(self, left, right):
        if left is None or right is None:
            return True
        bases = left[0], right[0]
        return bases[0] == bases[1] or all(base in _NUMBERS for base in bases)

    def type_text(self, type_):
        return "a type declared in another place" if type_ is None else type_[1]


def _distance(index, low):
    return None if None in (index, low) else index - low


def _deferred(variable):
    return any(high is None for _, high in variable.bounds) and (variable.has("allocatable") or variable.has("pointer"))


def array_call(words):
    """Position of `call` before the name of an array function, or None."""
    pairs = enumerate(zip(words, words[1:]))
    return next((n for n, (word, name) in pairs if word.text == "call" and name.text in FUNCTIONS), None)


def _designator(words):
    """(variable, value, image or expression, position behind): what the words begin with."""
    first = words[0]
    if first.kind in ("number", "string") or first.text in ("+", "-") and len(words) > 1 and words[1].kind == "number":
        return "value", 2 if first.text in ("+", "-") else 1
    if first.text in (".true.", ".false."):
        return "value", 1
    if first.kind != "identifier":
        return "expression", 0
    at = 1
    while at < len(words):
        if words[at].text == "(":
            at = closing(words, at) + 1
        elif words[at].text == "[":
            return "image", at
        elif words[at].text == "%":
            at += 2
        else:
            break
    return "variable", at


def _subscripts(words, declarations):
    """Indexes and Triplets."""
    return [_subscript(part, declarations) for part in split(words) if part]


def _subscript(words, declarations):
    node = Part(words, declarations)
    colon = find(words, ":")
    if colon is None and find(words, "::") is not None:
        colon = find(words, "::")
        parts = [words[:colon], [], words[colon + 1 :]]
    elif colon is None:
        return Index(node, node)
    else:
        second = find(words, ":", colon + 1)
        parts = [words[:colon], words[colon + 1 : second], words[second + 1 :] if second is not None else []]
    return Triplet(node, *(Part(part, declarations) if part else None for part in parts))
