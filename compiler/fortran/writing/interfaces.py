"""External procedures with coarray arguments whose interface gfortran wants to see where they are called. Where they stand in
the same file, the unit that calls them gets it among its declarations. If it declares the name itself, as EXTERNAL or with a
type, a BLOCK around all that it executes has the interface: there nothing else says what the name is."""

from . import pragmas


def write(context):
    """Written when all else stands before and behind a unit's statements."""
    external = _external(context)
    called = {}  # Unit -> names of those that it calls, in their order
    for position, item in enumerate(context.items if external else ()):
        if item.unit is not None and item.executable and not item.statement.directive:
            names = [name for name in _called(context, position) if name in external and _implicit(context, position, name)]
            called.setdefault(item.unit.procedure, {}).update(dict.fromkeys(names))
    for unit, names in called.items():
        first = context.items[pragmas.beginning(context, unit)]
        declarations = context.scopes.of(unit)
        declared = [name for name in names if name in declarations.variables]
        others = [name for name in names if name not in declared]
        if declared and not declarations.entries:  # an ENTRY stands in no construct
            context.lines_before(first, ["block", *_interface(context, external, declared)], head=True)
            last = context.items[unit.end if unit.contains is None else unit.contains]
            context.lines_before(last, ["end block"], first=True)
        if others:
            context.lines_before(first, _interface(context, external, others), first=True)


def _interface(context, external, names):
    return ["interface", *(line for name in names for line in _body(context, external[name])), "end interface"]


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
    places = {position for position in unit.items if _of_arguments(items[position], declarations)}
    places.update(_definitions(context, unit))
    inside = [items[position].statement.text for position in sorted(places) if unit.first < position < unit.start]
    return [items[unit.first].statement.text, *("  " + text for text in inside), f"end {unit.kind}"]


def _definitions(context, unit):
    """Positions of a unit's definitions of types, and of interface blocks, which may be those of its arguments."""
    for position in unit.bodies:
        if context.items[position].kind in ("typedefinition", "interface"):
            yield from range(position, context.items[position].end + 1)


def _of_arguments(item, declarations):
    first = item.words[0].text
    if item.statement.directive or first in ("data", "format", "entry", "namelist", "save", "include", "common", "equivalence"):
        return False
    if item.kind == "specification" and first in ("use", "implicit", "import", "parameter"):
        return True
    named = (declarations.variables.get(word.text) for word in item.words if word.kind == "identifier")
    wanted = [one for one in named if one is not None and (one.dummy or one.is_result or one.has("parameter"))]
    return bool(wanted) and item.kind in ("declaration", "specification")
