"""Where a directive may stand in a program unit: declarative ones among the declarations, executable ones behind them."""

from ...directives.parser import DirectiveError, parse
from ..reading.statements import purity

_NO_STATEMENTS = ("module", "submodule", "blockdata")
# Specification statements that may stand among executable ones, or hold such.
_ANYWHERE = ("data", "format", "include", "entry")


class Places:
    """Asked for each directive, in the order of the file."""

    def __init__(self, context):
        self.context = context
        self._first = {}  # Unit -> its first executable directive
        self._last = {}  # Unit -> the last item of its declarations
        self._pure = set()  # procedures without side effects that have directives

    def allows(self, unit, position, directive):
        """Whether the directive may stand there; if not, that is told."""
        if self._in_pure(unit.procedure, directive):
            return False
        found = self._executable(unit, position, directive) if directive.executable else self._late(unit, position)
        if found is not None:
            message, *notes = found
            self.context.error("XMP-E103", f"'{directive.kind}' {message}", directive.word, notes)
        return found is None

    def _in_pure(self, procedure, directive):
        """Told at the first directive of a procedure."""
        words = self.context.items[procedure.first].words
        if not procedure.opened or not purity(words, procedure):
            return False
        if procedure not in self._pure:
            self._pure.add(procedure)
            name = next(word for word in words if word.text == procedure.name)
            notes = [(f"'{procedure.name}' is pure or elemental", name)]
            message = f"'{directive.kind}' cannot stand in a procedure without side effects"
            self.context.error("XMP-E103", message, directive.word, notes, "leave out pure or elemental")
        return True

    def _executable(self, unit, position, directive):
        if unit.kind in _NO_STATEMENTS:
            return (f"cannot stand in a {unit.kind}",)
        self._first.setdefault(unit, directive)
        last = self._last_declaration(unit)
        if position > last:
            return None
        return "must stand behind the declarations", ("a declaration follows", self.context.items[last].words[0])

    def _last_declaration(self, unit):
        if unit not in self._last:
            self._last[unit] = max((p for p in unit.items if p < unit.start and self._declares(p)), default=-1)
        return self._last[unit]

    def _declares(self, position):
        item = self.context.items[position]
        return item.kind == "declaration" or item.kind == "specification" and item.words[0].text not in _ANYWHERE

    def _late(self, unit, position):
        message, first = "must stand before the first executable statement", self._first.get(unit)
        if position > unit.start:
            return (message,)
        return None if first is None else (message, (f"'{first.kind}' is executable", first.word))

    def in_bodies(self):
        """Directives in type definitions are errors, and executable ones in interfaces. Declarative ones there repeat what the
        procedure itself says."""
        end = -1
        for position, item in enumerate(self.context.items):
            if item.kind in ("typedefinition", "enum"):
                end = item.end
            elif item.kind == "directive" and item.unit is None and item.words:
                self.context.parsed[position] = []
                if position < end:
                    message = f"'{item.words[0].text}' cannot stand in the definition of a type"
                    self.context.error("XMP-E103", message, item.words[0], (), "write it behind the definition")
                else:
                    self._in_interface(item)

    def _in_interface(self, item):
        try:
            executable = [directive for directive in parse(item.words, "Fortran", item.words[0]) if directive.executable]
        except DirectiveError as error:
            self.context.error(error.code, error.message, error.word, error.notes, error.help)
            return
        for directive in executable:
            message = f"'{directive.kind}' cannot stand in an interface body, which has no statements"
            self.context.error("XMP-E103", message, directive.word, (), "write it in the procedure itself")
