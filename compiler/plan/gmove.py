"""gmove (specification 4.5.2): the assignment behind the directive as two sides, each of them a global array, memory of the
node or a value. The language takes a side apart; what may stand there is decided here."""

from ..semantics.alignment import counted, counted_dimensions
from .step import Step

COUNTS_DOWN = "a section that counts down needs its base: without one it begins at 0"


class Gmove(Step):
    """mode: None for the collective one, `in`, `out`; left, right: Sides; async_id: an Expression or None."""

    fields = ("mode", "left", "right", "async_id")

    def validate(self):
        for side in (self.left, self.right):
            self.require(side.kind in _KINDS, f"has a side of the kind '{side.kind}'")
            self.require(side.array is None or len(side.subscripts) == side.array.rank, "has too many or few subscripts")
        self.require(self.left.kind != "value", "assigns to a value")
        self.require(self.right.rank in (0, self.left.rank), "has sides of different ranks")


class Side:
    """kind: array, memory, value; or what no gmove takes: member (of a global array's element), image (a coarray of another
    one), expression.

    expression, type: the language's own; array: the ArrayEntity of an array or member; start: what the subscripts begin
    behind, or what makes the kind; subscripts: Indexes and Triplets (of memory, from its first section); missing: how many
    dimensions of memory have no subscript; scattered: the first subscript of memory whose rows are no array."""

    def __init__(self, kind, expression, type_, start, array=None, subscripts=(), missing=0, scattered=None):
        self.kind, self.expression, self.type, self.start, self.array = kind, expression, type_, start, array
        self.subscripts, self.missing, self.scattered = subscripts, missing, scattered

    @property
    def rank(self):
        return sum(isinstance(subscript, Triplet) for subscript in self.subscripts)


class Index:
    """One element of a dimension. node: for messages, as in Triplet."""

    def __init__(self, node, index):
        self.node, self.parts = node, (index,)


class Triplet:
    """A section of a dimension. parts: begin, length (in Fortran the end), step: expressions, None where left out."""

    def __init__(self, node, *parts):
        self.node, self.parts = node, parts


_KINDS = ("array", "memory", "value")


def plan(language, directive, place):
    """The Gmove of a directive before a statement, or None after an error."""
    if directive.mode is not None:
        language.error("XMP-E190", f"gmove {directive.mode} is not supported yet", directive.word)
        return None
    sides = language.assignment(place)
    if sides is None:
        notes, help_ = [("this follows", language.follower(place))], "write `left = right;` behind it"
        language.error("XMP-E186", "gmove must be followed by an assignment", directive.word, notes, help_)
        return None
    left, right = (language.side(expression) for expression in sides)
    fine = [_check_side(language, left, True), _check_side(language, right, False)]
    if not all(fine) or not _conform(language, left, right):
        return None
    return language.planned(Gmove(directive, place, mode=directive.mode, left=left, right=right, async_id=directive.async_id))


def _check_side(language, side, is_left):
    """Whether a side is a variable, or a constant on the right: no operators, no calls."""
    written = language.written(side.expression)
    if side.kind == "image":
        message = "a coarray of another image cannot stand in a gmove"
        language.error("XMP-E187", message, side.start, help="copy it first")
    elif side.kind == "expression" or side.kind == "value" and is_left:
        message = f"'{written}' is no variable: a gmove copies without operators and calls"
        language.error("XMP-E187", message, side.expression, help=None if is_left else "compute it in a loop")
    elif side.kind == "member":
        message = f"members of elements of '{side.array.name}' in a gmove are not supported yet"
        language.error("XMP-E190", message, side.start)
    elif side.kind == "array" and len(side.subscripts) != side.array.rank:
        array, given = side.array, counted(len(side.subscripts), "subscript")
        message = f"'{array.name}' has {counted_dimensions(array.rank)}, but {given} given"
        notes = [("the array is declared here", array.word)]
        help_ = None if side.subscripts else f"write {array.name}{language.whole(array.rank)} for all of it"
        language.error("XMP-E122", message, side.start, notes, help_)
    elif side.missing:
        message = f"'{written}' is an array: each of its dimensions needs a subscript"
        help_ = f"write {written}{language.whole(side.missing)} for all of it"
        language.error("XMP-E122", message, side.expression, help=help_)
    elif side.scattered is not None:
        message = f"the rows of '{written}' are pointers: they may lie anywhere"
        language.error("XMP-E187", message, side.scattered, help="copy row by row, or declare an array")
    else:
        return all(_check_subscript(language, subscript) for subscript in side.subscripts)
    return False


def _check_subscript(language, subscript):
    if not all(part is None or _check_index(language, part) for part in subscript.parts):
        return False
    if isinstance(subscript, Index):
        return True
    begin, length, step = subscript.parts
    steps = 1 if step is None else step.constant()
    if steps == 0:
        language.error("XMP-E104", "the step of a section cannot be 0", step)
        return False
    if begin is None and length is None and (steps or 0) < 0:
        language.error("XMP-E210", COUNTS_DOWN, subscript.node, help=language.downwards(subscript.node))
        return False
    return True


def _check_index(language, expression):
    """Whether an expression is an integer with the same value on all nodes, as far as can be seen."""
    node, array = language.element_inside(expression)
    if array is not None:
        message = f"'{array.name}' is a global array; a subscript of a gmove must have the same value on all nodes"
        help_ = "copy the element to a local variable first, with a gmove of its own"
        language.error("XMP-E184", message, node, help=help_)
    elif not language.is_integer(expression):
        language.error("XMP-E187", f"'{language.written(expression)}' is no integer", expression)
    else:
        return True
    return False


def _conform(language, left, right):
    """Whether the right side has no section, or as many as the left, and a type that can be assigned to it."""
    texts = [f"'{language.written(side.expression)}'" for side in (left, right)]
    if right.rank not in (0, left.rank):
        ranks = [f"{side.rank} section{'s' * (side.rank != 1)}" for side in (left, right)]
        message = f"{texts[0]} has {ranks[0]}, but {texts[1]} has {ranks[1]}"
        help_ = "the sections of both sides, from the left, belong together"
        language.error("XMP-E188", message, right.expression, help=help_)
        return False
    if not language.assignable(left.type, right.type):
        types = [language.type_text(side.type) for side in (left, right)]
        message = f"{texts[1]} ({types[1]}) cannot be assigned to {texts[0]} ({types[0]})"
        language.error("XMP-E188", message, right.expression)
        return False
    return True
