"""Members of structures as global arrays (MAP-18): `align s.a[i] with t[i]` makes the member of each variable of `struct s` a
global array. After this pass the tree has such a member as a variable of its own, `c.a`: an Identifier with a declaration, so
that everything behind it knows identifiers only. The member's own storage in the structure stays unused."""

from . import syntax, types

MAPPING = ("align", "shadow")


class Members:
    """separated: the declarator of a structure -> the declarators of its members that are global arrays."""

    def __init__(self, unit, error):
        self.unit = unit
        self.error = error
        self.separated = {}
        self.variables = {}  # (what a directive names, member) -> the names of the variables, `c.a`
        self._wanted = []  # (Struct or the only Declarator, member)

    def separate(self):
        for directive in self.unit.directives:
            if directive.language == "xmp":
                self._note(directive)
        if not self._wanted:
            return
        nodes = list(self.unit.walk())
        for node in nodes:
            if type(node) is syntax.Declarator and node.kind == "variable":
                self._separate(node)
        for node in nodes:
            if type(node) is syntax.Member:
                self._replace(node)
            elif type(node) is syntax.Assign and node.operator == "=" and self._is_container(node.target):
                self._refuse(node, "a structure with global arrays cannot be assigned", "assign its members")

    def names(self, name, member):
        """The variables that `name.member` in a directive stands for."""
        return self.variables.get((name, member), ())

    def _note(self, directive):
        words = directive.tokens[directive.first + 1 : directive.last]
        texts = [word.text for word in words]
        for number in range(1, len(texts) - 2) if texts[:1] and texts[0] in MAPPING else ():
            if texts[number + 1] == "." and (number == 1 or texts[number - 1] in (":", "::", ",")):
                whole = self._container(directive, texts[number])
                if whole is not None and (whole, texts[number], texts[number + 2]) not in self._wanted:
                    self._wanted.append((whole, texts[number], texts[number + 2]))

    def _container(self, directive, name):
        """What a name before the `.` means: a structure's tag or typedef, or one variable."""
        declarator = directive.scope.lookup(name, directive.first)
        if declarator is not None and declarator.kind in ("variable", "parameter"):
            return declarator if isinstance(types.resolve(declarator.type), types.Struct) else None
        meant = directive.scope.tag(name) if declarator is None else types.resolve(declarator.type)
        return meant if isinstance(meant, types.Struct) else None

    def _of(self, declarator):
        """The (name in directives, member) pairs that make a variable a container."""
        struct = types.resolve(declarator.type)
        if isinstance(struct, types.Struct):
            for whole, name, member in self._wanted:
                if whole is declarator or isinstance(whole, types.Struct) and whole.body is struct.body:
                    yield struct, name, member

    def _separate(self, declarator):
        for struct, name, member in self._of(declarator):
            field = struct.field(member)
            if field is None:
                continue
            if declarator.scope.kind != "file":
                self._refuse(
                    declarator,
                    f"the member '{member}' of '{declarator.name}' is aligned, but '{declarator.name}' is local to a function",
                    "declare the structure at file scope",
                )
                continue
            whole = f"{declarator.name}.{member}"
            known = self.variables.setdefault((name, member), [])
            if whole not in known:
                known.append(whole)
            if all(one.name != whole for one in self.separated.get(declarator, ())):
                self.separated.setdefault(declarator, []).append(_variable(declarator, field, whole))

    def _replace(self, node):
        base = syntax.bare(node.base)
        if isinstance(base, syntax.Identifier) and not node.arrow and base.declaration is not None:
            whole = f"{base.name}.{node.name}"
            for variable in self.separated.get(base.declaration, ()):
                if variable.name == whole:
                    _put(node, variable)
                    return
        struct = types.resolve(base.type) if base.type is not None else None
        if node.arrow and struct is not None:
            struct = types.resolve(getattr(struct, "target", None) or struct)
        for whole, _, member in self._wanted:
            if member == node.name and isinstance(struct, types.Struct) and getattr(whole, "body", None) is struct.body:
                self._refuse(node, f"'{node.text()}' is aligned, and is reached only by the name of its structure", None)
                return

    def _is_container(self, expression):
        base = syntax.bare(expression)
        return isinstance(base, syntax.Identifier) and base.declaration in self.separated

    def _refuse(self, node, message, help):
        self.error("XMP-E139", message, node, (), help)


def _variable(declarator, field, name):
    """The declarator of a member as a variable; it stands where the structure declares the member."""
    variable = syntax.Declarator()
    for slot in ("tokens", "parent", "scope", "storage"):
        setattr(variable, slot, getattr(declarator, slot))
    variable.first, variable.last, variable.name_index = field.first, field.last, field.name_index
    variable.kind, variable.name, variable.type, variable.system = "variable", name, field.type, False
    for slot in ("initializer", "codimensions", "bit_width", "attributes", "value"):
        setattr(variable, slot, None)
    variable.previous = declarator.scope.names.get(name)
    declarator.scope.names[name] = variable
    return variable


def _put(node, variable):
    """An Identifier in the place of a Member."""
    identifier = syntax.Identifier()
    for slot in ("tokens", "first", "last", "parent", "type"):
        setattr(identifier, slot, getattr(node, slot))
    identifier.name, identifier.declaration = variable.name, variable
    for part in node.parent.parts:
        held = getattr(node.parent, part)
        if held is node:
            setattr(node.parent, part, identifier)
        elif isinstance(held, list) and node in held:
            held[held.index(node)] = identifier
