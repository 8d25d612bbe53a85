"""global_io (specification, appendix D.4): open, close, read and write under it become calls of the runtime, which keeps raw
elements in the file, without the marks of records. So they are fewer statements, specifiers and items than Fortran has."""

from ...directives.words import Expression
from ...plan.global_io import Synchronisation, Transfer
from ..reading.components import address_in
from ..reading.io_statements import ImpliedDo, io_statement
from ..reading.sides import Part
from . import subscripts
from .io_places import end_of_block, governed, without_begin
from .sides import memory, side_text

_SPECIFIERS = {
    "open": "unit iostat file status position action access form".split(),
    "close": "unit iostat status".split(),
    "read": "unit iostat".split(),
    "write": "unit iostat".split(),
}
_OF_DIRECT = {"open": "recl", "read": "rec", "write": "rec"}  # in addition; an open has no position then
_VALUES = {
    "status": {"open": ("old", "new", "replace", "unknown"), "close": ("keep", "delete")},
    "position": {"open": ("asis", "rewind", "append")},
    "action": {"open": ("read", "write", "readwrite")},
    "form": {"open": ("unformatted",)},
}
_MOST_DIMENSIONS = 7


class GlobalIo:
    """Of one file. ends: positions of the directives that end a block."""

    def __init__(self, context):
        self.context, self.ends = context, set()

    def write(self, directive, position):
        """The text in place of the directive; the statements that it governs are edited."""
        if directive.kind == "end":
            if position not in self.ends:
                notes = without_begin(self.context, position, "global_io")
                self.context.error("XMP-E171", "'end global_io' ends nothing", directive.word, notes)
            return ""
        if directive.begin:
            end = end_of_block(self.context, position, directive.kind)
            if end is None:
                self.context.error("XMP-E171", "'global_io begin' has no 'end global_io'", directive.word)
            self.ends.add(end)
        for place in governed(self.context, position, directive):
            _Statement(self.context, directive, position, place).write()
        return ""

    def synchronise(self, directive, position):
        self.context.planned(Synchronisation(directive, position, unit=directive.unit))
        return f"call XMP_Global_sync({self.context.site(position)}, {directive.unit.text})"


class _Statement:
    """One statement under a directive, at a place among the items."""

    def __init__(self, context, directive, position, place):
        self.context, self.directive, self.position, self.place = context, directive, position, place
        self.item = context.items[place]
        self.declarations = context.declarations(place) if self.item.unit is not None else None
        self.io = io_statement(self.item.words, self.declarations) if self.declarations is not None else None
        self.notes = [("the directive is here", directive.words[-1])]  # at the first error of a statement
        self.expressions = []  # texts `name => expression` of items that are no variables

    def write(self):
        context = self.context
        context.at = self.item
        if self.io is None or self.io.kind not in _SPECIFIERS:
            what = f"'{self.item.words[0].text}'" if self.item.unit is not None else "this"
            message = f"global_io governs open, close, read and write statements, and {what} is none"
            context.error("XMP-E235", message, self.item.words[0], [("the directive is here", self.directive.word)])
            return
        told = len(context.diagnostics.items)
        self._check_specifiers()
        items = [text for item in self.io.items if (text := self._item(item)) is not None]
        if len(context.diagnostics.items) > told:
            return
        arrays = [self._array(item.words) for item in self.io.items if self._array(item.words) is not None]
        context.planned(
            Transfer(self.directive, self.position, statement=self.io.kind, access=self.directive.access, arrays=arrays)
        )
        text = f"call XMP_Global_{self.io.kind}({', '.join(self._arguments(items))})"
        if self.expressions:
            text = f"associate ({', '.join(self.expressions)}); {text}; end associate"
        context.edits.words(self.item.statement, self.item.words[0], self.item.words[-1], text)

    def _arguments(self, items):
        yield self.context.site_of_code(self.place, self.item)
        yield f"XMP_GLOBAL_{self.directive.access.upper()}"
        unit = self._value("unit")
        yield unit if self.context.constant(unit, self.item.unit) is not None else f"int({unit})"
        if self.io.kind in ("read", "write"):
            yield f"[{', '.join(items) or 'XMP_Side ::'}]"
        for specifier in self.io.specifiers:
            if specifier.name != "unit":
                value = self._value(specifier.name)
                yield f"{specifier.name}={f'int({value}, XMP_INDEX)' if specifier.name in _OF_DIRECT.values() else value}"

    def _value(self, name):
        return subscripts.text(self.context, self.place, self.io.specifier(name).words)

    # ---- specifiers ----
    @property
    def direct(self):
        return self.directive.access == "direct"

    def _allowed(self):
        names = [name for name in _SPECIFIERS[self.io.kind] if not (self.direct and name == "position")]
        return [*names, _OF_DIRECT[self.io.kind]] if self.direct and self.io.kind in _OF_DIRECT else names

    def _required(self):
        if self.io.kind != "open":
            return ["unit", "rec"] if self.direct and self.io.kind in _OF_DIRECT else ["unit"]
        return ["unit", "file", "access", "recl"] if self.direct else ["unit", "file", "form"]

    def _check_specifiers(self):
        kind, allowed = self.io.kind, self._allowed()
        for specifier in self.io.specifiers:
            if specifier.name in ("fmt", "nml"):
                self._wrong("global I/O is unformatted: it has no format and no namelist", specifier.word)
            elif specifier.name not in allowed:
                message = f"'{specifier.name}' is no specifier of {self.directive.access} {kind} statements"
                self._wrong(message, specifier.word, f"they have {', '.join(allowed)}")
            else:
                self._check_value(specifier)
        for name in self._required():
            if not self.io.has(name):
                self._wrong(f"{self.directive.access} {kind} statements need the specifier '{name}'", self.io.word)

    def _wrong(self, message, word, help=None):
        self.context.error("XMP-E236", message, word, self.notes, help)
        self.notes = ()

    def _check_value(self, specifier):
        if specifier.name == "unit" and (specifier.star or specifier.words[0].kind == "string"):
            self._wrong("global I/O needs the number of a unit", specifier.word)
        for word in specifier.words:
            array = self.context.array_at(word.text, self.item.unit) if word.kind == "identifier" else None
            if array is not None and len(specifier.words) == 1:
                self._wrong(f"the global array '{array.name}' cannot be a specifier's value", word)
        literal = specifier.words[0] if len(specifier.words) == 1 and specifier.words[0].kind == "string" else None
        values = ("direct" if self.direct else "sequential",) if specifier.name == "access" else None
        values = values or _VALUES.get(specifier.name, {}).get(self.io.kind)
        if literal is not None and values and literal.text[1:-1].strip().lower() not in values:
            message = f"{specifier.name}={literal.text} is not possible in {self.directive.access} I/O"
            self._wrong(message, literal, f"write one of {', '.join(values)}" if len(values) > 1 else f"write '{values[0]}'")

    # ---- items ----
    def _item(self, item):
        """An item as type(XMP_Side); None after an error."""
        if isinstance(item, ImpliedDo):
            return self._refuse("an implied do loop", item.opening, "write the variable itself")
        words, context = item.words, self.context
        named = next((w for w in words if w.kind == "identifier" and context.array_at(w.text, self.item.unit)), None)
        if named is not None and len(words) > 1:
            return self._refuse(
                f"a part of the global array '{named.text}'", named, "write the whole array, or use a local one"
            )
        if named is not None and self.directive.access != "collective":
            return self._refuse(f"the global array '{named.text}' in {self.directive.access} I/O", named,
                                "copy what this node has of it to a local variable")  # fmt: skip
        if named is not None:
            return side_text(context, context.side(Part(words, self.declarations)))
        return self._local(words)

    def _local(self, words):
        variable = self.declarations.lookup(words[0].text) if len(words) == 1 and words[0].kind == "identifier" else None
        name = len(words) == 1 and words[0].kind == "identifier" and not (variable is not None and variable.has("parameter"))
        if not name and self.io.kind == "read":
            return self._refuse("what is no name of a variable", words[0], "read into a variable of its own")
        text = subscripts.text(self.context, self.place, words)
        if not name:
            fresh = self.context.numbered("item_xmp")
            self.expressions.append(f"{fresh} => {text}")
            return memory(fresh, text)
        known = self.context.variable(Expression.of(words), self.place)
        if known is None:
            return None
        address = address_in(self.declarations, known.type) if known.kind == "other" else None
        if address is not None or known.more and len(known.more) > _MOST_DIMENSIONS:
            what = (
                "has a component that is an address" if address is not None else f"has more than {_MOST_DIMENSIONS} dimensions"
            )
            return self._refuse(f"'{words[0].text}', which {what},", words[0])
        return memory(text, text)

    def _refuse(self, what, word, help=None):
        self.context.error("XMP-E237", f"{what} cannot be an item of global I/O", word, (), help)

    def _array(self, words):
        """The global array that an item names, or None."""
        return self.context.array_at(words[0].text, self.item.unit) if len(words) == 1 else None
