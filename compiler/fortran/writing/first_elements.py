"""Sequence association: `call sub(u(1, 1))` passes all of u by its first element. A global array goes as a whole, because only
one node has that element. What the procedure expects is known where it stands in this file; of others all calls tell: no array
that is not global can be passed for an aligned argument. Where such an array has a lower shadow its block begins elsewhere.
Where an argument has fewer dimensions, `call sub(u(1, 3))` passes the section u(:, 3)."""

from ..reading.constants import value
from ..reading.lexer import closing, split
from .references import elements, passed


def write(context):
    """Edits of the arguments of all calls."""
    calls = _Calls(context)
    for item in context.items:
        if item.executable and item.unit is not None and "(" in (word.text for word in item.words):
            for element in elements(context, item):
                _write(context, calls, item, element)


def _write(context, calls, item, element):
    words = item.words
    number = next(n for n, word in enumerate(words) if word is element.word)
    end = closing(words, number + 1)
    callee = passed(words, number, end + 1 - number)
    first = _first(context, item, element) if callee is not None else 0
    if not first:
        return
    place = calls.place(words, next(n for n, word in enumerate(words) if word is callee), number)
    rank = calls.rank(callee.text, place)
    if 0 < rank < element.array.rank:
        return _write_section(context, item, element, rank) if first >= rank else None
    if first < element.array.rank:
        return
    shadowed = element.array.shadow and any(width.full or width.lower != "0" for width in element.array.shadow)
    if calls.takes_array(item, callee.text, place, bool(shadowed)):
        context.edits.words(item.statement, element.word, words[end], element.word.text)


def _write_section(context, item, element, rank):
    """rank: of the argument that gets it."""
    for d, subscript in enumerate(element.subscripts[:rank]):
        if not element.array.positional(d):  # else other edits give the position
            context.edits.words(item.statement, subscript[0], subscript[-1], ":")


def _first(context, item, element):
    """How many subscripts, from the left, are the lower bounds."""
    declarations, variable = context.scopes.of(item.unit), element.array.symbol.declaration
    for d, (low, _) in enumerate(variable.bounds):
        lower, subscript = value(context.words(low), variable.declarations), element.subscripts[d]
        if lower is None or not subscript or value(subscript, declarations) != lower:
            return d
    return element.array.rank


class _Calls:
    def __init__(self, context):
        self.context = context
        self._known = {}  # name -> [(Declarations, names of the arguments)] of the procedures of this file
        self._global = {}  # (name, place of an argument) -> whether all calls pass global arrays for it
        for unit in context.file.units:
            entries = context.scopes.of(unit).entries if unit.opened else ()
            for item in (context.items[unit.first], *entries) if unit.kind in ("subroutine", "function") else ():
                self._known.setdefault(item.name, []).append((context.scopes.of(unit), _dummies(item)))

    def place(self, words, callee, number):
        """Which argument of a call a word is in: its position, or its keyword."""
        for place, part in enumerate(split(words[callee + 2 : closing(words, callee + 1)])):
            if any(word is words[number] for word in part):
                return part[0].text if len(part) > 2 and part[1].text == "=" else place
        return None

    def rank(self, name, place):
        """Of the global array that a procedure of this file expects as an argument; of one of several its smallest. 0: none,
        or unknown."""
        found = [self._aligned(declarations, names, place) for declarations, names in self._known.get(name, ())]
        return min((array.rank for array in found if array is not None), default=0)

    def takes_array(self, item, name, place, shadowed):
        """Whether a procedure expects a global array as an argument."""
        if name in self._known:
            return self.rank(name, place) > 0
        if shadowed or any(declarations.uses for declarations, _ in self.context.scopes.outward(item.unit)):
            return False
        if (name, place) not in self._global:
            self._global[name, place] = all(map(self._passes_array, *zip(*self._all(name, place))))
        return self._global[name, place]

    def _aligned(self, declarations, names, place):
        name = place if isinstance(place, str) else names[place] if place is not None and place < len(names) else None
        array = self.context.model.array(declarations.variables[name]) if name in declarations.variables else None
        return array if array is not None and array.dimensions is not None else None

    def _all(self, name, place):
        """(Item, words) of what all calls of a procedure pass for an argument."""
        for item in self.context.items:
            for number, word in enumerate(item.words[:-1]) if item.executable else ():
                if word.text == name and item.words[number + 1].text == "(":
                    parts = split(item.words[number + 2 : closing(item.words, number + 1)])
                    if isinstance(place, int) and place < len(parts) and parts[place]:
                        yield item, parts[place]

    def _passes_array(self, item, words):
        return words[0].kind == "identifier" and self.context.array_at(words[0].text, item.unit) is not None


def _dummies(item):
    """The names of the arguments in the first statement of a procedure, or in an ENTRY statement."""
    at = next(n for n, word in enumerate(item.words) if word.text == item.name)
    opened = at + 1 < len(item.words) and item.words[at + 1].text == "("
    return [part[0].text for part in split(item.words[at + 2 : closing(item.words, at + 1)]) if part] if opened else []
