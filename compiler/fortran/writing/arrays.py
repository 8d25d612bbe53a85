"""Declarations of global arrays. Each becomes an allocatable whose descriptor shows this node's block under its global
subscripts, so that the program's own `u(i, j)` stays as it is (decision fortran-arrays)."""

from ...semantics.entities import TemplateEntity
from ...semantics.model import Symbol
from ..reading.declarations import read
from ..reading.lexer import closing, split
from . import initial_values
from .views import cobounds, view_type

_KEPT = ("target", "save", "public", "private", "protected", "volatile", "asynchronous")  # attributes of the allocatable
_REFUSED = ("equivalence", "parameter", "namelist", "value", "codimension", "external", "intrinsic")
_ENDING = ("subroutine", "function", "procedure", "block")  # units whose local variables end with them
_ALLOCATED = ("allocatable", "pointer")  # by the program itself


def symbol(context, unit, name):
    """The Symbol of an array's name in an align or shadow directive of a unit, or None."""
    return symbol_of(context.scopes.of(unit), name)


def symbol_of(declarations, name):
    variable = declarations.lookup(name)
    if variable is None or variable.type is None and not variable.bounds:
        return None
    found = Symbol()
    found.name, found.word, found.rank, found.scope = name, variable.word, len(variable.bounds), variable.unit
    found.key = found.declaration = variable
    found.used = found.used_position = found.proposal = None
    found.initialised = variable.initial if not (variable.has("pointer") or initial_values.are_given(variable)) else None
    return found


def check(context, array):
    """Checks that the array's declaration is one that can be distributed; one that is not has failed."""
    told = len(context.diagnostics.items)
    _open_end(array.symbol.declaration)
    _check_declaration(context, array)
    _check_what_is_missing(context, array)
    array.failed = array.failed or len(context.diagnostics.items) > told


def _open_end(variable):
    """`a(n, 1)` is how programs before Fortran 77 declared an argument `a(n, *)`."""
    if variable.dummy and not allocated_by_program(variable) and variable.bounds and variable.bounds[-1] == ("1", "1"):
        variable.bounds[-1] = ("1", None)


def _check_declaration(context, array):
    variable = array.symbol.declaration
    aligned = [("it is aligned here", array.align.array)]
    if array.rank == 0:
        context.error("XMP-E122", f"'{array.name}' is not an array", variable.word, aligned)
    for attribute in filter(variable.has, _REFUSED):
        statement = f"a global array in {_article(attribute)} {attribute} statement"
        what = statement if attribute in ("equivalence", "namelist") else f"the attribute '{attribute}' of a global array"
        context.error("XMP-E134", f"{what} is not possible", variable.attributes[attribute][0], aligned)
    if variable.base is None:
        message = f"the type of '{array.name}' is not known"
        context.error("XMP-E134", message, variable.word, aligned, "declare it here, before the directive")
    if initial_values.are_given(variable) and fixed_later(array.template):
        message = f"'{array.name}' has initial values, and its template '{array.template.name}' gets its shape later"
        context.error("XMP-E131", message, variable.initial, aligned, "assign the values in a loop")
    if initial_values.are_given(variable) and variable.common is not None and not initial_values.fit(context, variable):
        most = initial_values.MOST_IN_COMMON
        message = f"'{array.name}' is too large for initial values: in COMMON they are for up to {most} elements"
        context.error("XMP-E131", message, variable.initial, aligned, "assign the values in a loop")
    deferred = any(high is None for _, high in variable.bounds)
    if deferred and not variable.dummy and not allocated_by_program(variable):
        message = f"the bounds of '{array.name}' are not known"
        context.error("XMP-E134", message, variable.word, aligned, "declare it with bounds, or as allocatable")


def _check_what_is_missing(context, array):
    variable = array.symbol.declaration
    aligned = [("it is aligned here", array.align.array)]
    if is_separate(context, variable) and (given_back(variable) or variable.declarations.entries):
        what = "this global array as an argument of a separate module procedure is"
        help = "it may not be allocatable with intent(out), and the procedure has no ENTRY"
        context.unsupported(what, variable.word, help, aligned)
    if variable.is_result and variable.has("allocatable") and variable.declarations.entries:
        message = f"'{array.name}' is allocatable and the result of a function with ENTRY: gfortran has none"
        context.error("XMP-E134", message, variable.word, aligned, "declare it with bounds, or as a pointer")


def _article(word):
    return "an" if word[0] in "aeiou" else "a"


def allocated_by_program(variable):
    return any(variable.has(attribute) for attribute in _ALLOCATED)


def allocated_array(context, position, words):
    """The allocatable or pointer global array that a name means."""
    array = context.array_at(words[0].text, context.unit(position)) if words and words[0].kind == "identifier" else None
    return array if array is not None and allocated_by_program(array.symbol.declaration) else None


def allocated_argument(variable):
    """Whether a dummy argument is allocatable or a pointer, so that the procedure may give it other memory."""
    return variable.dummy and allocated_by_program(variable)


def undefined(array):
    """Whether a variable is a pointer that nothing has set when its unit begins."""
    variable = array.symbol.declaration
    kept = variable.has("save") or variable.declarations.saved or variable.initial is not None or variable.unit.kind == "module"
    return variable.has("pointer") and not variable.dummy and variable.owner is None and not kept


def given_back(variable):
    """Whether an argument is deallocated when the procedure begins."""
    return allocated_argument(variable) and variable.has("allocatable") and _intent(variable) == "out"


def _intent(variable):
    words = variable.attributes.get("intent", ())
    return "".join(word.text for word in words[2:-1])


def keep(context, array):
    """The caller's compiler must not free what an intent(out) argument shows: the procedure gives it back itself."""
    variable = array.symbol.declaration
    if given_back(variable):
        word = next(word for word in variable.attributes["intent"] if word.text == "out")
        context.edits.word(variable.item.statement, word, "inout")


def freed_at_end(variable):
    """Whether Fortran frees an allocatable when the unit that declares it ends."""
    kept = variable.has("save") or variable.has("pointer") or variable.declarations.saved
    kept = kept or variable.dummy or variable.is_result
    return variable.unit.kind in _ENDING and allocated_by_program(variable) and variable.owner is None and not kept


def held(array):
    """Whether the array is a component of a variable that ends with the unit which declares it."""
    variable, owner = array.symbol.declaration, array.symbol.declaration.owner
    if owner is None or not owner.owned or variable.unit.kind not in _ENDING:
        return False
    return not (owner.variable.has("save") or owner.variable.initial is not None or variable.declarations.saved)


def rewritten(context, array):
    """Whether the declaration changes: what the program allocates itself, it declares itself; types have their components."""
    variable = array.symbol.declaration
    if variable.is_result and not variable.has("pointer"):
        return variable.unit.kind != "procedure"  # that has the declarations of the interface body
    return variable.owner is None and not (allocated_by_program(variable) or is_separate(context, variable))


def is_separate(context, variable):
    """Whether a variable is an argument of a separate module procedure, which is declared in an interface body, too: its name
    and shape stay, and a BLOCK around the statements has the view of the array."""
    return variable.dummy and variable.unit.opened and is_separate_procedure(context, variable.unit)


def is_separate_procedure(context, unit):
    first = context.items[unit.first].words
    return unit.kind == "procedure" or unit.kind in _ENDING and any(word.text == "module" for word in first[:-1])


def declared_view(context, array):
    """The declaration of the view of an argument that keeps its name."""
    variable = array.symbol.declaration
    return view(context, variable, not created_anew(context, variable.unit))


def view(context, variable, save=True):
    """The declaration of the variable that shows an array's block. save: else it may be freed at the end, and loops of internal
    procedures do not vectorise."""
    attributes = _attributes(variable, _KEPT) + ", save" * (save and not variable.has("save"))
    colons = ", ".join(":" * len(variable.bounds))
    codimensions = f"[{', '.join(':' * len(cobounds(variable)))}]" if variable.has("codimension") else ""
    return f"{view_type(context, variable)}{attributes}, allocatable :: {variable.name}({colons}){codimensions}"


def created_anew(context, unit):
    """Whether a procedure or BLOCK creates its objects each time and ends them with it: several calls are active at a time, or
    each gives its templates another shape."""
    if unit.kind not in _ENDING:
        return False
    words = [word.text for word in context.items[unit.procedure.first].words]
    recursive = unit.procedure.kind in _ENDING and "recursive" in words[: words.index(unit.procedure.kind)]
    own = (e for e in context.model.entities(unit) if isinstance(e, TemplateEntity) and e.scope is unit)
    holds = (held(a) and not allocated_by_program(a.symbol.declaration) for a in context.model.arrays if a.symbol.scope is unit)
    return recursive or any(fixed_later(template) for template in own) or any(holds)


def fixed_later(template):
    """Whether a template gets its shape or sizes by template_fix."""
    return template.bounds is None or any(f.size == "*" for f in template.formats or ())


class Declared:
    """Rewrites the statements that declare global arrays and their local aliases."""

    def __init__(self, context, variables):
        self.context, self.variables = context, variables
        self.dummies = context.dummies
        for variable in variables:
            if variable.dummy:
                self.dummies[variable] = context.name(variable.name + "_xmp_dummy")
        self.items = {}  # Item -> those of the variables that are in it
        for variable in variables:
            for item, _ in variable.mentions:
                self.items.setdefault(item, []).append(variable)

    def write(self):
        for item, variables in self.items.items():
            self._rewrite(item, variables)
        for variable, name in self.dummies.items():
            self._rename_dummy(variable, name)

    def _rewrite(self, item, variables):
        kept = without(item, [words for variable in variables for at, words in variable.mentions if at is item])
        new = [text for variable in variables if self._place(variable) is item for text in self._declaration(variable)]
        self.context.edits.statement(item.statement, "; ".join([*([kept] if kept else []), *new]))

    @staticmethod
    def _place(variable):
        """Where its new declaration stands: that of its type, or the first statement about it."""
        return variable.item if variable.item is not None else variable.mentions[0][0]

    def _declaration(self, variable):
        if variable.unit.kind == "blockdata":  # which may have no allocatable
            if initial_values.are_given(variable):
                yield initial_values.declaration(self.context, variable, _bounds(variable))
            return
        if variable.unit in self.context.shared:
            return  # common.CommonModule has it
        colons = ", ".join(":" * len(variable.bounds))
        if variable.is_result:
            typed = f"{view_type(self.context, variable)}, " if variable.item is not None else ""
            yield (
                f"{typed}pointer, contiguous :: {variable.name}({colons})"
                if typed
                else (f"pointer :: {variable.name}({colons}); contiguous :: {variable.name}")
            )
            return
        if variable in self.dummies:
            attributes = _attributes(variable, ("intent", "optional", "target", "asynchronous", "volatile"))
            # The shape stays, by which interfaces and generic names know the procedure.
            shape = ", ".join(_bounds(variable))
            yield f"{variable.type}{attributes} :: {self.dummies[variable]}({shape})"
        dummy = variable in self.dummies
        saved = variable.declarations.saved or variable.has("save") and not dummy
        yield view(self.context, variable, not saved and not created_anew(self.context, variable.unit))
        if initial_values.are_given(variable):
            yield initial_values.declaration(self.context, variable, _bounds(variable))

    def _rename_dummy(self, variable, name):
        """In the statements that list the arguments."""
        file, declarations = self.context.file, variable.declarations
        unit = variable.unit
        for item in (file.items[unit.first], *declarations.entries):
            for word in item.words[1:]:
                if word.text == variable.name and word.kind == "identifier":
                    self.context.edits.word(item.statement, word, name)


def _bounds(variable):
    """The texts of the dimensions as they are declared."""
    for d, (low, high) in enumerate(variable.bounds):
        last = "*" if high is None and d + 1 == len(variable.bounds) and _assumed_size(variable) else high or ""
        yield last if low == "1" and last else f"{'' if low == '1' else low}:{last}"


def _assumed_size(variable):
    """Whether the last bound is `*`, or 1: text_of bounds keeps `*` and `:` apart only in the words."""
    words = next(words for _, words in variable.mentions if len(words) > 1 and words[1].text == "(")
    return any(word.text == "*" for word in words) or words[closing(words, 1) - 1].text == "1"


def _attributes(variable, wanted):
    return "".join(f", {_attribute(variable, name)}" for name in wanted if variable.has(name))


def _attribute(variable, name):
    """As in the type declaration (`intent(in)`), or as a statement gives it."""
    words = variable.attributes[name]
    if words[0].text != name:
        return name
    return "".join(word.text for word in words)


def without(item, entities):
    """The text of a declaring statement without some of what it declares; None if nothing is left."""
    words, text = item.words, item.statement.text
    gone = {word for words_ in entities for word in words_}
    first = words[0].text
    if first == "common":
        return _common_without(words, text, gone)
    if item.kind == "declaration":
        base, type_, attributes, _, found = read(item)
        left = [entity for entity in found if entity.word not in gone]
        if not left:
            return None
        head = type_ + "".join(", " + text[part[0].start : part[-1].end] for part in attributes) + " ::"
        return f"{head} {', '.join(text[e.words[0].start : e.words[-1].end] for e in left)}"
    at = 2 if len(words) > 1 and words[1].text == "::" else 1
    parts = [part for part in split(words[at:]) if part and part[0] not in gone]
    if not parts:
        return None
    return f"{first} :: " * (at == 2) + f"{first} " * (at == 1) + ", ".join(text[p[0].start : p[-1].end] for p in parts)


def _common_without(words, text, gone):
    """Blocks that become empty go."""
    blocks, at, head = [], 1, "/ /"
    while at < len(words):
        if words[at].text == "//":
            head, at = "//", at + 1
        elif words[at].text == "/":
            named = words[at + 1].text != "/"
            head, at = (f"/{words[at + 1].text}/", at + 3) if named else ("//", at + 2)
        end = next((n for n in range(at, len(words)) if words[n].text in ("/", "//")), len(words))
        parts = [part for part in split(words[at:end]) if part and part[0] not in gone]
        if parts:
            blocks.append(f"{'//' if head == '/ /' else head} {', '.join(text[p[0].start : p[-1].end] for p in parts)}")
        at = max(end, at + 1)
    return f"common {' '.join(blocks)}" if blocks else None
