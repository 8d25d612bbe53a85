"""The names that each scoping unit of a file sees: its own, those of units around (host association) and of modules (use
association). Modules stand earlier in the file, or in files that were compiled before (modules.py)."""

from functools import cached_property

from .declarations import Declarations


class Scopes:
    """declarations: Unit -> Declarations; modules: name -> Module, of those that the file uses or holds; ancestors: submodule
    -> the Module that it extends, or None.
    find(name): the Module of another file, or None if it has no directives."""

    def __init__(self, file, find):
        self.file, self._find = file, find
        self.declarations, self.modules, self.ancestors = {}, {}, {}
        for unit in file.units:
            self._read(unit)

    def of(self, unit):
        """A procedure in an interface declares nothing that matters, and sees no names of the units around it."""
        if unit not in self.declarations:
            self.declarations[unit] = Declarations(self.file, unit, None)
        return self.declarations[unit]

    def outward(self, unit):
        """(Declarations, Module of another place or None) of a unit and of what is around it; around a submodule is the module
        that it extends."""
        while unit is not None:
            yield self.of(unit), None
            ancestor = self.ancestors.get(unit)
            if ancestor is not None:
                yield ancestor.declarations, ancestor
            unit = unit.parent

    def _read(self, unit):
        host = self.declarations.get(unit.parent)
        if unit.kind == "submodule":
            ancestor = self.ancestors[unit] = self._module(self._ancestor(unit))
            host = ancestor.declarations if ancestor is not None else None
        found = self.declarations[unit] = Declarations(self.file, unit, host, self._interface(unit))
        for use in found.uses:
            self._import(found, use)
        if unit.kind == "submodule" and host is None:
            found.foreign = True
        if unit.kind == "module":
            self.modules[unit.name] = Module(unit.name, self.file, unit, found)

    def _interface(self, unit):
        """(File, Unit) of the interface body that declares what a `module procedure` begins, or None."""
        if unit.kind != "procedure":
            return None
        modules = [
            (self.file, unit.root),
            *((one.file, one.unit) for one in [self.ancestors.get(unit.root)] if one is not None),
        ]
        bodies = ((file, body) for file, module in modules for body in file.interfaces if body.root is module)
        return next(((file, body) for file, body in bodies if body.name == unit.name), None)

    def _ancestor(self, unit):
        """The module that a submodule extends: `submodule (module:parent) name`."""
        words = self.file.items[unit.first].words
        return words[2].text if len(words) > 3 and words[1].text == "(" else ""

    def _import(self, declarations, use):
        module = None if use.library else self._module(use.module)
        if module is None:
            declarations.foreign = declarations.foreign or not use.library
            return
        use.found = module
        declarations.foreign = declarations.foreign or module.declarations.foreign
        for name, variable in module.public_variables():
            for local in use.local_names(name):
                declarations.imported.setdefault(local, variable)

    def _module(self, name):
        if name not in self.modules:
            self.modules[name] = self._find(name) if name else None
        return self.modules[name]


class Module:
    """A module with all that its users may know: name; file and unit, of this or another file; its Declarations.
    dummies: procedure -> names of its dummy arguments -> what they are called in the translation, where that differs."""

    def __init__(self, name, file, unit, declarations):
        self.name, self.file, self.unit, self.declarations = name, file, unit, declarations
        self.dummies = {}

    @cached_property
    def functions(self):
        """Name -> Declarations, of the functions in a module of another file whose results are global arrays. Of this file they
        are units."""
        bodies = (body for body in self.file.interfaces if body.root is self.unit and body.kind == "function")
        return {body.name: Declarations(self.file, body, self.declarations, (self.file, body)) for body in bodies}

    def public_variables(self):
        """(name, Variable) of all that a user of the module sees, with what it has from other modules."""
        declarations = self.declarations
        for name, variable in (*declarations.imported.items(), *declarations.variables.items()):
            if declarations.public(name):
                yield name, variable
