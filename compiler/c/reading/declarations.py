"""Declarations of C11 and GNU C, with coarray dimensions, and the types that they build."""

from . import syntax, types
from .specifiers import ATTRIBUTES, QUALIFIERS
from .tokens import IDENTIFIER, PRAGMA

_ASSEMBLY = frozenset("asm __asm__ __asm".split())


class Declarations:
    """Part of Parser."""

    # -- declarators

    def declarator(self, base, abstract=False):
        """Reads a declarator around the type `base`. Returns (index of the name or None, type)."""
        base = self._pointers(base)
        name_index = inner = None
        if self.texts[self.position] == "(" and self._is_nested(abstract):
            inner = self.position + 1
            self.skip_parentheses()
        elif self.tokens[self.position].kind is IDENTIFIER and self.texts[self.position] not in _ASSEMBLY:
            name_index = self.position
            self.position += 1
        elif not abstract:
            self.fail("a name is expected")
        type_ = self._suffixes(base)
        if inner is not None:
            end, self.position = self.position, inner
            name_index, type_ = self.declarator(type_, abstract)
            self.expect(")")
            self.position = end
        return name_index, type_

    def _pointers(self, base):
        while True:
            self.attributes()
            if not self.accept("*"):
                return base
            qualifiers = []
            while self.texts[self.position] in QUALIFIERS or self.at_attribute(self.position):
                if self.at_attribute(self.position):
                    self.attributes()
                    continue
                qualifiers.append(QUALIFIERS[self.texts[self.position]])
                self.position += 1
            base = types.Pointer(base).qualified([q for q in qualifiers if q])

    def _is_nested(self, abstract):
        """Whether `(` opens a nested declarator and not a list of parameters."""
        if not abstract:
            return True
        following = self.texts[self.position + 1]
        if self.at_attribute(self.position + 1):
            return following in ATTRIBUTES
        return following in ("*", "(", "[", "^") or not (following == ")" or self.starts_type(self.position + 1))

    def _suffixes(self, base):
        """Array dimensions and parameter lists, which apply from the right to the left."""
        pieces = []
        while True:
            text = self.texts[self.position]
            if text == "[" and self.at_attribute(self.position):
                self.attributes()
            elif text == "[":
                first = self.position
                size = self._dimension()
                pieces.append((types.Array, size, first, self.position - 1))
            elif text == "(":
                pieces.append((types.Function,) + self._parameters())
            else:
                break
        for piece in reversed(pieces):
            base = piece[0](base, *piece[1:])
        return base

    def _dimension(self):
        self.position += 1
        while self.texts[self.position] in QUALIFIERS or self.texts[self.position] == "static":
            self.position += 1
        size = None
        if self.texts[self.position] == "*" and self.texts[self.position + 1] == "]":
            self.position += 1
        elif self.texts[self.position] != "]":
            size = self.assignment()
        self.expect("]")
        return size

    def _parameters(self):
        """(list of Declarators or None, variadic, scope)."""
        self.expect("(")
        scope = self.open_scope("prototype")
        parameters, variadic = [], False
        if self.texts[self.position] == ")":
            parameters = None
        elif self.texts[self.position] == "void" and self.texts[self.position + 1] == ")":
            self.position += 1
        while self.texts[self.position] != ")":
            if self.accept("..."):
                variadic = True
                break
            parameters.append(self._parameter())
            if not self.accept(","):
                break
        self.expect(")")
        self.close_scope()
        return parameters, variadic, scope

    def _parameter(self):
        start = self.position
        if not self.starts_type(start) and self.tokens[start].kind is IDENTIFIER:  # old style f(a, b)
            self.position += 1
            name_index, type_ = start, types.INT
        else:
            _, base, _ = self.specifiers()
            if base is None:
                base = types.INT
            start = self.position
            name_index, type_ = self.declarator(base, abstract=True)
        parameter = self.make_declarator("parameter", start, name_index, type_, None)
        parameter.codimensions = self.codimensions()
        self.attributes()
        parameter.last = max(self.position - 1, start - 1)
        if name_index is not None:
            self.declare(parameter)
        return parameter

    def codimensions(self):
        """`:[2][*]` of a coarray, `:[][]` of a pointer to one, or None."""
        if self.texts[self.position] != ":" or self.texts[self.position + 1] != "[":
            return None
        self.position += 1
        codimensions = []
        while self.accept("["):
            if self.texts[self.position] == "*" and self.texts[self.position + 1] == "]":
                self.position += 1
                codimensions.append(None)
            elif self.texts[self.position] == "]":
                codimensions.append(syntax.DEFERRED)
            else:
                codimensions.append(self.expression())
            self.expect("]")
        return codimensions

    def type_name(self):
        first = self.position
        _, base, _ = self.specifiers()
        if base is None:
            self.fail("a type is expected")
        _, type_ = self.declarator(base, abstract=True)
        return self.make(syntax.TypeName, first, type_)

    # -- declarations

    def declaration(self):
        """A declaration, or the definition of a function."""
        first = self.position
        if self.texts[first] == "_Static_assert":
            return self._static_assert()
        if self.texts[first] == "__label__":
            self.position += 1
            self.identifier()
            while self.accept(","):
                self.identifier()
            self.expect(";")
            return self.make(syntax.Declaration, first, None, types.UNKNOWN, self.position - 1, [], self.scope, [])
        self.saw_attributes = False
        storage, base, fields = self.specifiers()
        specifiers_last = self.position - 1
        if base is None:
            token = self.tokens[self.position]
            if self.scope.kind != "file" or token.kind is not IDENTIFIER and token.text != "*":
                self.fail("a declaration is expected")
            base = types.INT
        declarators, attributes = [], self.saw_attributes
        if not self.accept(";"):
            while True:
                self.saw_attributes = attributes
                declarator = self._init_declarator(base, storage)
                if isinstance(declarator.type, types.Function) and not declarators and self._body_follows():
                    return self._function(first, declarator, storage)
                declarators.append(declarator)
                self._after_declarator()
                if not self.accept(","):
                    break
            self.expect(";")
        return self.make(syntax.Declaration, first, storage, base, specifiers_last, declarators, self.scope, fields)

    def _body_follows(self):
        """Parameters of the old style, or directives about parameters, may stand between (specification 4.3.4)."""
        if self.texts[self.position] == "{":
            return True
        pragma = self.tokens[self.position].kind is PRAGMA
        return self.scope.kind == "file" and (pragma or self.starts_type(self.position))

    def _after_declarator(self):
        while self.at_attribute(self.position) or self.texts[self.position] in _ASSEMBLY:
            if self.texts[self.position] in _ASSEMBLY:
                self.assembly()
            else:
                self.attributes()

    def _init_declarator(self, base, storage):
        start = self.position
        name_index, type_ = self.declarator(base)
        if name_index is None:
            self.fail("a name is expected")
        codimensions = self.codimensions()
        self._after_declarator()
        kind = "function" if isinstance(types.resolve(type_), types.Function) else "variable"
        kind = "typedef" if storage == "typedef" else kind
        declarator = self.make_declarator(kind, start, name_index, type_, storage)
        declarator.codimensions = codimensions
        declarator.attributes = self.saw_attributes
        self.declare(declarator)
        if self.accept("="):
            self.attach(declarator, self.initializer())
            if isinstance(type_, types.TypeOf) and type_.text == "__auto_type":
                type_.target = types.decay(getattr(declarator.initializer, "type", types.UNKNOWN))
            declarator.last = self.position - 1
        return declarator

    def _function(self, first, declarator, storage):
        scope = declarator.type.scope
        scope.kind = "function"
        self.open_scope("function", scope)
        old_style, directives = [], []
        while self.texts[self.position] != "{":
            if self.tokens[self.position].kind is PRAGMA:
                directives.append(self.directive())
            else:
                old_style.append(self.declaration())
        self.close_scope()
        if old_style and declarator.type.parameters:
            declared = {d.name: d for declaration in old_style for d in declaration.declarators}
            for declared_parameter in declared.values():
                declared_parameter.kind = "parameter"
            declarator.type.parameters[:] = [declared.get(p.name, p) for p in declarator.type.parameters]
        body = self.compound(scope)
        scope.node = self.make(syntax.FunctionDefinition, first, declarator, old_style, directives, body, storage, self.scope)
        return scope.node

    def _static_assert(self):
        first = self.position
        self.position += 1
        self.skip_parentheses()
        self.expect(";")
        return self.make(syntax.Declaration, first, None, types.UNKNOWN, self.position - 1, [], self.scope, [])

    # -- initializers

    def initializer(self):
        if self.texts[self.position] != "{":
            return self.assignment()
        first = self.position
        self.position += 1
        items = []
        while self.texts[self.position] != "}":
            items.append(self._designation())
            if not self.accept(","):
                break
        self.expect("}")
        return self.make(syntax.InitializerList, first, items)

    def _designation(self):
        first, subscripts = self.position, []
        if self.tokens[first].kind is IDENTIFIER and self.texts[first + 1] == ":" and self.texts[first + 2] != "[":
            self.position += 2  # GNU's old `field: value`
            return self.make(syntax.Designation, first, [], self.initializer())
        if self.texts[first] not in (".", "["):
            return self.initializer()
        while self.texts[self.position] in (".", "["):
            if self.accept("."):
                self.identifier()
                continue
            self.position += 1
            subscripts.append(self.conditional())
            if self.accept("..."):
                subscripts.append(self.conditional())
            self.expect("]")
        self.accept("=")
        return self.make(syntax.Designation, first, subscripts, self.initializer())
