"""C's answers to the planner about expressions (plan/questions.py): the sides of an assignment taken apart, and types."""

import itertools

from ...plan.array_assignment import Dimension
from ...plan.gmove import Index, Side, Triplet
from ...plan.questions import ArrayArguments
from . import syntax, types


class Sides(ArrayArguments):
    """Base of writing.Context."""

    def assignment(self, place):
        statement = place.parent.statement
        assignment = statement.expression if isinstance(statement, syntax.ExpressionStatement) else None
        assignment = syntax.bare(assignment)
        plain = isinstance(assignment, syntax.Assign) and assignment.operator == "="
        return (assignment.target, assignment.value) if plain else None

    def follower(self, place):
        return place.parent.statement.token

    def side(self, expression):
        base, subscripts = _taken_apart(expression)
        array = self.global_array(base)
        kind, start = ("array", base) if array is not None else self._kind(expression)
        missing, scattered = 0, None
        if kind == "memory":
            first = next((n for n, s in enumerate(subscripts) if isinstance(s, syntax.Section)), len(subscripts))
            subscripts = subscripts[first:]
            start = subscripts[0].base if subscripts else expression
            missing = len(types.array_shape(expression.type)[0])
            inner = (s for s in subscripts[1:] if not isinstance(types.resolve(s.base.type), types.Array))
            scattered = next(inner, None)
        elif kind == "member":
            return self._member(expression, start)
        parts = [_subscript(s) for s in subscripts] if kind in ("array", "memory") else ()
        return Side(kind, expression, expression.type, start, array, parts, missing, scattered)

    def _member(self, expression, start):
        """The Side of a member of a global array's elements. start: the array's name."""
        array, chain, part = self.global_array(start), [], expression
        while part is not start:
            if not isinstance(part, syntax.Parenthesized):
                chain.insert(0, part)
            part = part.operand if isinstance(part, (syntax.Parenthesized, syntax.Unary)) else part.base
        subscripts = list(itertools.takewhile(lambda one: isinstance(one, _SUBSCRIPTS), chain[: array.rank]))
        parts = [_subscript(one) for one in subscripts]
        side = Side("member", expression, expression.type, start, array, parts, len(types.array_shape(expression.type)[0]))
        side.member = chain[len(subscripts) :]
        side.elsewhere = next((one for one in side.member if not _in_element(one)), None)
        return side

    def whole_side(self, expression):
        side = self.side(self._with_sections(self._named(expression)))
        side.expression = expression
        return side

    def _named(self, expression):
        """The array's name in xmp_desc_of(name)."""
        if _describes(expression) and self.global_array(expression.arguments[0]) is not None:
            return expression.arguments[0]
        return expression

    def _with_sections(self, expression):
        """An array with `[:]` in the dimensions that have no subscript: a tree of its own, the user's stays."""
        type_ = types.resolve(expression.type)
        if isinstance(type_, types.Pointer) and self.global_array(expression) is not None:
            expression = syntax.whole_section(expression, type_.target)
        while isinstance(types.resolve(expression.type), types.Array):
            expression = syntax.whole_section(expression, types.resolve(expression.type).element)
        return expression

    def is_descriptor(self, expression):
        if _describes(expression):
            return self.global_array(expression.arguments[0]) is None
        return types.is_pointer_to_void(expression.type)

    def is_null(self, expression):
        return syntax.uncast(expression).constant() == 0

    def section_of(self, expression):
        type_ = types.resolve(expression.type)
        pointer = isinstance(type_, types.Pointer) and not types.is_pointer_to_void(type_)
        return f"write {self.written(expression)}[0:n], n being its length" if pointer else None

    def _kind(self, expression):
        """(kind of a Side that is no global array, what makes it so)."""
        part = expression
        while not isinstance(part, syntax.CoarrayReference):
            if isinstance(part, (syntax.Subscript, syntax.Section, syntax.Member)):
                part = part.base
            elif isinstance(part, syntax.Parenthesized) or isinstance(part, syntax.Unary) and part.operator == "*":
                part = part.operand
            else:
                break
        if isinstance(part, syntax.CoarrayReference):
            return "image", part
        if isinstance(part, syntax.Identifier) and self.global_array(part) is not None:
            return "member", part
        constant = expression.constant() is not None
        if isinstance(part, syntax.Identifier):
            return "value" if constant else "memory", part
        return "value" if part is expression and (constant or _is_number(part)) else "expression", part

    def size(self, subscript):
        array = types.resolve(subscript.node.base.type)
        return array.size.constant() if isinstance(array, types.Array) and array.size is not None else None

    def dimension(self, subscript):
        return Dimension().measured(self.size(subscript), *subscript.parts)

    def names(self, side):
        return [part.name for part in side.expression.walk() if isinstance(part, syntax.Identifier)]

    def whole(self, rank):
        return "[:]" * rank

    def downwards(self, section):
        step, size = section.step.constant(), self.size(_subscript(section))
        if None in (size, step):
            return "write: [base:length:step]"
        return f"write [{size - 1}:{(size - 1) // -step + 1}:{step}] for all of it, from its end"

    def element_inside(self, expression):
        names = (part for part in expression.walk() if isinstance(part, syntax.Identifier))
        return next(((name, self.array_of(name)) for name in names if self.array_of(name) is not None), (None, None))

    def is_lock(self, expression):
        return isinstance(expression.type, types.Typedef) and expression.type.name == "xmp_lock_t"

    def is_integer(self, type_):
        return types.is_integer(type_)

    def same_type(self, left, right):
        return types.same_type(left, right) or types.UNKNOWN in (types.resolve(left), types.resolve(right))

    def assignable(self, left, right):
        return types.is_arithmetic(left) and types.is_arithmetic(right) or self.same_type(left, right)

    def type_text(self, type_):
        return types.render(type_)


_SUBSCRIPTS = (syntax.Subscript, syntax.Section)


def _in_element(node):
    """Whether a Member or Subscript leads to a place in the structure, not through a pointer; a bit-field is none."""
    if isinstance(node, syntax.Member):
        return not node.arrow and (node.field is None or node.field.bit_width is None)
    return isinstance(node, syntax.Subscript) and isinstance(types.resolve(node.base.type), types.Array)


def _taken_apart(expression):
    """(what is subscripted, the Subscripts and Sections from the left)."""
    subscripts = []
    while isinstance(expression, (syntax.Parenthesized, syntax.Subscript, syntax.Section)):
        if isinstance(expression, syntax.Parenthesized):
            expression = expression.operand
        else:
            subscripts.insert(0, expression)
            expression = expression.base
    return expression, subscripts


def _describes(expression):
    """xmp_desc_of(name)"""
    if not isinstance(expression, syntax.Call) or getattr(expression.function, "name", "") not in (
        "xmp_desc_of",
        "xmp_array_of",
    ):
        return False
    return len(expression.arguments) == 1 and isinstance(expression.arguments[0], syntax.Identifier)


def _subscript(node):
    return Triplet(node, node.begin, node.length, node.step) if isinstance(node, syntax.Section) else Index(node, node.index)


def _is_number(expression):
    """`1.5`, `-1.5`, `'c'`"""
    while isinstance(expression, syntax.Parenthesized) or isinstance(expression, syntax.Unary) and expression.operator in "+-":
        expression = expression.operand
    return isinstance(expression, (syntax.Number, syntax.Character))
