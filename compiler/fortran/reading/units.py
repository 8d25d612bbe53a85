"""The scoping units of a file: which statements belong to which, where the executable part begins, what ends what."""

from ...unforeseen import located
from .lexer import closing, split, unmatched, words_of
from .statements import Item, classify

_UNITS = frozenset(("program", "module", "submodule", "subroutine", "function", "blockdata"))
_SCOPES = frozenset(("block", "associate"))  # constructs with names of their own
_CONSTRUCTS = frozenset(("do", "if", "select", "critical", "team", "where", "forall"))
_BODIES = frozenset(("interface", "typedefinition", "enum"))  # in the specification part; what is in them is not the unit's
_ARRAYS = frozenset(("dimension", "common", "allocatable", "pointer", "target"))  # statements that may give a shape


class InvalidStructure(Exception):
    def __init__(self, message, word):
        super().__init__(message)
        self.message = message
        self.word = word


class Unit:
    """A scoping unit: of a program unit, a procedure, a BLOCK or ASSOCIATE construct. Also the scope object of the semantic
    model.

    kind, name; parent: the unit around, or None; first, end: positions of its first and last item; start: of the first
    executable one (or of `contains` or the end); contains: position or None; opened: whether it has a first statement of its
    own (a main program need not); items: positions of its own statements, without those of units inside and of type
    definitions and interfaces; bodies: those of the latter, which belong to no unit."""

    def __init__(self, kind, name, parent, first, opened=True):
        self.kind, self.name, self.parent, self.first, self.opened = kind, name, parent, first, opened
        self.start = self.contains = self.end = None
        self.items, self.bodies = [], []

    @property
    def construct(self):
        return self.kind in _SCOPES

    @property
    def procedure(self):
        """The program unit or procedure whose statements these are."""
        return self.parent.procedure if self.construct else self

    @property
    def root(self):
        """The program unit around everything."""
        return self if self.parent is None else self.parent.root

    @property
    def internal(self):
        """Whether it is a procedure inside a main program or procedure, which cannot have procedures itself."""
        return self.parent is not None and not self.construct and self.parent.kind not in ("module", "submodule")


class File:
    """items: Items of all statements and directives, in order; units: Units in order of their beginning; interfaces: those of
    interface bodies, whose statements are their bodies."""

    def __init__(self, source, statements):
        self.source = source
        self.items = []
        self._known = {}  # where a statement stands, and its text -> its Item, for what several INCLUDE lines bring
        self._once = {}
        with located(lambda: words_of(statement, source)[0]):
            for statement in statements:
                self.items.append(self._item(statement))
        self.units, self.interfaces = [], []
        _Structure(self).build()

    def once(self, function, words):
        """function(words), for the words of an Item, which several may share."""
        key = function, id(words)
        if key not in self._once:
            self._once[key] = function(words)
        return self._once[key]

    def _item(self, statement):
        """Items of one text share their words, but for executable statements."""
        key = (self.source.origin[statement.first_line], statement.column, statement.text)
        if key in self._known:
            return self._known[key].again(statement)
        item = _item(statement, words_of(statement, self.source), self.source.fixed)
        if not item.executable:
            self._known[key] = item
        return item


def _item(statement, words, fixed):
    if statement.directive:
        item = Item(statement, words)
        item.kind = "directive" if statement.sentinel == "xmp" else "pragma"
        return item
    bracket = unmatched(words)
    if bracket is not None:
        raise InvalidStructure("this bracket has no partner in the statement", bracket)
    return classify(statement, words, fixed)


class _Structure:
    def __init__(self, file):
        self.file = file
        self.stack = []  # Units, and positions of open constructs and bodies
        self.waiting = []  # directives before the first statement of a unit

    def build(self):
        for position, item in enumerate(self.file.items):
            self._item(position, item)
        self._outside()
        for opened in self.stack:
            item = self.file.items[opened.first if isinstance(opened, Unit) else opened]
            raise InvalidStructure("this has no end", item.words[0])
        for unit in self.file.units:
            unit.start = self._start(unit)

    def _outside(self):
        """Directives that wait for a program unit or procedure where none follows."""
        for item in (self.file.items[position] for position in self.waiting):
            if item.kind == "directive":
                raise InvalidStructure("this directive belongs to no program unit or procedure", item.words[0])

    def _start(self, unit):
        """Executable statements begin there; assignments before may define statement functions."""
        arrays = set()
        for position in unit.items:
            item = self.file.items[position]
            if item.kind == "declaration" or item.kind == "specification" and item.words[0].text in _ARRAYS:
                pairs = zip(item.words, item.words[1:])
                arrays.update(word.text for word, after in pairs if word.kind == "identifier" and after.text == "(")
            elif item.executable and not _defines_function(item, arrays):
                return position
        return unit.end if unit.contains is None else unit.contains

    @property
    def unit(self):
        return next((opened for opened in reversed(self.stack) if isinstance(opened, Unit)), None)

    def _in_body(self):
        return any(not isinstance(o, Unit) and self.file.items[o].kind in _BODIES for o in self.stack)

    def _item(self, position, item):
        if item.kind in _UNITS or item.kind == "procedure" and not self._in_body():
            self._open(position, item)
        elif item.kind in ("directive", "pragma"):
            self._own(position, item)
        elif item.kind == "end":
            self._close(position, item)
        else:
            self._own(position, item)
            if item.kind in _SCOPES:
                self._open(position, item)
            elif item.kind in _CONSTRUCTS or item.kind in _BODIES:
                self.stack.append(position)
            elif item.kind == "contains" and self.unit is not None and not self._in_body():
                self.unit.contains = position
        if item.label is not None:
            self._terminate(position, item)

    def _open(self, position, item):
        unit = Unit(item.kind, item.name, self.unit, position)
        if self._in_body():
            self.file.interfaces.append(unit)
        else:
            item.unit = item.unit if unit.construct else unit
            self.file.units.append(unit)
            if not unit.construct:
                unit.items += self.waiting
                for waiting in self.waiting:
                    self.file.items[waiting].unit = unit
                self.waiting = []
        self.stack.append(unit)

    def _own(self, position, item):
        unit = self.unit
        if unit is None or unit.kind in ("module", "submodule") and unit.contains is not None:
            if item.statement.directive:
                self.waiting.append(position)
                return
            unit = unit or self._program(position)
        if self._in_body():
            unit.bodies.append(position)
            return
        item.unit = unit
        (unit.bodies if item.kind in _BODIES else unit.items).append(position)

    def _program(self, position):
        """A main program without a first statement of its own."""
        unit = Unit("program", None, None, self.waiting[0] if self.waiting else position, False)
        unit.items += self.waiting
        for waiting in self.waiting:
            self.file.items[waiting].unit = unit
        self.waiting = []
        self.file.units.append(unit)
        self.stack.append(unit)
        return unit

    def _close(self, position, item):
        if not self.stack and not item.what:
            self._program(position)
        if not self.stack:
            raise InvalidStructure("this ends nothing", item.words[0])
        opened = self.stack.pop()
        if isinstance(opened, Unit):
            self._outside()
            if item.what not in ("", opened.kind, "procedure") or opened.construct and not item.what:
                raise InvalidStructure(f"'end {item.what}' where 'end {opened.kind}' is expected", item.words[0])
            opened.end = position
            self.file.items[opened.first].end = position
            item.unit = None if self._in_body() else opened
            return
        kind = self.file.items[opened].kind
        expected = {"typedefinition": "type"}.get(kind, kind)
        if item.what != expected:
            raise InvalidStructure(f"'end {item.what}' where 'end {expected}' is expected", item.words[0])
        self.file.items[opened].begin, self.file.items[opened].end = opened, position
        if not self._in_body():
            item.unit = self.unit
            (self.unit.bodies if kind in _BODIES else self.unit.items).append(position)

    def _terminate(self, position, item):
        """A labelled statement ends the do loops that name the label."""
        while self.stack and not isinstance(self.stack[-1], Unit) and self.file.items[self.stack[-1]].terminal == item.label:
            self.file.items[self.stack.pop()].end = position


def _defines_function(item, arrays):
    """Whether an assignment is a statement function: `name(dummy, ...) = expression` where the name is no array."""
    words = item.words
    if item.kind != "assignment" or len(words) < 4 or words[1].text != "(" or words[0].text in arrays:
        return False
    end = closing(words, 1)
    dummies = split(words[2:end]) if end > 2 else []
    plain = all(len(dummy) == 1 and dummy[0].kind == "identifier" for dummy in dummies)
    return plain and end + 1 < len(words) and words[end + 1].text == "="
