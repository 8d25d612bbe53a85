"""Program units of a file that describe the same COMMON blocks by the same directives, because they include one text or hold
copies of it: a module declares and creates for all of them what it describes. Else the descriptions would be most of what the
compiler has to read."""

import re

from ...directives.tree import expressions
from ...plan import mapping as plan
from ..reading.constants import value
from .arrays import view
from .context import Root
from .mapping import Creation
from .views import numeric

# Of kumihimo_generated the compiler takes all types into the module, whatever `only` says, and reads them for each unit.
_OBJECTS = "use, intrinsic :: iso_c_binding, only: xmp_object => c_ptr, xmp_null => c_null_ptr"
_NAME = re.compile(r"\b[a-z]\w*\b", re.I)


class CommonModule:
    """What the translation adds for units with one description. units: in the file's order."""

    def __init__(self, context, units, steps):
        self.context, self.units = context, units
        self.name = f"xmp_common_{units[0].name or 'main'}"
        self.procedure = f"xmp_declare_common_{units[0].name or 'main'}"
        self.root = Root(context, units[0])
        self.creation = Creation(context, units[0], steps, self.root)

    @property
    def call(self):
        """The line that creates everything, unless it exists."""
        return f"call {self.procedure}()"

    def write(self):
        program = main_program(self.context)
        first = min(unit.first for unit in [self.units[0], *([program] if program is not None else [])])
        self.context.lines_before(self.context.items[first], self._lines(), first=True)

    def _lines(self):
        objects = self.creation.objects
        arrays = [step.array for step in self.creation.steps if isinstance(step, plan.Array)]
        return [
            f"module {self.name}  ! what directives say of COMMON blocks",
            f"  {_OBJECTS}",
            "  implicit none",
            "  private",
            *(f"  {view(self.context, array.symbol.declaration)}" for array in arrays),
            f"  type(xmp_object), save :: {', '.join(f'{name} = xmp_null' for name in objects)}",
            f"  public :: {', '.join([self.procedure, *objects, *(array.name for array in arrays)])}",
            "contains",
            *("  " + line for line in self._procedure()),
            "end module",
        ]

    def _procedure(self):
        known, begun, sites = self.context.name("known_xmp"), self.context.name("begun_xmp"), self.root.sites
        dimensions = [f"{name} = {text}" for text, name in self.creation.dimensions.items()]
        created = [*self.root.site_lines(), *dimensions, *self.creation.lasting, *self.creation.lines]
        kept = f"call XMP_Keep_common({known}, [{', '.join(self.creation.common)}])"
        lines = [*once(begun, [self.context.start, *created]), *self.creation.join, *self.creation.views, kept]
        return [
            f"subroutine {self.procedure}()",
            "  use kumihimo_generated",
            *(f"  integer, parameter :: {name} = {number}" for name, number in self._constants()),
            f"  type(xmp_object) :: {self.root.site_array}({len(sites)})",
            f"  type(XMP_Described) :: dimensions_xmp({len(dimensions)})",
            f"  logical, save :: {known} = .false., {begun} = .false.",
            *("  " + line for line in self.creation.initial),
            *("  " + line for line in once(known, lines)),
            "end subroutine",
        ]

    def _constants(self):
        """(name, value) of the named constants in what describes the objects."""
        declarations = self.context.scopes.of(self.units[0])
        names = sorted({name.lower() for text in self.creation.constants for name in _NAME.findall(text)})
        return [(name, value(self.context.words(name), declarations)) for name in names]


def main_program(context):
    """The one of the file, or None. It creates what the file says of COMMON blocks before a task can."""
    return next((unit for unit in context.file.units if unit.kind == "program"), None)


def check(context, arrays):
    """All program units of a file that declare a COMMON block must have the directives for the global arrays in it."""
    mapped = {}  # name of a block -> place there -> its array
    for array in arrays:
        variable = array.symbol.declaration
        if variable.common is not None and not array.failed:
            mapped.setdefault(variable.common, {})[variable.place] = array
    for unit in context.file.units if mapped else ():
        for variable in context.scopes.of(unit).variables.values():
            array = mapped.get(variable.common, {}).get(variable.place)
            if array is not None and context.model.array(variable) is None:
                others = f"other descriptions of COMMON /{variable.common}/"
                message = f"'{variable.name}' is a global array in {others}, and needs its directives here, too"
                notes = [("it is aligned here", array.align.array)]
                help = "put the block and its directives into a file that all program units include"
                context.error("XMP-E134", message, variable.word, notes, help)


def once(known, lines):
    """Lines that run at the first call, which a logical variable tells."""
    return [f"if (.not. {known}) then", f"  {known} = .true.", *("  " + line for line in lines), "end if"]


class Groups:
    """Finds the units that share a description, while directives are read. A unit that joins one knows the entities of the
    first, as it would know those of a module."""

    def __init__(self, context):
        self.context = context
        self._first = {}  # description -> the first unit that has it
        self._units = {}  # first unit -> all, in order
        self._said = {}  # id of a list of directives -> what _say finds in it

    @property
    def joined(self):
        """The units that know the entities of another one."""
        return {unit for units in self._units.values() for unit in units[1:]}

    def join(self, unit, found):
        """Whether the unit's declarative directives are those of an earlier one, which need not be read again. found: lists of
        those that stand together."""
        description = self._description(unit, found)
        first = self._first.setdefault(description, unit) if description is not None else unit
        if first is unit:
            return False
        self._units.setdefault(first, [first]).append(unit)
        model, variables = self.context.model, self.context.scopes.of(unit).variables
        for entity in model.entities(first):
            model.use(unit, entity.name, entity)
        for array in [array for array in model.arrays if array.symbol.scope is first]:
            model.same_array(variables[array.name], array)
        return True

    def _description(self, unit, found):
        """What is equal in two units whose directives mean the same: all arrays lie in COMMON, and everything is constant. None
        for a unit that cannot share."""
        declarations = self.context.scopes.of(unit)
        own = unit is unit.root and unit.kind in ("program", "subroutine", "function")
        if not own or _recursive(self.context, unit) or any(use.found for use in declarations.uses):
            return None
        said = [self._said.get(id(one)) or self._say(one) for one in found]
        if None in said:
            return None
        variables = [declarations.variables.get(name) for _, names, _ in said for name in names]
        if not variables or not all(map(_plain, variables)):
            return None
        constants = self._constants(declarations, {text for _, _, texts in said for text in texts}, variables)
        described = tuple((v.name, v.type, v.common, v.place, *v.bounds, *sorted(v.attributes)) for v in variables)
        return (tuple(text for text, _, _ in said), described, constants) if constants is not None else None

    def _say(self, directives):
        """(text, names of arrays, texts of expressions) of directives that stand together, or None."""
        if not all(map(_shareable, directives)):
            return None
        arrays = dict.fromkeys(directive.array.text for directive in directives if directive.kind in ("align", "shadow"))
        texts = {expression.text for directive in directives for expression in expressions(directive)}
        self._said[id(directives)] = directives[0].text, list(arrays), texts
        return self._said[id(directives)]

    def _constants(self, declarations, texts, variables):
        """(name, value) of all names in expressions; None if one is not constant."""
        texts.update(text for variable in variables for pair in variable.bounds for text in pair)
        if None in texts:
            return None
        names = sorted({name.lower() for text in texts for name in _NAME.findall(text)})
        values = [value(self.context.words(name), declarations) for name in names]
        return None if None in values else tuple(zip(names, values))

    def variables(self):
        """What they declare as these entities."""
        model = self.context.model
        own = (variable for unit in self.joined for variable in self.context.scopes.of(unit).variables.values())
        return [variable for variable in own if model.array(variable) is not None]

    def modules(self, steps):
        """Unit -> its CommonModule. steps: Unit -> Steps of its declarative directives. What a single unit describes has one
        where a main program can use it."""
        groups = list(self._units.values())
        if main_program(self.context) is not None:
            groups += [[unit] for unit in self._first.values() if unit not in self._units and unit.kind != "program"]
        made = [CommonModule(self.context, units, steps.get(units[0], [])) for units in groups]
        return {unit: module for module in made for unit in module.units}


def _shareable(directive):
    """Whether a declarative directive means the same in each unit, and each time."""
    if directive.kind == "nodes":
        return all(declaration.of is None for declaration in directive.declarations)
    if directive.kind == "template":
        return all(None not in declaration.bounds for declaration in directive.declarations)
    if directive.kind == "distribute":
        return all(not isinstance(format.argument, str) and format.kind != "gblock" for format in directive.formats)
    return directive.kind in ("align", "shadow")


def _recursive(context, unit):
    first = context.items[unit.first].words
    return unit.opened and any(word.text == "recursive" for word in first)


def _plain(variable):
    """A variable in COMMON whose type means the same in another procedure, and that gets no values in this one."""
    if variable is None or variable.common is None or variable.initial is not None or not numeric(variable):
        return False
    names = set(_NAME.findall(variable.type.lower())) - {"integer", "real", "complex", "logical", "double", "precision", "kind"}
    return not names


def idle(context, unit, module):
    """Whether a program unit has no use of what it declares."""
    units = [one for one in context.file.units if one.root is unit]
    arrays = [step.array for step in module.creation.steps if isinstance(step, plan.Array)]
    named = context.named(unit)
    return not any(context.executable_directives(one) for one in units) and not any(a.name in named for a in arrays)
