"""What every part of the lowering needs: the file, the unit with directives, the model, messages, edits, and small texts."""

from ...directives.parser import shortened
from ...directives.words import added, negated, plus
from ...plan.language import Language, Variable
from ...plan.questions import Lines
from ...semantics.entities import NodesEntity
from .edits import Edits
from .nest import BlockAnswers

_KINDS = ("integer", "real", "complex", "logical")


class Context(BlockAnswers, Lines, Language):
    """file: units.File; unit: the main program; declarations: its Declarations; directories: where the user's include lines
    look. A place is a position among the file's items."""

    sentinel, statement, numbers, component = "!$xmp", "do loop", "numbers or logical values", "component"

    def __init__(self, file, unit, declarations, model, diagnostics, directories=()):
        words = (word.text for item in file.items for word in item.words if word.kind == "identifier")
        super().__init__(words, model, diagnostics, file.items[unit.first])
        self.file = file
        self.items = file.items
        self.unit = unit
        self.declarations = declarations
        self.directories = directories
        self.edits = Edits(file.source)
        self.sites = []  # (file, line, text)
        self._site_of = {}
        self._objects = {}
        self.site_array = self.numbered("site_xmp")

    def object(self, entity):
        """The variable that stands for nodes, a template or an array."""
        if entity not in self._objects:
            self._objects[entity] = self.numbered(entity.name + "_xmp")
        return self._objects[entity]

    def site(self, position):
        """The text of a directive's site: an element of the array that the declaring procedure fills."""
        if position not in self._site_of:
            statement = self.items[position].statement
            file, line = self.file.source.origin[statement.first_line]
            self.sites.append((file, line, "!$xmp " + shortened(statement.text)))
            self._site_of[position] = len(self.sites)
        return f"{self.site_array}({self._site_of[position]})"

    # ---- messages ----
    def unsupported(self, what, word, help=None, notes=()):
        self.error("XMP-E190", f"{what} not supported yet in Fortran", word, notes, help)

    def unplanned(self, directive):
        self.unsupported(f"the directive '{directive.kind}' is", directive.word)

    # ---- the planner's questions ----
    def scope(self, place):
        return self.unit, place

    def declared(self, name, place):
        variable = self.declarations.variables.get(name)
        return None if variable is None else (name, variable.word)

    def variable(self, expression, place):
        """more: the bounds of an array."""
        name = next((word.text for word in expression.words if word.kind == "identifier"), None)
        if name is None:
            self.error("XMP-E181", f"'{expression.text}' is not the name of a variable", expression.word)
            return None
        if any(self.model.array(n) is not None for n in expression.names):
            message = f"'{expression.text}' is part of a global array; a clause takes local variables"
            self.error("XMP-E184", message, expression.word)
            return None
        known = self.declarations.type_of(name)
        if known is None and not (self.declarations.foreign or name in self.declarations.others):
            self.undeclared("XMP-E180", "variable", name, expression.word, self.declarations.variables)
            return None
        if known is None or not expression.name:
            return Variable(expression, None, "", [])
        base, type_, bounds = known
        return Variable(expression, base if base in _KINDS else "other", type_, bounds)

    def is_single(self, variable):
        return not variable.more

    def location(self, place):
        return self.file.source.origin[self.items[place].statement.first_line]

    def extent(self, place):
        following = self.items[place + 1] if place + 1 < len(self.items) else self.items[place]
        last = self.items[following.end] if following.end is not None else self.items[place]
        lines = (self.items[place].statement.first_line, last.statement.last_line)
        return tuple(self.file.source.origin[line][1] for line in lines)

    def innermost(self, place):
        """A do statement whose next do stands behind its end."""
        end = self.items[place + 1].end or place
        found = [at for at in range(place + 1, end) if self.items[at].kind == "do"]
        inner = [at for at, after in zip(found, [*found[1:], end]) if after >= (self.items[at].end or end)]
        return {self.file.source.origin[self.items[at].statement.first_line][1] for at in inner}

    def length(self, array, dimension):
        low, high = array.symbol.declaration.bounds[dimension]
        return high if low == "1" else added(plus(high, 1), negated(low))

    def element_kind(self, array):
        return array.symbol.declaration.base

    def element_type(self, array):
        return array.symbol.declaration.type

    # ---- references ----
    def on(self, reference):
        """A resolved reference as an expression of type(XMP_Reference); None for the executing set."""
        if reference is None or reference.executing_set:
            return None
        if not reference.subscripts:
            return f"XMP_On({self.object(reference.entity)})"
        texts = [self._range(reference, d) for d in range(len(reference.subscripts))]
        return f"XMP_On({self.object(reference.entity)}, [{', '.join(texts)}])"

    def on_with_indices(self, reference, dimensions):
        """The on clause of a loop with `:` where a loop variable runs."""
        texts = ["XMP_ALL" if d in dimensions else self._range(reference, d) for d in range(len(reference.subscripts))]
        return f"XMP_On({self.object(reference.entity)}, [{', '.join(texts)}])"

    def _range(self, reference, d):
        s = reference.subscripts[d]
        if s.kind == "all":
            return "XMP_ALL"
        if s.kind == "own":
            return "XMP_OWN"
        if s.kind == "scalar":
            return f"XMP_At({s.first})"
        low, high = self._ends(reference.entity, d)
        first, last = (high, low) if s.step.startswith("-") else (low, high)
        first = s.first if s.first is not None else first
        last = s.last if s.last is not None else last
        if first is None or last is None:
            self.unsupported("a section to the end of a dimension of unknown size is", s.source.word, "write both ends")
            return "XMP_ALL"
        return f"XMP_From_to({indices(first, last, s.step)})"

    @staticmethod
    def _ends(entity, d):
        if isinstance(entity, NodesEntity):
            return "0", plus(entity.sizes[d], -1) if entity.sizes[d] is not None else None
        return entity.bounds[d] if entity.bounds else (None, None)


def indices(*texts):
    """An array constructor of template indices, whatever integer kinds the expressions have."""
    return f"[integer(XMP_INDEX) :: {', '.join(texts)}]"


def quoted(text):
    return "'" + text.replace("'", "''") + "'"
