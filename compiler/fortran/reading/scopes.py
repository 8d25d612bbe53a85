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
        for body in file.interfaces:
            if body.kind == "function" and any(file.items[position].kind == "directive" for position in body.bodies):
                self._read_interface(body)

    def of(self, unit):
        """A procedure in an interface declares nothing that matters, but for functions whose results may be global arrays."""
        if unit not in self.declarations:
            self.declarations[unit] = Declarations(self.file, unit, None)
        return self.declarations[unit]

    def functions(self, unit):
        """Declarations of the functions that a unit has or, as far as their results may be global arrays, describes in
        interface bodies."""
        found = [one for one in self.file.units if one.kind == "function" and one.parent is unit]
        found += [one for one in self.file.interfaces if one in self.declarations and one.parent is unit]
        return [self.declarations[one] for one in found]

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
            self.modules[unit.name] = Module(unit.name, self, unit)

    def _read_interface(self, body):
        """It has the names of the units around, as if it imported them: nodes and templates have none of their own."""
        found = self.declarations[body] = Declarations(self.file, body, self.declarations[body.parent], (self.file, body))
        for use in found.uses:
            self._import(found, use)

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
    """A module with all that its users may know: name; file and unit, of this or another file; its Declarations, and those of
    functions whose results are global arrays, which in a module of another file are interface bodies.
    dummies: procedure -> names of its dummy arguments -> what they are called in the translation, where that differs."""

    def __init__(self, name, scopes, unit):
        self.name, self.file, self.unit, self.declarations = name, scopes.file, unit, scopes.of(unit)
        self._scopes = scopes
        self.dummies = {}

    @cached_property
    def functions(self):
        return self._scopes.functions(self.unit)

    def public_variables(self):
        """(name, Variable) of all that a user of the module sees, with what it has from other modules."""
        declarations = self.declarations
        for name, variable in (*declarations.imported.items(), *declarations.variables.items()):
            if declarations.public(name):
                yield name, variable
