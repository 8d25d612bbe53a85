"""Array assignments under the array directive, taken apart: the variables with sections, or used as a whole."""

from ...directives.words import integer
from ...plan import array_assignment
from .declarations import text_of
from .lexer import closing, find, split

# Intrinsic functions whose arguments are elements of the assignment; others take arrays as a whole.
_ELEMENTAL = frozenset(
    "abs achar acos acosh adjustl adjustr aimag aint anint asin asinh atan atan2 atanh bessel_j0 bessel_j1 bessel_y0 bessel_y1 "
    "btest ceiling char cmplx conjg cos cosh dabs dble dcos dexp dim dlog dmax1 dmin1 dprod dsin dsqrt erf erfc exp exponent "
    "float floor fraction gamma hypot iabs iachar iand ibclr ibits ibset ichar ieor index int ior ishft ishftc leadz len_trim "
    "log log10 log_gamma logical max max0 merge min min0 mod modulo mvbits nearest nint not popcnt poppar real rrspacing scale "
    "scan set_exponent shiftl shiftr sign sin sinh sngl spacing sqrt tan tanh trailz verify amax1 amin1 aint dint dnint".split()
)


class Refused(Exception):
    """What cannot stand in the assignment: message, word, help."""


class Section(array_assignment.Dimension):
    """One section. words: those of the subscript, None for a dimension of a whole array; low, high: texts of the dimension's
    bounds; begin, end, pace: texts of the section's."""

    def __init__(self, words, low, high, declarations):
        self.words, self.low, self.high = words, low, high
        self.begin, self.end, self.pace, self.full = low, high, "1", True
        if words is not None:
            parts = triplet(words)
            self.full = not any(parts)
            self.begin, self.end = text_of(parts[0]) or low, text_of(parts[1]) or high
            self.pace = text_of(parts[2]) or "1"
        texts = (self.begin, self.end, self.pace)
        begin, end, pace = (None if text is None else declarations.constant_value(text) for text in texts)
        self.step = pace
        if None not in (begin, end, pace) and pace != 0:
            self.number = max(0, (end - begin + pace) // pace)


def _is_triplet(words):
    return find(words, ":") is not None or find(words, "::") is not None


def triplet(words):
    """The words of first, last and step of a section, empty where left out."""
    colon, double = find(words, ":"), find(words, "::")
    if colon is None:
        return words[:double], [], words[double + 1 :]
    second = find(words, ":", colon + 1)
    return words[:colon], words[colon + 1 : second], words[second + 1 :] if second is not None else []


class Operand(array_assignment.Operand):
    """A variable with sections. array: the ArrayEntity, None for one of each node; subscripts: lists of words, [] for a whole
    array; places: the dimension of each Section."""

    remote = False

    def __init__(self, context, item, number):
        words, self.item, self.word = item.words, item, item.words[number]
        unit = item.unit
        self.array = context.array_at(self.word.text, unit)
        variable = context.scopes.of(unit).lookup(self.word.text)
        self.end = number
        self.subscripts = []
        if number + 1 < len(words) and words[number + 1].text == "(":
            self.end = closing(words, number + 1)
            self.subscripts = split(words[number + 2 : self.end])
        self.text = text_of(words[number : self.end + 1])
        declarations = Values(context, unit)
        bounds = variable.bounds
        if self.subscripts and len(self.subscripts) != len(bounds):
            raise Refused("XMP-E122", f"'{self.word.text}' has {len(bounds)} dimensions, but {len(self.subscripts)} subscripts",
                          self.word, None)  # fmt: skip
        self.places = [d for d in range(len(bounds)) if not self.subscripts or _is_triplet(self.subscripts[d])]
        self.dimensions = []
        for d in self.places:
            low, high = bounds[d]
            self.dimensions.append(Section(self.subscripts[d] if self.subscripts else None, low, high, declarations))

    def index(self, number):
        return self.places[number]

    def is_separate(self, target):
        return True  # the compiler looks after that

    def is_like(self, target):
        return True

    def contiguous(self):
        return False


class Values:
    """The constants of a scoping unit."""

    def __init__(self, context, unit):
        self.context, self.unit = context, unit

    def constant_value(self, text):
        value = integer(text)
        return value if value is not None else self.context.constant(text, self.unit)


def operands(context, item):
    """The Operands of a statement, from the left. Raises Refused."""
    found, words, number = [], item.words, 0
    while number < len(words):
        word, after = words[number], words[number + 1].text if number + 1 < len(words) else ""
        if word.kind != "identifier" or number and words[number - 1].text == "%":
            number += 1
            continue
        array = context.array_at(word.text, item.unit)
        variable = context.scopes.of(item.unit).lookup(word.text)
        if array is None and after == "(" and (variable is None or not variable.bounds):
            if word.text not in _ELEMENTAL and number and not (variable is not None and variable.base == "character"):
                number = _arguments(context, item, number)
                continue
        elif variable is not None and variable.bounds:
            operand = Operand(context, item, number)
            _check_component(words, operand)
            if operand.rank:
                found.append(operand)
                number = operand.end
            elif array is not None and any(map(array.positional, range(array.rank))):
                message = f"an element of the cyclic array '{word.text}' in an array construct is not supported yet in Fortran"
                raise Refused("XMP-E190", message, word, "copy it to a variable first")
        number += 1
    return found


def _arguments(context, item, number):
    """Behind the arguments of a function that is not known to be elemental: they are whole, so no global array can be one."""
    words, end = item.words, closing(item.words, number + 1)
    if words[number].text in ("where", "elsewhere", "forall") or _is_elemental(context, words[number].text):
        return number + 1
    for word in words[number + 1 : end]:
        array = context.array_at(word.text, item.unit) if word.kind == "identifier" else None
        if array is not None and words[number].text not in ("size", "kind", "lbound", "ubound"):
            message = (
                f"'{words[number].text}' is not elemental: it would get this node's part of the global array '{word.text}'"
            )
            raise Refused("XMP-E206", message, word, "compute it before, in a loop with a reduction")
    return end + 1


def _is_elemental(context, name):
    """Whether a function of this file is."""
    for unit in context.file.units:
        if unit.name == name and unit.kind == "function":
            return any(word.text == "elemental" for word in context.items[unit.first].words)
    return False


def _check_component(words, operand):
    if operand.end + 1 < len(words) and words[operand.end + 1].text == "%":
        message = "components of arrays of derived types in an array construct are not supported yet in Fortran"
        raise Refused("XMP-E190", message, operand.word, "write a loop over the elements")
    for subscript in operand.subscripts:
        if find(subscript, ":") is None and find(subscript, "::") is None and _is_vector(operand, subscript):
            message = "an array as a subscript in an array construct is not supported yet in Fortran"
            raise Refused("XMP-E190", message, subscript[0], "write a loop over the elements")


def _is_vector(operand, subscript):
    return bool(subscript) and subscript[0].text in ("[", "(/")


def fills(context, item):
    """Whether a statement assigns one value to all elements of an array, `u = 0` or `u(:, :) = x + 1`. Each node then does that
    with what it has of a global array (decision MAP-25)."""
    equals = find(item.words, "=") if item.kind == "assignment" else None
    if equals is None:
        return False
    left, right = item.words[:equals], item.words[equals + 1 :]
    whole = len(left) == 1 or left[1].text == "(" and all(text_of(part) == ":" for part in split(left[2:-1]))
    return whole and left[0].kind == "identifier" and is_scalar(context, item.unit, right)


def is_scalar(context, unit, words):
    """Whether an expression is known to be no array."""
    return all(_is_scalar(context, unit, *pair) for pair in zip(words, [*words[1:], None]))


def _is_scalar(context, unit, word, after):
    """Whether a word cannot make an expression an array."""
    behind = after.text if after is not None else ""
    if word.kind != "identifier":
        return word.text not in (":", "[", "%") and (word.text, behind) != ("(", "/")
    known = context.scopes.of(unit).type_of(word.text)
    if behind == "(":
        return bool(known and known[2]) or word.text in _ELEMENTAL
    return known is not None and not known[2]
