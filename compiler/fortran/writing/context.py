"""What every part of the lowering needs: the file, the unit with directives, the model, messages, edits, and small texts."""

from ...directives.parser import shortened
from ...names import FreshNames
from ...semantics.entities import NodesEntity
from .edits import Edits


class Context(FreshNames):
    """file: units.File; unit: the main program; declarations: its Declarations; parsed: item position -> directives;
    directories: where the user's include lines look."""

    def __init__(self, file, unit, declarations, model, diagnostics, directories=()):
        super().__init__(word.text for item in file.items for word in item.words if word.kind == "identifier")
        self.file = file
        self.items = file.items
        self.at = file.items[unit.first]  # the item that is being lowered
        self.unit = unit
        self.declarations = declarations
        self.model = model
        self.diagnostics = diagnostics
        self.directories = directories
        self.edits = Edits(file.source)
        self.parsed = {}
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
    def error(self, code, message, word, notes=(), help=None):
        self.diagnostics.error(code, message, word, notes, help)

    def unsupported(self, what, word, help=None, notes=()):
        self.error("XMP-E190", f"{what} not supported yet in Fortran", word, notes, help)

    # ---- references ----
    def resolve(self, reference, position):
        return self.model.reference(reference, self.unit, position)

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
        from ...directives.words import plus

        if isinstance(entity, NodesEntity):
            return "0", plus(entity.sizes[d], -1) if entity.sizes[d] is not None else None
        return entity.bounds[d] if entity.bounds else (None, None)


def indices(*texts):
    """An array constructor of template indices, whatever integer kinds the expressions have."""
    return f"[integer(XMP_INDEX) :: {', '.join(texts)}]"


def quoted(text):
    return "'" + text.replace("'", "''") + "'"
