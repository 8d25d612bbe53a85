"""What the translation adds to program units: modules at the head, variables for what directives declare, and lines at the
beginning of the executable part that create the objects and show each array its block. A module has a procedure for that,
which all call that use it."""

import re

from ..reading.statements import purity
from . import allocation, common, implicit
from .arrays import allocated_by_program, created_anew, declared_view, is_separate, undefined
from .common import once
from .entries import Entries, given, missing_values
from .owners import created
from .pragmas import beginning
from .results import has_view, is_allocated_later, is_handed_over
from .views import aliases_detached, attached, detached, interfaces, pointed

_MODULES = ("module", "submodule")
_RUNTIME = re.compile(r"\bXMP_|xmp_object|xmp_null")


class Prologues:
    """creations: Unit -> Creation of what its directives declare; dummies: Variable -> name of the dummy argument."""

    def __init__(self, context, creations, dummies):
        self.context, self.creations, self.dummies = context, creations, dummies
        self.endings = allocation.Endings(context)
        self.shared = context.shared
        self.active = []  # program units with something to create or to know
        self.enclosed = {}  # units whose statements are in a BLOCK -> its name, and what comes behind it

    def write(self):
        units = self.context.file.units
        active = self.active = [unit for unit in units if unit.parent is None and self._active(unit)]
        for unit in [unit for unit in units if unit.parent is not None and unit.root in active] + active:
            self._unit(unit)  # the program units last: then they know all sites
        for root in active:
            self._head(root)
        for module in dict.fromkeys(self.shared[root] for root in active if root in self.shared):
            module.write()
        self.endings.write()
        for unit, (name, behind) in self.enclosed.items():
            last = unit.end if unit.contains is None else unit.contains
            self.context.lines_before(self.context.items[last], [f"end block {name}", *behind])

    def _active(self, root):
        """A main program starts the runtime for all others, which may be anywhere. It creates what a unit describes without any
        use of it. BLOCK DATA executes nothing."""
        if root.kind == "blockdata":
            return False
        added = self.context.root(root)
        if root.kind != "program" and root in self.shared and not added.modules:
            if common.main_program(self.context) is not None and common.idle(self.context, root, self.shared[root]):
                return False
        return root.kind == "program" or root in self.shared or bool(added.sites or added.modules) or self._creates(root)

    def _creates(self, root):
        return any(unit.root is root and creation.steps for unit, creation in self.creations.items())

    # ---- one unit ----
    def _unit(self, unit):
        if unit.kind in _MODULES:
            self._module(unit)
        elif not purity(self.context.file.items[unit.procedure.first].words, unit.procedure):
            lines = self._created(unit) if unit.construct else self._lines(unit)
            texts = allocation.endings(self.context, unit, self.creations.get(unit))
            implied = implicit.declarations(self.context, unit)
            lines = [*implicit.mentions(self.context, unit), *lines]
            if lines or implied or self.context.attached.get(unit) or self._host_arguments(unit):
                self._insert(unit, lines, implied)
            if texts:
                name, behind = self.enclosed.get(unit, (None, ()))
                self.endings.add(unit, texts, name if behind else None)

    def _lines(self, unit, entry=None):
        """The executable lines at the beginning of a program or procedure, or behind one of its ENTRY statements."""
        names = given(self.context, unit, entry)
        dummies = [array for array in self._dummy_arrays(unit) if array.name in names]
        arguments = [line for array in dummies for line in self._argument(unit, array) if line]
        lines = [self.context.start] if unit.kind == "program" else []
        lines += [module.call for module in self._created_here(unit)]
        for array in (a for a in self.context.model.arrays if a.symbol.scope is unit and undefined(a)):
            lines += [f"nullify ({array.name})", *aliases_detached(self.context, array)]
        if not unit.internal:
            lines += self._modules_of(unit.root)
            if unit.parent is not None and unit.parent.kind in _MODULES:
                lines.append(f"call {procedure_of(unit.parent.name)}()")
        results = self._results(unit, entry)
        known = not missing_values(self.context, unit, self.creations.get(unit), entry)  # else all stays as it is
        return [*lines, *(self._created(unit) if known else []), *arguments, *results]

    def _created_here(self, unit):
        """The modules for COMMON blocks whose arrays a unit creates."""
        program = common.main_program(self.context)
        if unit is program:
            return dict.fromkeys(self.shared[root] for root in self.active if root in self.shared)
        return [self.shared[unit]] if unit in self.shared and program is None else []

    def _modules_of(self, root):
        """Calls for the modules that a program unit uses or extends."""
        ancestor = self.context.scopes.ancestors.get(root)
        names = [ancestor.name] if ancestor is not None and self._has_procedure(ancestor) else []
        names += [name for name in self.context.root(root).modules if name != root.name]
        return [f"call {procedure_of(name)}()" for name in names]

    def _has_procedure(self, module):
        return module.file is not self.context.file or self._active(module.unit)

    def _created(self, unit):
        """The part that runs at the first call, and again where a value is another one than last time."""
        context, creation = self.context, self.creations.get(unit)
        sites = [*context.root(unit.root).site_lines()] if unit is unit.root else []
        if creation is None:
            return once(self._known(unit), [*self._start(unit), *sites]) if sites else []
        first = [*self._start(unit), *sites, *creation.lasting]
        lines = [*creation.lines, *creation.views]
        if not lines and not creation.lasting and not sites:
            return []
        if created_anew(context, unit):
            found = once(self._begun(unit), first) if sites or creation.lasting else first
            nothing = [f"{name} = xmp_null" for name in creation.objects if name not in creation.lasting_objects]
            return [*found, *creation.join, *nothing, *lines, *creation.entry]
        if not self._again(unit):
            return [*once(self._known(unit), [*first, *lines]), *creation.entry]
        arrays = [("XMP_Keep", creation.kept), ("XMP_Keep_common", creation.common)]
        kept = [f"call {name}({self._known(unit)}, [xmp_object :: {', '.join(found)}])" for name, found in arrays if found]
        begun = [*once(self._begun(unit), first), *creation.join]
        again = [*begun, *creation.released(), *lines, *(kept if unit.kind != "program" else [])]
        return [*self._once(unit, ", ".join(creation.values), again), *creation.entry]

    def _start(self, unit):
        return [] if unit.kind == "program" else [self.context.start]

    def _again(self, unit):
        """Whether a unit may create its objects several times: because a value is another one than last time, or because a part
        of the nodes has created them in a task."""
        creation = self.creations.get(unit)
        if creation is None or created_anew(self.context, unit):
            return creation is not None
        return bool(creation.values or unit.kind != "program" and (creation.kept or creation.common))

    def _once(self, unit, values, lines):
        """Lines that run at the first call, and where a value changes."""
        if not values:
            return once(self._known(unit), lines)
        changed = f"XMP_Changed({self._known(unit)}, [integer(XMP_INDEX) :: {values}])"
        return [f"if ({changed}) then", *("  " + line for line in lines), "end if"]

    def _known(self, unit):
        return self._own_name(unit, "known")

    def _begun(self, unit):
        """The variable that tells whether what is created once exists."""
        return self._own_name(unit, "begun")

    def _own_name(self, unit, what):
        return f"{unit.name}_{what}_xmp" if unit.kind in _MODULES else self.context.name(f"{unit.name or 'main'}_{what}_xmp")

    # ---- dummy arguments ----
    def _dummy_arrays(self, unit):
        return [a for a in self.context.model.arrays if a.symbol.scope is unit and a.symbol.declaration.dummy and not a.failed]

    def _argument(self, unit, array):
        context, variable = self.context, array.symbol.declaration
        creation = self.creations[unit]
        dummy = self.dummies.get(variable, variable.name)
        lines = creation.argument(array, context.site(creation.place_of(array)), dummy)
        if not variable.has("optional"):
            return lines
        absent = [f"call XMP_Array_release({context.object(array)})"]  # a view of nothing is not allocated
        absent += detached(context, array) if variable in self.dummies else []
        indented = [["  " + line for line in part] for part in (lines, absent)]
        return [f"if (present({dummy})) then", *indented[0], "else", *indented[1], "end if"]

    def _handed_over(self, unit):
        return [a for a in self.context.model.arrays if a.symbol.scope is unit and not a.failed and is_handed_over(a)]

    def _results(self, unit, entry):
        """Lines that create the result. Those of all entries are one variable by several names."""
        arrays, names = self._handed_over(unit), self.context.scopes.of(unit).results
        if not arrays:
            return []
        own = next(a for a in arrays if a.symbol.declaration is names[(entry or unit).name])
        creation, object_ = self.creations[unit], self.context.object(own)
        lines = creation.result(own, self.context.site(creation.place_of(own)))
        return [*lines, *(f"{self.context.object(array)} = {object_}" for array in arrays if array is not own)]

    # ---- where the lines go ----
    def _insert(self, unit, lines, implied):
        context = self.context
        begin = beginning(context, unit)
        declared = [*implied, *self._variables(unit), *self._interfaces(unit)]
        entries = Entries(context, unit, begin).write(lambda entry: self._lines(unit, entry)) if lines else []
        context.lines_before(context.items[begin], [*declared, *lines, *entries, *self._enclosing(unit)], head=True)

    def _enclosing(self, unit):
        """The BLOCK with the views of arguments that keep their names, and of a function's result."""
        dummies = [(a, a.symbol.declaration) for a in self._dummy_arrays(unit)]
        arrays = [a for a, v in dummies if is_separate(self.context, v) and not allocated_by_program(v)]
        results = [array for array in self._handed_over(unit) if has_view(array)]
        arrays += results + self._host_arguments(unit)
        if not arrays:
            return []
        later = [array for array in results if is_allocated_later(array)]
        name = self.context.name("body_xmp")
        self.enclosed[unit] = name, [line for array in later for line in pointed(self.context, array)]
        declared = [declared_view(self.context, array) for array in arrays]
        lines = (line for array in arrays if array not in later for line in attached(self.context, array))
        return [f"{name}: block", *declared, *lines]

    def _host_arguments(self, unit):
        """Arguments of the separate module procedure around an internal one, which that uses by their names."""
        declarations, host = self.context.scopes.of(unit), unit.parent if unit.internal else None
        arrays = [a for a in self._dummy_arrays(host) if is_separate(self.context, a.symbol.declaration)] if host else []
        shown = [a for a in arrays if not allocated_by_program(a.symbol.declaration) and not declarations.own(a.name)]
        words = {word.text for position in unit.items for word in self.context.items[position].words} if shown else ()
        return [array for array in shown if array.name in words]

    def _variables(self, unit):
        """Declarations of the variables for objects and sites."""
        creation, root = self.creations.get(unit), self.context.root(unit.root)
        names = list(creation.objects) if creation is not None else []
        yield from creation.initial if creation is not None else ()
        save = "" if self.context.scopes.of(unit).saved else ", save"  # a SAVE statement for everything says it already
        public = ", public" if unit.kind == "module" else ""
        anew = created_anew(self.context, unit)
        if anew:
            names = creation.lasting_objects if creation is not None else []
            renewed = [name for name in creation.objects if name not in names] if creation is not None else []
            yield from [f"type(xmp_object) :: {', '.join(renewed)}"] if renewed else []
        if names:
            yield f"type(xmp_object){save}{public} :: {', '.join(f'{name} = xmp_null' for name in names)}"
        own = unit is root.unit and root.sites
        if own:
            sites = f"{root.site_array}({len(root.sites)}) = xmp_null"
            yield f"type(xmp_object){save} :: {sites}  ! where the directives stand"
        created = creation is not None and (creation.lines or creation.lasting)
        if (created or own) and self._again(unit):
            yield f"logical{save} :: {self._begun(unit)} = .false."
        if not (created or own) or (anew and creation is not None):
            return
        if creation is not None and creation.values:
            yield f"type(XMP_Values){save} :: {self._known(unit)}  ! that the objects were created with"
        else:
            yield f"logical{save} :: {self._known(unit)} = .false."

    def _interfaces(self, unit):
        """Of the procedures that show arrays their block here."""
        context = self.context
        arrays = [a for a in context.model.arrays if a.symbol.scope is unit and not a.failed and a.dimensions is not None]
        shown = [(a, a.name) for a in arrays if not allocated_by_program(a.symbol.declaration) and created(a)]
        shown += [pair for pair in context.attached.get(unit, ()) if pair not in shown]
        bodies = [line for array, name in shown for line in interfaces(context, unit, array, name)]
        return ["interface", *("  " + line for line in bodies), "end interface"] if bodies else []

    def _module(self, unit):
        """The module's own procedure, and its variables."""
        context, name, end = self.context, procedure_of(unit.name), self.context.items[unit.end]
        body = [*self._interfaces(unit), *self._modules_of(unit), *self._not_within_itself(unit, self._created(unit))]
        head = f"subroutine {name}()  ! creates what the directives of the {unit.kind} declare"
        subroutine = [head, *("  " + line for line in body), "end subroutine"]
        declared = [*([f"public :: {name}"] if unit.kind == "module" else []), *self._variables(unit)]
        if unit.contains is None:
            context.lines_before(end, [*declared, "contains", *subroutine])
        else:
            context.lines_before(context.items[unit.contains], declared)
            context.lines_before(end, subroutine)

    def _not_within_itself(self, unit, lines):
        """A function of the module, which calls the procedure as all others do, may be in a value that the procedure needs."""
        creation = self.creations.get(unit)
        if creation is None or not any("(" in value for value in creation.values):
            return lines
        busy = self.context.name("busy_xmp")
        return [f"logical, save :: {busy} = .false.", f"if ({busy}) return", f"{busy} = .true.", *lines, f"{busy} = .false."]

    # ---- heads of program units ----
    def _head(self, root):
        context = self.context
        uses = [f"use {self.shared[root].name}"] if root in self.shared else []
        others = [module for module in self._created_here(root) if module is not self.shared.get(root)]
        uses += [f"use {module.name}, only: {module.procedure}" for module in others]
        uses += ["use kumihimo_generated"] if self._calls(root) else []
        uses += [f"use {module}, only: {', '.join(names)}" for module, names in context.root(root).modules.items()]
        if root.opened:
            context.edits.after(context.items[root.first].statement, "; " + "; ".join(uses))
        else:
            context.lines_before(context.items[root.first], uses, first=True)

    def _calls(self, root):
        """Whether a program unit has anything of the runtime's. One that shares a module for COMMON blocks may need no more."""
        first, last = self.context.items[root.first].statement, self.context.items[root.end].statement
        return (
            root not in self.shared or _RUNTIME.search(self.context.edits.added(first.first_line, last.last_line)) is not None
        )


def procedure_of(module):
    """The name of the procedure that creates what a module declares."""
    return f"xmp_declare_{module}"
