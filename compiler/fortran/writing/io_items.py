"""The items of input and output statements: which of them are global arrays, and where no global array may stand (specification
D.1, D.3)."""

from ...record import Record
from ..reading.io_statements import ImpliedDo
from ..reading.lexer import closing, split
from .functions import INTRINSIC
from .references import about, is_section, passed


class WholeArray(Record):
    """The name of a global array."""

    fields = ("array", "word")


class ArrayElement(Record):
    """An element: subscripts: lists of words; rest: the words behind them, of a component."""

    fields = ("array", "word", "subscripts", "rest")


class Local(Record):
    """Anything without global arrays."""

    fields = ("words",)


class Repeated(Record):
    """An implied do with such items."""

    fields = ("do", "items")


class Misplaced(Exception):
    """A global array where none may stand: message, word, help."""


_COPY = "copy it to a local variable first"


def read_items(context, item, items, repeated=False):
    """The items of the IoStatement that an Item is, as WholeArrays, ArrayElements, Locals and Repeated ones. Raises
    Misplaced. repeated: whether an implied do is around them."""
    return [_read(context, item, one, repeated) for one in items]


def is_called(declarations, word):
    """Whether a name before a bracket is that of a function of the program, whose result is a number."""
    variable = declarations.lookup(word.text)
    numeric = variable is None or not variable.bounds and variable.base in ("integer", "real", "complex", "logical")
    return word.kind == "identifier" and word.text not in INTRINSIC and numeric


def names_used(items):
    """The names in items, without the variables of the implied dos around them."""
    found = set()
    for item in items:
        if isinstance(item, Repeated):
            control = {word.text for words in item.do.control for word in words}
            found |= control | names_used(item.items) - {item.do.variable.text}
        elif isinstance(item, ArrayElement):
            found |= {word.text for words in (*item.subscripts, item.rest) for word in words}
        elif isinstance(item, Local):
            found |= {word.text for word in item.words}
    return found


def section_of(repeated, needed):
    """An implied do, with others inside perhaps, whose elements are a section in the section's order: (the ArrayElement, for
    each dimension the ImpliedDo that runs along it or None). None where it is something else, or where the statement needs
    the variables, `needed`, afterwards."""
    loops, item = [], repeated
    while isinstance(item, Repeated) and len(item.items) == 1:
        loops.insert(0, item.do)
        item = item.items[0]
    if not isinstance(item, ArrayElement):
        return None
    along = None if {loop.variable.text for loop in loops} & needed else _along(item, loops)
    return None if along is None else (item, along)


def _along(element, loops):
    """For each dimension the ImpliedDo that runs along it or None, where an element runs through a section in its order. loops:
    the ImpliedDos, the innermost first. None where it does not."""
    names = {loop.variable.text for loop in loops}
    used = [word.text for part in (*element.subscripts, element.rest) for word in part if word.text in names]
    whole = [[word.text for word in part] for part in element.subscripts]
    places = [[d for d, part in enumerate(whole) if part == [loop.variable.text]] for loop in loops]
    simple = all(len(place) == 1 for place in places) and len(used) == len(loops) and not names & _names(_controls(loops))
    if not simple or places != sorted(places):
        return None
    along = {place[0]: loop for place, loop in zip(places, loops)}
    return [along.get(d) for d in range(len(element.subscripts))]


def _controls(loops):
    return [part for loop in loops for part in loop.control]


def _names(parts):
    return {word.text for part in parts for word in part}


class Expected(Record):
    """An element that runs through a section, in implied dos with other items. repeated: the outermost of these; element;
    along: as of section_of."""

    fields = ("repeated", "element", "along")


def expected(items, needed, reads, around=()):
    """The Expected ones of items. around: the Repeated ones around them, the innermost first."""
    found = []
    for item in items:
        if isinstance(item, Repeated) and section_of(item, needed) is None:
            found += expected(item.items, needed, reads, (item, *around))
        elif isinstance(item, ArrayElement) and around:
            chains = [around[:count] for count in range(len(around), 0, -1)]
            found += [one for chain in chains if (one := _expected(item, chain, reads)) is not None][:1]
    return found


def _expected(element, chain, reads):
    """An Expected, if the element follows a section through all of the Repeated ones."""
    loops, inside = [repeated.do for repeated in chain], list(leaves(chain[-1].items))
    along = _along(element, loops)
    changed = _variables(chain[-1]) - {loop.variable.text for loop in loops}
    if reads:  # a subscript may be among what is read, and an element may be read twice
        changed |= {leaf.words[0].text for leaf in inside if isinstance(leaf, Local)}
        if sum(1 for leaf in inside if not isinstance(leaf, Local) and leaf.array is element.array) > 1:
            return None
    used = _names([*element.subscripts, *_controls(loops)])
    return None if along is None or used & changed else Expected(chain[-1], element, along)


def _variables(repeated):
    """Those of an implied do and of all in it."""
    inner = (_variables(one) for one in repeated.items if isinstance(one, Repeated))
    return {repeated.do.variable.text}.union(*inner)


def leaves(items):
    """All but the Repeated ones, in the order of the statement."""
    for item in items:
        if isinstance(item, Repeated):
            yield from leaves(item.items)
        else:
            yield item


def without_arrays(context, item, words, what):
    """Raises Misplaced if the words use elements of a global array. what: where they stand, for the message."""
    for number, word in enumerate(words):
        array = _array_at(context, item, words, number)
        if array is not None:
            raise Misplaced(f"the global array '{array.name}' cannot stand in {what}", word, _COPY)


_EXPRESSION = "an expression of an input or output list"


def _only_passed(context, item, words):
    """Whether the global arrays in an expression are arguments of such functions, which all nodes call before."""
    numbers = [number for number in range(len(words)) if _array_at(context, item, words, number) is not None]
    callees = [passed(words, number) for number in numbers]
    return all(callee is not None and is_called(context.scopes.of(item.unit), callee) for callee in callees)


def _read(context, item, one, repeated):
    if isinstance(one, ImpliedDo):
        for words in one.control:
            without_arrays(context, item, words, "the control of an implied do")
        return Repeated(one, read_items(context, item, one.items, True))
    words = one.words
    reference = context.result_reference(words[0])
    if reference is not None and len(reference.words) == len(words):
        return WholeArray(reference.array, reference.name)
    array = _array_at(context, item, words, 0)
    if array is None:
        if repeated or not _only_passed(context, item, words):
            without_arrays(context, item, words, _EXPRESSION)
        return Local(words)
    if len(words) == 1:
        return WholeArray(array, words[0])
    end = closing(words, 1) if words[1].text == "(" else 0
    rest = words[end + 1 :]
    if end and (not rest or rest[0].text == "%"):
        return _element(context, item, array, words, end)
    raise Misplaced(f"the global array '{array.name}' cannot stand in {_EXPRESSION}", words[0], _COPY)


def _element(context, item, array, words, end):
    subscripts, rest = split(words[2:end]), words[end + 1 :]
    for subscript in subscripts:
        if is_section(context, item, subscript):
            message = f"a section of the global array '{array.name}' cannot be an item of input or output"
            help = f"write {array.name} for all of it, or an implied do of its elements"
            raise Misplaced(message, subscript[0], help)
    for part in (*subscripts, rest):
        without_arrays(context, item, part, "a subscript in an input or output list")
    return ArrayElement(array, words[0], subscripts, rest)


def _array_at(context, item, words, number):
    """The global array that a word uses; None where it only asks for its bounds."""
    word = words[number]
    after = words[number + 1].text if number + 1 < len(words) else ""
    if word.kind != "identifier" or number and words[number - 1].text == "%" or after == "=":
        return None  # a component, or the keyword of an argument
    array = context.array_at(word.text, item.unit)
    return None if array is None or about(words, number) else array
