"""The translation of a file: directives and global arrays to edits. First all directives are read, then what they declare is
planned, then what they do, at last what program units need at their heads."""

from ...directives.parser import DirectiveError, parse, shortened
from ...plan.directives import plan
from ...plan.gmove import Gmove
from ...plan.loop import Loop, TaskLoop
from ...plan.mapping import TemplateFix, declarations
from ...plan.task import Task
from ...plan.task import Tasks as TasksStep
from ..reading.modules import text_of_module
from ..reading.names import undeclared
from ..reading.structures import without_components
from . import (
    aliases,
    allocation,
    arguments,
    array_construct,
    arrays,
    coarrays,
    common,
    communication,
    direct,
    entries,
    first_elements,
    following,
    functions,
    initial_values,
    inquiries,
    interfaces,
    library,
    master_io,
    omni_collectives,
    reduced_types,
    references,
    repairs,
    results,
    structures,
    subscripts,
    templates,
)
from .edits import indentation
from .global_io import GlobalIo
from .loops import Loops
from .mapping import Creation
from .owners import is_component
from .places import Places
from .prologue import Prologues, procedure_of
from .sides import gmove
from .tasks import Tasks


def lower(context):
    """Records the edits for the whole file."""
    groups = common.Groups(context)
    declarative = _read(context, groups)
    context.model.finish()
    if not context.diagnostics.ok:
        return
    own = [array for array in context.model.arrays if array.symbol.scope in context.scopes.declarations]
    for array in own:
        if array.dimensions is not None:
            arrays.check(context, array)
            arrays.keep(context, array)
    results.check(context)
    results.find_all(context)
    references.check_all(context)
    coarrays.check(context)
    context.aliases = aliases.read(context)
    mapped = [array for array in own if array.dimensions is not None and not array.failed]
    rewritten = [array.symbol.declaration for array in mapped if arrays.rewritten(context, array)]
    common.check(context, mapped)
    steps = _steps(context, declarative, groups.joined)
    context.shared = groups.modules(steps)
    shown = [alias.variable for array in mapped for alias in context.aliases.get(array, ())]
    declared = arrays.Declared(context, [*rewritten, *groups.variables(), *shown])
    declared.write()
    arguments.rename(context, declared.dummies)
    own = {unit: planned for unit, planned in steps.items() if unit not in context.shared}
    creations = {unit: Creation(context, unit, planned) for unit, planned in own.items()}
    entries.check(context, creations)
    following.write(context)
    initial_values.write(context, mapped)
    _executable(context)
    allocation.write(context)
    inquiries.write(context)
    structures.write(context)
    first_elements.write(context)
    subscripts.write(context)
    direct.write(context, coarrays.write(context))
    repairs.write(context)
    omni_collectives.write(context)
    library.write(context)
    functions.write(context)
    if context.diagnostics.ok:
        Prologues(context, creations, declared.dummies).write()
        results.write_calls(context)
        interfaces.write(context)
        reduced_types.write(context)
        context.modules = _modules(context, declared.dummies)


def lower_coarrays(context):
    """The same of a file that has coarrays and no directives."""
    repairs.write(context)
    omni_collectives.write(context)
    direct.write(context, ())
    interfaces.write(context)
    reduced_types.write(context)
    context.modules = _modules(context, {})


def _modules(context, dummies):
    """Name of each module of the file that other files must know -> the text of its file."""
    units = [unit for unit in context.file.units if unit.kind == "module"]
    known = [unit for unit in units if context.model.entities(unit) or context.root(unit).modules]
    coarrays_only = [unit for unit in units if unit not in known and _has_coarrays(context.scopes.of(unit))]
    results_of = [a.symbol.scope for a in context.model.arrays if a.symbol.declaration.is_result]
    functions = list(dict.fromkeys(results_of))
    texts = {unit.name: text_of_module(context.file, unit, {}, (), directives=False) for unit in coarrays_only}
    for unit in known:
        texts[unit.name] = text_of_module(context.file, unit, arguments.of_procedures(dummies, unit), functions)
    return texts


def _has_coarrays(declarations):
    return any(one.has("codimension") for one in (*declarations.variables.values(), *declarations.imported.values()))


# ---- first pass: every directive to the parser, declarations to the model ----


def _read(context, groups):
    """(position, directives) of the declarative ones."""
    found, places = [], Places(context)
    for unit in context.file.units:
        _import(context, unit)
        own = _declarative(context, places, unit)
        if not groups.join(unit, [parsed for _, parsed in own]):
            own = [(position, parsed) for position, parsed in own if _enter_directives(context, parsed, unit, position)]
        found += own + _of_components(context, unit)
    places.in_bodies()
    _of_interfaces(context)
    return found


def _declarative(context, places, unit):
    """(position, directives) of those in a unit, when all of its directives are parsed."""
    found = []
    for position in unit.items:
        item = context.at = context.items[position]
        parsed = _directive(context, places, unit, position, item) if item.kind == "directive" else []
        found += [(position, parsed)] if parsed and not parsed[0].executable else []
    return found


def _enter_directives(context, parsed, unit, position):
    """Enters declarative directives into the model. False if they have names that are not declared."""
    context.at = context.items[position]
    if not _declared(context, parsed, unit):
        return False
    for directive in parsed:
        context.model.declare(directive, unit, position, lambda name: arrays.symbol(context, unit, name))
    return True


def _of_components(context, unit):
    """What directives about components of derived types declare in a unit."""
    found = []
    for position, words in context.structures.directives(unit):
        item = context.at = context.items[position]
        parsed = _parsed(context, item, words)
        _enter_directives(context, parsed, unit, position)
        found.append((position, parsed))
    return found


def _of_interfaces(context):
    """What interface bodies say of the results of functions."""
    for body in context.file.interfaces:
        declarations = context.scopes.declarations.get(body)
        if declarations is not None and declarations.results:
            _import(context, body)
            _declare(context, declarations, body.bodies)


def _import(context, unit):
    """The nodes and templates of the modules that a unit uses, and of the module that a submodule extends."""
    ancestor = context.scopes.ancestors.get(unit)
    if ancestor is not None:
        _enter(context, ancestor)
        for entity in context.model.entities(ancestor.unit):
            context.model.use(unit, entity.name, entity)
    for use in context.scopes.of(unit).uses:
        module = use.found
        if module is None:
            continue
        _enter(context, module)
        for entity in context.model.entities(module.unit):
            named = use.local_names(entity.name)
            for local in named or [entity.name]:  # what `only` leaves out is known all the same, unless declared here
                context.model.use(unit, local, entity, hideable=not named)
        _needs(context, context.root(unit), module)


def _enter(context, module):
    """What a module of another file declares becomes known to the model, once."""
    if module.unit in context.entered or module.file is context.file:
        return
    context.entered.add(module.unit)
    for use in module.declarations.uses:
        if use.found is not None:
            _enter(context, use.found)
            for entity in context.model.entities(use.found.unit):
                context.model.use(module.unit, entity.name, entity)
    _declare(context, module.declarations, module.unit.items)
    for function in module.functions:
        for use in function.uses:
            for entity in context.model.entities(use.found.unit) if use.found is not None else ():
                context.model.use(function.unit, entity.name, entity, hideable=True)
        _declare(context, function, function.unit.bodies)


def _declare(context, declarations, positions):
    """The directives of a unit of another file, or of a function's interface body: there those about its result."""
    items = declarations.file.items
    before = -len(items) if declarations.file is not context.file else 0
    for position in positions:
        for directive in _valid(items[position]):
            if not directive.executable and not _about_argument(directive, declarations):
                find = lambda name: arrays.symbol_of(declarations, name)  # noqa: E731
                context.model.declare(directive, declarations.unit, before + position, find)


def _valid(item):
    """The directives of a statement in a body; Places tells of those that are wrong."""
    words = without_components(item.words) if item.kind == "directive" else None
    try:
        return parse(words, "Fortran", words[0]) if words else []
    except DirectiveError:
        return []


def _about_argument(directive, declarations):
    results = {result.name for result in declarations.results.values()}
    return bool(results) and directive.kind in ("align", "shadow") and directive.array.text not in results


def _needs(context, root, module):
    """A program unit that uses a module, perhaps by way of others, uses what the translation added to it."""
    names = [context.object(entity) for entity in context.model.entities(module.unit) if entity.scope is module.unit]
    own = (a for a in context.model.arrays if a.symbol.scope is module.unit and a.dimensions is not None)
    names += [context.object(a) for a in own if not is_component(a)]
    if names and module.unit is not root.unit:
        root.modules[module.name] = [procedure_of(module.name), *names]
    for use in module.declarations.uses:
        if use.found is not None:
            _needs(context, root, use.found)


def _directive(context, places, unit, position, item):
    words = without_components(item.words)
    if words is None:
        return []  # _of_components
    parsed = context.parsed[position] = _parsed(context, item, words)
    if not parsed or not places.allows(unit, position, parsed[0]):
        parsed = context.parsed[position] = []
    return parsed


def _declared(context, directives, unit):
    """Whether all names in the expressions of a directive are declared; each one that is not is told."""
    declarations = context.scopes.of(unit)
    unknown = [word for directive in directives for word in undeclared(directive, declarations)]
    for word in unknown:
        context.undeclared("XMP-E180", "variable", word.text, word, declarations.names())
    return not unknown


def _parsed(context, item, words):
    """Units that include one text share its declarative directives."""
    key = id(words)
    if key in context.known_directives:
        return context.known_directives[key]
    try:
        parsed = parse(words, "Fortran", words[0] if words else None)
        if words is item.words and not any(directive.executable for directive in parsed):
            context.known_directives[key] = parsed
        return parsed
    except DirectiveError as error:
        context.error(error.code, error.message, error.word, error.notes, error.help)
        context.model.doubt(item.words)
        return []


# ---- second pass: what is declared, and executable directives ----


def _steps(context, declarative, joined):
    """Unit -> Steps of its declarative directives. joined: units whose directives are those of another one."""
    steps, at = {}, {}
    for position, directives in declarative:
        at.setdefault(position, []).extend(directives)
    for position, directives in at.items():
        unit = context.unit(position)
        steps.setdefault(unit, []).extend(declarations(context, directives, position) if unit not in joined else ())
        executable = any(directive.executable for directive in context.parsed.get(position, ()))  # where a component is used
        if context.items[position].kind == "directive" and not executable:
            _replace(context, position, "")
    return steps


# Directives that become statements in front of the one which they govern.
_IN_FRONT = ("loop", "gmove", "array")


def _labels(context, ends):
    """A jump to a statement leads to what its directive becomes, too."""
    for position, directives in context.parsed.items():
        governed = context.following(position)
        if directives and directives[0].kind in _IN_FRONT and context.items[governed].label is not None:
            context.lines_before(context.items[position], context.unlabelled(context.items[governed]))
            ends.separate(governed)


def _executable(context):
    tasks, loops, global_io = Tasks(context), Loops(context), GlobalIo(context)
    writers = {Loop: loops.loop, TaskLoop: loops.task_loop, Task: tasks.task, TasksStep: tasks.tasks}
    writers[Gmove] = lambda step: gmove(context, step)
    writers[TemplateFix] = lambda step: templates.fix(context, step)
    _labels(context, loops.ends)
    for position in sorted(context.parsed):
        directives = context.parsed[position]
        if not directives or not directives[0].executable:
            continue
        directive, context.at = directives[0], context.items[position]
        if directive.kind == "end" and directive.what in ("task", "tasks"):
            text = tasks.end(directive)
        elif directive.kind == "global_io" or directive.kind == "end" and directive.what == "global_io":
            text = global_io.write(directive, position)
        elif directive.kind == "file_sync_all":
            text = global_io.synchronise(directive, position)
            _declared(context, directives, context.unit(position))
        elif directive.kind in coarrays.STATEMENTS:
            coarrays.refer_to_statement(context, directive)
            continue
        elif master_io.concerns(directive):
            master_io.write(context, loops.ends, directive, position)
            text = ""
        elif directive.kind == "array":
            text = array_construct.write(context, directive, position) or ""
            _declared(context, directives, context.unit(position))
        else:
            step = plan(context, directive, position)
            if step is None or not _declared(context, directives, context.unit(position)):
                tasks.failed(directive)
                continue
            writer = writers.get(type(step))
            text = writer(step) if writer else "; ".join(communication.statements(context, step)) or "continue"
        _replace(context, position, text)
    master_io.write_others(context, loops.ends)
    results.write(context, loops.ends)
    tasks.finish()
    loops.finish()


def _replace(context, position, text):
    """What takes the place of a directive, indented as the statement before or behind it. The directive stays as a comment, no
    longer one for us."""
    lines, item = context.file.source.lines, context.items[position]
    words = " ".join(item.statement.text.split())
    own = indentation(lines[item.statement.first_line])
    behind = (context.items[at] for at in range(position + 1, len(context.items)))
    near = next((item for item in behind if not item.statement.directive), None) if not own else None
    indent = indentation(lines[near.statement.first_line]) if near is not None else ""
    comment = "! xmp: " + shortened(words, 100)
    context.edits.statement(item.statement, f"{indent}{text}  {comment}" if text else indent + comment)
