"""Program units of a file that describe the same COMMON blocks by the same directives, because they include one text: a
procedure creates the objects for all of them. Else the descriptions would be most of what the compiler has to read."""

import re

from ...plan import mapping as plan
from ..reading.constants import value
from .arrays import created_anew
from .views import numeric

_NAME = re.compile(r"\b[a-z]\w*\b", re.I)
_OBJECT = re.compile(r"\b[a-z]\w*_xmp\d*\b", re.I)


class Shared:
    """The units that share a Creation: `first` has the procedure behind it, `name` is what the procedure is called."""

    def __init__(self, context, units, creations):
        self.context, self.units, self.creation = context, units, creations[units[0]]
        self.name = f"xmp_common_{units[0].name or 'main'}"

    @property
    def of_program(self):
        """Whether a main program is among them, which creates everything before any other can."""
        return any(unit.kind == "program" for unit in self.units)

    def call(self, creation):
        """The call in a unit, which gets the objects."""
        return f"call {self.name}({', '.join(creation.objects)})"

    def write(self):
        last = self.context.items[self.units[0].end]
        lines = [self.context.indented(last, line) for line in self._procedure()]
        self.context.edits.lines_behind(last.statement.last_line, lines)

    def _procedure(self):
        context, objects = self.context, self.creation.objects
        arrays = [step.array for step in self.creation.steps if isinstance(step, plan.Array)]
        known, constants = self.context.name("known_xmp"), _constants(context, self.creation)
        root = context.root(self.units[0])
        numbers = sites(context, self.creation)
        created = [*root.site_lines(numbers), *self.creation.lines, f"made_xmp = [{', '.join(objects)}]"]
        return [
            f"subroutine {self.name}({', '.join(objects)})  ! creates what directives say of COMMON blocks",
            "  use kumihimo_generated",
            "  implicit none",
            f"  type(xmp_object) :: {', '.join(objects)}",
            f"  type(xmp_object), save :: made_xmp({len(objects)}) = xmp_null, {root.site_array}({numbers[-1]})",
            f"  logical, save :: {known} = .false.",
            *(f"  integer, parameter :: {name} = {number}" for name, number in constants),
            *(f"  {array.symbol.declaration.type} :: {array.name}" for array in arrays),
            *("  " + line for line in once(known, ["call XMP_Start(XMP_ABI_VERSION)", *created])),
            *(f"  {name} = made_xmp({number})" for number, name in enumerate(objects, 1)),
            "end subroutine",
        ]


def once(known, lines):
    """Lines that run at the first call, which a logical variable tells."""
    return [f"if (.not. {known}) then", f"  {known} = .true.", *("  " + line for line in lines), "end if"]


def shared(context, creations):
    """Unit -> its Shared, for all units that share."""
    groups = {}
    for unit, creation in creations.items():
        if _can_share(context, unit, creation):
            groups.setdefault(_description(context, unit, creation), []).append(unit)
    found = [Shared(context, units, creations) for units in groups.values() if len(units) > 1]
    return {unit: one for one in found for unit in one.units}


def _can_share(context, unit, creation):
    """Whether everything is constant, and all arrays lie in COMMON."""
    arrays = [step.array for step in creation.steps if isinstance(step, plan.Array)]
    plain = all(_plain(array.symbol.declaration) for array in arrays)
    return (
        unit is unit.root and bool(arrays) and plain and not (creation.values or creation.entry or created_anew(context, unit))
    )


def _plain(variable):
    """A type that means the same in another procedure."""
    names = set(_NAME.findall(variable.type.lower())) - {"integer", "real", "complex", "logical", "double", "precision", "kind"}
    return variable.common is not None and numeric(variable) and not names


def _description(context, unit, creation):
    """What is equal in two units that can share."""
    objects = {name: f"@{number}" for number, name in enumerate(creation.objects)}
    root = context.root(unit)
    told = [root.sites[number - 1] for number in sites(context, creation)]
    text = "\n".join(creation.lines).replace(root.site_array, "@sites")
    arrays = [step.array for step in creation.steps if isinstance(step, plan.Array)]
    types = [(array.name, array.symbol.declaration.type) for array in arrays]
    text = _OBJECT.sub(lambda name: objects.get(name.group(), name.group()), text)
    return repr((text, told, types, _constants(context, creation)))


def sites(context, creation):
    """Numbers of the sites in a Creation's lines."""
    array = re.escape(context.root(creation.unit).site_array)
    return sorted({int(number) for number in re.findall(array + r"\((\d+)\)", "\n".join(creation.lines))})


def _constants(context, creation):
    """(name, value) of the named constants in what describes a Creation's objects."""
    declarations = context.scopes.of(creation.unit)
    names = sorted({name.lower() for text in creation.constants for name in _NAME.findall(text)})
    named = [name for name in names if declarations.lookup(name) is not None and declarations.lookup(name).has("parameter")]
    return [(name, value(context.words(name), declarations)) for name in named]


def idle(context, unit, creation):
    """Whether a program unit has no use of what it declares."""
    units = [one for one in context.file.units if one.root is unit]
    return not any(context.executable_directives(one) for one in units) and not any(
        context.uses(step.array) for step in creation.steps if isinstance(step, plan.Array)
    )
