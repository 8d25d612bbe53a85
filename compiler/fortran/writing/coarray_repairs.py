"""What gfortran refuses although there is no doubt what is meant: coarrays of procedures without SAVE, whole arrays of other
images without `(:)`, and external procedures with coarray arguments whose interface stands in the same file."""

from ..reading.coindexed import array_rank, coindexed

_PROCEDURES = ("subroutine", "function", "procedure")


def write(context):
    """Edits of all units."""
    for unit in context.file.units:
        if unit.procedure.kind in _PROCEDURES:
            _save(context, unit)
    external = _external(context)
    for position, item in enumerate(context.items):
        if item.statement.directive or item.unit is None:
            continue
        _sections(context, position)
        if external:
            _interfaces(context, position, external)


# ---- SAVE ----


def _save(context, unit):
    """A coarray has its memory before the procedure begins and keeps it: it cannot be what a variable without SAVE is."""
    declarations = context.scopes.of(unit)
    if declarations.saved:
        return
    for variable in declarations.variables.values():
        if not _unsaved(variable) or variable.item is None:
            continue
        if any(_varies(context, text, unit) for pair in variable.bounds for text in pair):
            continue  # an automatic array, which cannot be one: gfortran says it
        context.edits.after(variable.item.statement, f"; save :: {variable.name}")
        message = f"the coarray '{variable.name}' of a procedure keeps its value from call to call"
        context.diagnostics.warning("XMP-W223", message, variable.word, (), "write save in its declaration")


def _unsaved(variable):
    kept = ("allocatable", "pointer", "save", "parameter", "associated")
    return variable.has("codimension") and not variable.dummy and not any(map(variable.has, kept)) and variable.initial is None


def _varies(context, text, unit):
    return text is not None and context.constant(text, unit) is None


# ---- a[k] of an array ----


def _sections(context, position):
    item = context.items[position]
    for one in coindexed(item, context.declarations(position)):
        before = item.words[one.opening - 1]
        rank = array_rank(one, item.words) if before.kind == "identifier" else 0
        if rank:
            context.edits.after_word(item.statement, before, f"({', '.join(':' * rank)})")


# ---- interfaces ----


def _external(context):
    """Name -> Unit of the external procedures of the file that have coarrays as arguments."""
    found = {}
    for unit in context.file.units:
        if unit.kind in ("subroutine", "function"):
            taken = unit.name in found or unit.parent is not None
            found[unit.name] = None if taken else unit
    return {name: unit for name, unit in found.items() if unit is not None and _takes_coarrays(context, unit)}


def _takes_coarrays(context, unit):
    return any(one.dummy and one.has("codimension") for one in context.scopes.of(unit).variables.values())


def _interfaces(context, position, external):
    """The interface of a procedure around the statement that calls it, in a BLOCK: there nothing else says what the name is."""
    item = context.items[position]
    if item.kind not in ("assignment", "call") and item.guarded is None or item.label is not None:
        return
    called = [
        name for name in dict.fromkeys(_called(context, position)) if name in external and _implicit(context, position, name)
    ]
    if called:
        bodies = [line for name in called for line in _body(context, external[name])]
        context.lines_before(item, ["block", "interface", *bodies, "end interface"])
        context.edits.after(item.statement, "; end block")


def _called(context, position):
    """Names that may be those of procedures."""
    words = context.items[position].words
    for number, word in enumerate(words):
        behind_call = number > 0 and words[number - 1].text == "call"
        with_arguments = number + 1 < len(words) and words[number + 1].text == "("
        if word.kind == "identifier" and (behind_call or with_arguments) and (not number or words[number - 1].text != "%"):
            yield word.text


def _implicit(context, position, name):
    """Whether a name means an external procedure without an interface."""
    unit = context.unit(position)
    variable = context.scopes.of(unit).lookup(name)
    if variable is not None and (variable.bounds or variable.dummy or variable.has("parameter")):
        return False
    bodies = (body for body in context.file.interfaces if body.name == name)
    return unit.procedure.name != name and not any(body.root is unit.root for body in bodies)


def _body(context, unit):
    """The lines of an interface body: what says something about arguments and the result."""
    items, declarations = context.file.items, context.scopes.of(unit)
    lines = [items[unit.first].statement.text]
    for position in sorted([*unit.items, *_types(context, unit)]):
        item = items[position]
        if unit.first < position < unit.start and _of_arguments(item, declarations):
            lines.append("  " + item.statement.text)
    return [*lines, f"end {unit.kind}"]


def _types(context, unit):
    """Positions of a unit's definitions of types."""
    for position in unit.bodies:
        if context.items[position].kind == "typedefinition":
            yield from range(position, context.items[position].end + 1)


def _of_arguments(item, declarations):
    first = item.words[0].text
    if item.statement.directive or first in ("data", "format", "entry", "namelist", "save", "include", "common", "equivalence"):
        return False
    if item.unit is None or item.kind == "specification" and first in ("use", "implicit", "import", "parameter"):
        return True
    named = (declarations.variables.get(word.text) for word in item.words if word.kind == "identifier")
    wanted = [one for one in named if one is not None and (one.dummy or one is declarations.result or one.has("parameter"))]
    return bool(wanted) and item.kind in ("declaration", "specification")
