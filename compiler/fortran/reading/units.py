"""The program units of a file: which statements belong to which, where the executable part begins, what ends what."""

from ...unforeseen import located
from .lexer import unmatched, words_of
from .statements import classify

_UNITS = frozenset(("program", "module", "submodule", "subroutine", "function", "blockdata"))
_CONSTRUCTS = frozenset(("do", "if", "select", "associate", "block", "critical", "where", "forall"))
_BODIES = frozenset(("interface", "typedefinition", "enum"))  # in the specification part; what is in them is not the unit's


class InvalidStructure(Exception):
    def __init__(self, message, word):
        super().__init__(message)
        self.message = message
        self.word = word


class Unit:
    """kind, name; parent: the unit around, or None; first, end: positions of its first and last item; start: of the first
    executable one (or of `contains` or the end); contains: position or None; opened: whether it has a first statement of
    its own
    (a main program need not); items: positions of its own statements, without those of units inside and of type definitions
    and interfaces. Also the scope object of the semantic model."""

    def __init__(self, kind, name, parent, first, opened=True):
        self.kind, self.name, self.parent, self.first, self.opened = kind, name, parent, first, opened
        self.start = self.contains = self.end = None
        self.items = []


class File:
    """items: Items of all statements and directives, in order; units: Units in order of their beginning."""

    def __init__(self, source, statements):
        self.source = source
        self.items = []
        for statement in statements:
            words = words_of(statement, source)
            with located(lambda word=words[0]: word):
                self.items.append(_directive(statement, words) if statement.directive else _classified(statement, words))
        self.units = []
        _Structure(self).build()

    @property
    def main(self):
        return next((unit for unit in self.units if unit.kind == "program"), None)


def _classified(statement, words):
    bracket = unmatched(words)
    if bracket is not None:
        raise InvalidStructure("this bracket has no partner in the statement", bracket)
    return classify(statement, words)


def _directive(statement, words):
    from .statements import Item

    item = Item(statement, words)
    item.kind = "directive"
    return item


class _Structure:
    def __init__(self, file):
        self.file = file
        self.stack = []  # Units, and positions of open constructs and bodies
        self.waiting = []  # directives before the first statement of a unit

    def build(self):
        for position, item in enumerate(self.file.items):
            self._item(position, item)
        for opened in self.stack:
            item = self.file.items[opened.first if isinstance(opened, Unit) else opened]
            raise InvalidStructure("this has no end", item.words[0])

    @property
    def unit(self):
        return next((opened for opened in reversed(self.stack) if isinstance(opened, Unit)), None)

    def _in_body(self):
        return any(not isinstance(o, Unit) and self.file.items[o].kind in _BODIES for o in self.stack)

    def _item(self, position, item):
        if item.kind in _UNITS:
            self._open(position, item)
        elif item.kind == "directive":
            self._own(position, item)
        elif item.kind == "end":
            self._close(position, item)
        else:
            self._own(position, item)
            if item.kind in _CONSTRUCTS or item.kind in _BODIES:
                self.stack.append(position)
            elif item.kind == "contains" and self.unit is not None and not self._in_body():
                self.unit.contains = position
                self.unit.start = position if self.unit.start is None else self.unit.start
        if item.label is not None:
            self._terminate(position, item)

    def _open(self, position, item):
        unit = Unit(item.kind, item.name, self.unit, position)
        item.unit = unit
        if not self._in_body():
            self.file.units.append(unit)
            unit.items += self.waiting
            self.waiting = []
        self.stack.append(unit)

    def _own(self, position, item):
        unit = self.unit
        if unit is None or unit.kind in ("module", "submodule") and unit.contains is not None:
            if item.kind == "directive":
                self.waiting.append(position)
                return
            if unit is None:
                unit = Unit("program", None, None, self.waiting[0] if self.waiting else position, False)
                unit.items += self.waiting
                self.waiting = []
                self.file.units.append(unit)
                self.stack.append(unit)
        item.unit = unit
        if self._in_body():
            return
        unit.items.append(position)
        if unit.start is None and item.executable:
            unit.start = position

    def _close(self, position, item):
        if not self.stack:
            raise InvalidStructure("this ends nothing", item.words[0])
        opened = self.stack.pop()
        if isinstance(opened, Unit):
            if item.what not in ("", opened.kind, "procedure"):
                raise InvalidStructure(f"'end {item.what}' where 'end {opened.kind}' is expected", item.words[0])
            opened.end = position
            opened.start = position if opened.start is None else opened.start
            item.unit = opened
        else:
            expected = {"typedefinition": "type"}.get(self.file.items[opened].kind, self.file.items[opened].kind)
            if item.what != expected:
                raise InvalidStructure(f"'end {item.what}' where 'end {expected}' is expected", item.words[0])
            self.file.items[opened].end = position
            item.unit = self.unit
            if not self._in_body() and expected not in ("type", "interface", "enum"):
                self.unit.items.append(position)

    def _terminate(self, position, item):
        """A labelled statement ends the do loops that name the label."""
        while self.stack and not isinstance(self.stack[-1], Unit) and self.file.items[self.stack[-1]].terminal == item.label:
            self.file.items[self.stack.pop()].end = position
