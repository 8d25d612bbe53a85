"""gmove (specification 4.5.2): the assignment behind the directive as two sides, each of them a global array, memory of the
node or a value. The language takes a side apart; what may stand there is decided here."""

from ..semantics.alignment import counted, counted_dimensions
from .questions import Assignments
from .step import Step

QUESTIONS = (Assignments,)

COUNTS_DOWN = "a section that counts down needs its base: without one it begins at 0"


class Gmove(Step):
    """mode: None for the collective one, `in`, `out`; left, right: Sides; async_id: an Expression or None."""

    fields = ("mode", "left", "right", "async_id")

    def validate(self):
        for side in (self.left, self.right):
            self.require(side.kind in _KINDS, f"has a side of the kind '{side.kind}'")
            self.require(side.array is None or len(side.subscripts) == side.array.rank, "has too many or few subscripts")
        self.require(self.left.kind != "value", "assigns to a value")
        self.require(_nothing_global(self.mode, self.left, self.right) is None, "reaches no global array")
        fits = self.right.rank in (0, self.left.rank) or self.left.unknown or self.right.unknown
        self.require(fits, "has sides of different ranks")


class Side:
    """kind: array, memory, value, member (of a global array's elements); or what no gmove takes: image (a coarray of another
    one), expression.

    expression, type: the language's own; array: the ArrayEntity of an array or member; start: what the subscripts begin
    behind, or what makes the kind; subscripts: Indexes and Triplets (of memory, from its first section); missing: how many
    dimensions of memory have no subscript; scattered: the first subscript of memory whose rows are no array; member: what
    stands behind an element, None where the language has no members; elsewhere: a part of that which is no place in the
    element; unknown: whether only the language's compiler knows the rank."""

    unknown, member, elsewhere = False, None, None

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


_GLOBAL = ("array", "member")
_KINDS = (*_GLOBAL, "memory", "value")


def _plan(language, directive, place):
    """The Gmove of a directive before a statement, or None after an error."""
    sides = language.assignment(place)
    if sides is None:
        notes, help_ = [("this follows", language.follower(place))], "write `left = right;` behind it"
        language.error("XMP-E186", "gmove must be followed by an assignment", directive.word, notes, help_)
        return None
    left, right = (language.side(expression) for expression in sides)
    fine = [_check_side(language, left, True), _check_side(language, right, False)]
    if not all(fine) or not _conform(language, left, right) or not _check_mode(language, directive, left, right):
        return None
    return Gmove(directive, place, mode=directive.mode, left=left, right=right, async_id=directive.async_id)


def _nothing_global(mode, left, right):
    """What is wrong with sides of which none, or not the one that the mode reaches, is a global array; None."""
    if mode == "in" and right.kind not in _GLOBAL:
        return right, "gmove in reads a global array, but '{}' is none", "write gmove without `in`"
    if mode == "out" and left.kind not in _GLOBAL:
        return left, "gmove out writes to a global array, but '{}' is none", "write gmove without `out`, or `gmove in`"
    if left.kind not in _GLOBAL and right.kind not in _GLOBAL:
        return left, "neither '{}' nor '{}' is a global array", "write the assignment without gmove"
    return None


def _check_mode(language, directive, left, right):
    wrong = _nothing_global(directive.mode, left, right)
    if wrong is None or any(language.model.doubtful(name) for side in (left, right) for name in language.names(side)):
        return wrong is None
    side, message, help_ = wrong
    written = [language.written(one.expression) for one in ([side] if directive.mode else [left, right])]
    language.error("XMP-E189", message.format(*written), side.expression, help=help_)
    return False


def _check_side(language, side, is_left):
    """Whether a side is a variable, or a constant on the right: no operators, no calls."""
    written = language.written(side.expression)
    if side.kind == "image":
        message = "a coarray of another image cannot stand in a gmove"
        language.error("XMP-E187", message, side.start, help="copy it first")
    elif side.kind == "expression" or side.kind == "value" and is_left:
        message = f"'{written}' is no variable: a gmove copies without operators and calls"
        language.error("XMP-E187", message, side.expression, help=None if is_left else "compute it in a loop")
    elif side.kind == "member" and side.member is None:
        message = f"members of elements of '{side.array.name}' in a gmove are not supported yet"
        language.error("XMP-E190", message, side.start)
    elif side.elsewhere is not None:
        message = f"'{written}' is no place in an element: behind it only members and single subscripts can stand"
        language.error("XMP-E187", message, side.elsewhere, help="write a gmove for each of them, or a loop")
    elif side.kind in _GLOBAL and len(side.subscripts) != side.array.rank:
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
        return check_subscripts(language, side)
    return False


def check_subscripts(language, side):
    """Whether all of them are integers, and constant ones inside the bounds."""
    return all(_check_subscript(language, one) and _check_bounds(language, one) for one in side.subscripts)


def _position(language, subscript, index):
    """The constant distance of an index from the lower bound of its dimension, or None."""
    value, low = index.constant(), language.lower_bound(subscript)
    return None if None in (value, low) else value - low


def _check_bounds(language, subscript):
    if isinstance(subscript, Index):
        index, size = _position(language, subscript, subscript.parts[0]), language.size(subscript)
        outside = index if None not in (index, size) and not 0 <= index < size else None
    else:
        found = language.dimension(subscript)
        if found.number is not None and found.number < 0 and subscript.parts[1] is not None:
            message = f"the length of a section cannot be negative, as {found.number} is"
            language.error("XMP-E206", message, subscript.parts[1])
            return False
        outside, size = (None if found.number == 0 else found.outside()), found.size
    if outside is not None:
        outside += language.lower_bound(subscript)
        message = f"'{language.written(subscript.node)}' reaches element {outside} of a dimension of {size} elements"
        language.error("XMP-E215", message, subscript.node)
    return outside is None


def check_section(language, side, word):
    """Whether a variable of a clause, as a Side, can be taken as it is: the messages point at the word."""
    if side.array is not None and len(side.subscripts) != side.array.rank:
        language.model.wrong_rank(side.array, len(side.subscripts), word, "subscripts")
    elif side.missing or side.scattered is not None:
        written = language.written(side.expression)
        message = f"'{written}' is an array: each of its dimensions needs a subscript"
        if side.scattered is not None:
            message = f"the rows of '{written}' are pointers: they may lie anywhere"
        language.error("XMP-E185", message, word)
    else:
        return check_subscripts(language, side)
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
    elif not language.is_integer(expression.type):
        language.error("XMP-E187", f"'{language.written(expression)}' is no integer", expression)
    else:
        return True
    return False


def _conform(language, left, right):
    """Whether the right side has no section, or as many as the left, and a type that can be assigned to it."""
    texts = [f"'{language.written(side.expression)}'" for side in (left, right)]
    unknown = left.unknown or right.unknown
    if right.rank not in (0, left.rank) and not unknown:
        ranks = [f"{side.rank} section{'s' * (side.rank != 1)}" for side in (left, right)]
        message = f"{texts[0]} has {ranks[0]}, but {texts[1]} has {ranks[1]}"
        help_ = "the sections of both sides, from the left, belong together"
        language.error("XMP-E188", message, right.expression, help=help_)
        return False
    shapes = [_shape(language, side) for side in (left, right)]
    if right.rank and not unknown and any(None not in pair and pair[0] != pair[1] for pair in zip(*shapes)):
        texts = [f"{text} has {_elements(shape)}" for text, shape in zip(texts, shapes)]
        help_ = "the sections of both sides, from the left, need the same lengths"
        language.error("XMP-E188", ", but ".join(texts), right.expression, help=help_)
        return False
    if not language.assignable(left.type, right.type):
        types = [language.type_text(side.type) for side in (left, right)]
        message = f"{texts[1]} ({types[1]}) cannot be assigned to {texts[0]} ({types[0]})"
        language.error("XMP-E188", message, right.expression)
        return False
    return True


def _shape(language, side):
    """How many elements each section has; None where it is not known."""
    return [language.dimension(one).number for one in side.subscripts if isinstance(one, Triplet)]


def _elements(shape):
    return " x ".join("?" if number is None else str(number) for number in shape) + " elements"


PLANNERS = {"gmove": _plan}
