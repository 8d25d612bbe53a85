"""Array assignments under the array directive, taken apart: the variables with sections, or used as a whole."""

from ...directives.words import integer
from ...plan import array_assignment
from .components import component
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


class Vector(array_assignment.Dimension):
    """An array as a subscript. inner: the Operands in it, which run along with the dimension."""

    pace = begin = end = None

    def __init__(self, words, inner):
        self.words, self.inner = words, inner
        self.number = next((one.dimensions[0].number for one in inner), None)


class Operand(array_assignment.Operand):
    """A variable with sections. array: the ArrayEntity, None for one of each node; subscripts: lists of words, [] for a whole
    array; places: the dimension of each Section or Vector. `h%v(2:n)` is the local array v."""

    remote = False

    def __init__(self, context, item, number):
        words, self.item, self.word = item.words, item, item.words[number]
        unit = item.unit
        reference = context.result_reference(self.word)
        self.array = context.array_at(self.word.text, unit) if reference is None else reference.array
        self.at, bounds = (number, None) if self.array is not None else _ranked(context, item, number)
        self.at += 0 if reference is None else len(reference.words) - 1
        if bounds is None and self.array is None:
            bounds = context.scopes.of(unit).lookup(self.word.text).bounds
        bounds = context.bounds(self.array) if self.array is not None else _asked(text_of(words[number : self.at + 1]), bounds)
        self.end, self.subscripts, first = self.at, [], self.at + 2
        if self.at + 1 < len(words) and words[self.at + 1].text == "(":
            self.end = closing(words, self.at + 1)
            self.subscripts = split(words[first : self.end])
        self.text = text_of(words[number : self.end + 1])
        if self.subscripts and len(self.subscripts) != len(bounds):
            raise Refused("XMP-E122", f"'{self.word.text}' has {len(bounds)} dimensions, but {len(self.subscripts)} subscripts",
                          self.word, None)  # fmt: skip
        self.places, self.dimensions = [], []
        declarations = Values(context, unit)
        for d, (low, high) in enumerate(bounds):
            subscript = self.subscripts[d] if self.subscripts else None
            found = self._dimension(context, item, first, subscript, low, high, declarations)
            first += 0 if subscript is None else len(subscript) + 1
            if found is not None:
                self.places.append(d)
                self.dimensions.append(found)

    def _dimension(self, context, item, first, subscript, low, high, declarations):
        """The Section or Vector of one subscript, whose words begin at `first`; None for an index."""
        if subscript is None:
            return Section(None, low, high, declarations)
        if not subscript:
            raise Refused("XMP-E206", f"a subscript of '{self.word.text}' is missing", self.word, None)
        if _is_triplet(subscript):
            section = Section(subscript, low, high, declarations)
            _check_bounds(subscript, section.begin, section.end, low, high, declarations)
            return section
        inner = [one for one in operands(context, item, first, first + len(subscript)) if one.rank]
        if any(one.rank > 1 for one in inner):
            raise Refused("XMP-E206", f"'{text_of(subscript)}' has several dimensions", subscript[0], None)
        if inner or subscript[0].text == "[" or text_of(subscript[:2]) == "(/":
            return Vector(subscript, inner)
        _check_bounds(subscript, text_of(subscript), text_of(subscript), low, high, declarations)
        return None

    @property
    def indices(self):
        """(dimension, words) of the subscripts that are no sections."""
        return [(d, subscript) for d, subscript in enumerate(self.subscripts) if d not in self.places]

    def index(self, number):
        return self.places[number]

    def is_separate(self, target):
        return True  # the compiler looks after that

    def is_like(self, target):
        return True

    def contiguous(self):
        return False


def _asked(name, bounds):
    """Bounds of a local array; the program knows those that its declaration leaves open."""
    asked = [(f"lbound({name}, {d + 1})", f"ubound({name}, {d + 1})") for d in range(len(bounds))]
    return [known if known[1] is not None else ask for known, ask in zip(bounds, asked)]


def _check_bounds(subscript, first, last, low, high, declarations):
    """Constant subscripts must lie in their dimension."""
    first, last, low, high = (None if text is None else declarations.constant_value(text) for text in (first, last, low, high))
    if None in (first, last, low, high):
        return
    outside = next((index for index in (first, last) if not low <= index <= high), None)
    if outside is not None:
        message = f"'{text_of(subscript)}' reaches element {outside} of a dimension of {high - low + 1} elements"
        raise Refused("XMP-E215", message, subscript[0], None)


def _ranked(context, item, number):
    """(position of the part of a designator that is an array, its bounds) of `h%v(2:n)`; of others (number, None)."""
    declarations, words, at = context.scopes.of(item.unit), item.words, number
    known = declarations.type_of(words[at].text)
    while known is not None:
        behind = at + 1
        if behind < len(words) and words[behind].text == "(":
            behind = closing(words, behind) + 1
            sections = any(map(_is_triplet, split(words[at + 2 : behind - 1])))
            known = known if known[2] and not sections else None
        elif known[2]:
            known = None  # a whole array
        if known is None or behind + 1 >= len(words) or words[behind].text != "%":
            break
        at = behind + 1
        known = component(declarations, known[1], words[at].text)
        if known is not None and known[2] and _has_rank(words, at):
            return at, known[2]
    return number, None


def _has_rank(words, at):
    if at + 1 == len(words) or words[at + 1].text != "(":
        return True
    return any(map(_is_triplet, split(words[at + 2 : closing(words, at + 1)])))


class Values:
    """The constants of a scoping unit."""

    def __init__(self, context, unit):
        self.context, self.unit = context, unit

    def constant_value(self, text):
        value = integer(text)
        return value if value is not None else self.context.constant(text, self.unit)


def operands(context, item, first=0, last=None):
    """The Operands of a statement or of its words from first up to last, from the left: those with sections, and elements of
    global arrays. Raises Refused."""
    found, words, number = [], item.words, first
    last = len(words) if last is None else last
    while number < last:
        word, after = words[number], words[number + 1].text if number + 1 < len(words) else ""
        if word.kind != "identifier" or number and words[number - 1].text == "%":
            number += 1
            continue
        reference = context.result_reference(word)
        array = context.array_at(word.text, item.unit)
        if reference is not None:
            found.append(Operand(context, item, number))
            number += len(reference.words)
            continue
        variable = context.scopes.of(item.unit).lookup(word.text)
        bounds = variable is not None and variable.bounds or array is None and _ranked(context, item, number)[1]
        if array is None and after == "(" and not bounds:
            if word.text not in _ELEMENTAL and number and not (variable is not None and variable.base == "character"):
                number = _arguments(context, item, number)
                continue
        elif bounds:
            operand = Operand(context, item, number)
            if operand.rank or array is not None:
                found.append(operand)
            number = operand.end if operand.rank else number
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
