"""Declarations of C11 and GNU C, with coarray dimensions, and the types that they build."""

from . import syntax, types
from .tokens import IDENTIFIER, PRAGMA

_QUALIFIERS = {
    "const": "const", "__const": "const", "__const__": "const", "volatile": "volatile", "__volatile__": "volatile",
    "__volatile": "volatile", "restrict": "restrict", "__restrict": "restrict", "__restrict__": "restrict",
    "_Atomic": "_Atomic", "__extension__": None, "__seg_fs": None, "__seg_gs": None,
}  # fmt: skip
_STORAGE = frozenset("typedef extern static auto register".split())
_OTHER = frozenset("inline __inline __inline__ _Noreturn _Thread_local __thread".split())
_BASIC = frozenset(
    "void char short int long float double signed unsigned _Bool _Complex __complex__ __complex __signed__ __signed"
    " _Float16 __bf16 _Float128 __float128 _Float64 _Float32 _Float32x _Float64x __int128 _Imaginary".split()
)
_TYPEOF = frozenset("typeof __typeof__ __typeof __auto_type".split())
_ATTRIBUTES = frozenset("__attribute__ __attribute _Alignas".split())
_ASSEMBLY = frozenset("asm __asm__ __asm".split())
_STARTS = (
    frozenset(_QUALIFIERS) | _STORAGE | _OTHER | _BASIC | _TYPEOF | _ATTRIBUTES | frozenset("struct union enum".split())
) - {"__extension__"}


class Declarations:
    """Part of Parser."""

    def starts_type(self, index):
        """Whether a declaration or type name starts at this token."""
        if self.tokens[index].kind is not IDENTIFIER:
            return False
        text = self.texts[index]
        if text in _STARTS:
            return True
        if text == "__extension__":
            return self.starts_type(index + 1)
        found = self.scope.lookup(text)
        return found is not None and found.kind == "typedef"

    # -- specifiers

    def specifiers(self):
        """(storage, type or None, declarations of a struct's fields)."""
        storage = type_ = None
        words, qualifiers, fields = [], [], []
        while self.tokens[self.position].kind is IDENTIFIER:
            text = self.texts[self.position]
            if text in _BASIC:
                words.append(text)
            elif text in _QUALIFIERS:
                if text == "_Atomic" and self.texts[self.position + 1] == "(":
                    self.position += 2
                    type_ = self.type_name().type
                    self.expect(")")
                    continue
                qualifiers.append(_QUALIFIERS[text])
            elif text in _STORAGE:
                storage = text
            elif text in _OTHER:
                pass
            elif text in _ATTRIBUTES:
                self.attributes()
                continue
            elif text == "struct" or text == "union":
                type_ = self._struct(fields)
                continue
            elif text == "enum":
                type_ = self._enum()
                continue
            elif text in _TYPEOF:
                type_ = self._typeof()
                continue
            elif type_ is None and not words:
                found = self.scope.lookup(text)
                if found is None or found.kind != "typedef":
                    break
                type_ = types.Typedef(text, found.type, found)
            else:
                break
            self.position += 1
        if words:
            type_ = types.basic(words)
        if type_ is not None:
            type_ = type_.qualified([q for q in qualifiers if q])
        return storage, type_, fields

    def attributes(self):
        """Skips attributes; remembers that there were some."""
        while self.texts[self.position] in _ATTRIBUTES:
            self.saw_attributes = True
            self.position += 1
            self.skip_parentheses()

    def assembly(self):
        """Skips `asm volatile goto (...)`."""
        self.position += 1
        while self.tokens[self.position].kind is IDENTIFIER:
            self.position += 1
        self.skip_parentheses()

    def _after_declarator(self):
        while self.texts[self.position] in _ATTRIBUTES or self.texts[self.position] in _ASSEMBLY:
            if self.texts[self.position] in _ASSEMBLY:
                self.assembly()
            else:
                self.attributes()

    def _typeof(self):
        first = self.position
        self.position += 1
        if self.texts[first] == "__auto_type":
            return types.TypeOf("__auto_type", types.UNKNOWN)
        self.expect("(")
        argument = self.argument_of_typeof()
        if isinstance(argument, syntax.Expression):
            self.typeofs.append(argument)
        target = argument.type
        self.expect(")")
        return types.TypeOf(syntax.text_of(self.tokens, first, self.position - 1), target)

    def argument_of_typeof(self):
        return self.type_name() if self.starts_type(self.position) else self.expression()

    def _struct(self, fields):
        keyword = self.texts[self.position]
        self.position += 1
        self.attributes()
        tag = self.optional_identifier()
        self.attributes()
        if self.texts[self.position] != "{":
            return self.scope.tag(tag) or self._new_tag(tag, types.Struct(keyword, tag))
        struct = self._defined_tag(tag)
        if not isinstance(struct, types.Struct) or struct.defined:
            struct = self._new_tag(tag, types.Struct(keyword, tag))
        self.position += 1
        declarators = []
        while self.texts[self.position] != "}":
            if self.tokens[self.position].kind is PRAGMA:
                fields.append(self.directive())
            else:
                fields.append(self._field_declaration(declarators))
        self.position += 1
        struct.complete(declarators)
        self.attributes()
        return struct

    def _defined_tag(self, tag):
        """The tag of this very scope."""
        return self.scope.tags.get(tag) if tag else None

    def _new_tag(self, tag, type_):
        if tag:
            self.scope.tags[tag] = type_
        return type_

    def _field_declaration(self, declarators):
        first = self.position
        if self.texts[first] == ";":
            self.position += 1
            return self.make(syntax.Declaration, first, None, types.UNKNOWN, first, [], self.scope, [])
        if self.texts[first] == "_Static_assert":
            return self._static_assert()
        self.saw_attributes = False
        _, base, inner = self.specifiers()
        if base is None:
            self.fail("a type is expected")
        specifiers_last, own = self.position - 1, []
        attributes = self.saw_attributes
        if self.texts[self.position] == ";":
            if isinstance(types.resolve(base), types.Struct):
                own.append(self._field(self.position, None, None, base, attributes))
        else:
            while True:
                start, self.saw_attributes = self.position, attributes
                name_index, type_ = (None, base) if self.texts[start] == ":" else self.declarator(base)
                own.append(self._field(start, name_index, self._bit_width(), type_, False))
                self.attributes()
                own[-1].attributes = self.saw_attributes
                if not self.accept(","):
                    break
        self.expect(";")
        declarators.extend(own)
        return self.make(syntax.Declaration, first, None, base, specifiers_last, own, self.scope, inner)

    def _bit_width(self):
        if self.texts[self.position] != ":":
            return None
        self.position += 1
        return self.conditional()

    def _field(self, start, name_index, bit_width, type_, attributes):
        field = self.make_declarator("field", start, name_index, type_, None)
        field.bit_width = bit_width
        field.attributes = attributes
        return field

    def _enum(self):
        self.position += 1
        self.attributes()
        tag = self.optional_identifier()
        self.attributes()
        if self.texts[self.position] != "{":
            return self.scope.tag(tag) or self._new_tag(tag, types.Enum(tag))
        enum = self._new_tag(tag, types.Enum(tag))
        self.position += 1
        value = -1
        while self.texts[self.position] != "}":
            start = self.position
            self.identifier()
            self.attributes()
            initializer = self.conditional() if self.accept("=") else None
            constant = self.make_declarator("enumerator", start, start, types.INT, None)
            self.attach(constant, initializer)
            value = initializer.constant() if initializer is not None else value if value is None else value + 1
            constant.value = value
            enum.negative = enum.negative or value is not None and value < 0
            self.declare(constant)
            if not self.accept(","):
                break
        self.expect("}")
        self.attributes()
        return enum

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
            while self.texts[self.position] in _QUALIFIERS or self.texts[self.position] in _ATTRIBUTES:
                if self.texts[self.position] in _ATTRIBUTES:
                    self.attributes()
                    continue
                qualifiers.append(_QUALIFIERS[self.texts[self.position]])
                self.position += 1
            base = types.Pointer(base).qualified([q for q in qualifiers if q])

    def _is_nested(self, abstract):
        """Whether `(` opens a nested declarator and not a list of parameters."""
        if not abstract:
            return True
        following = self.texts[self.position + 1]
        if following in _ATTRIBUTES:
            return True
        return following in ("*", "(", "[", "^") or not (following == ")" or self.starts_type(self.position + 1))

    def _suffixes(self, base):
        """Array dimensions and parameter lists, which apply from the right to the left."""
        pieces = []
        while True:
            text = self.texts[self.position]
            if text == "[":
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
        while self.texts[self.position] in _QUALIFIERS or self.texts[self.position] == "static":
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
        parameter.codimensions = self._codimensions()
        self.attributes()
        parameter.last = max(self.position - 1, start - 1)
        if name_index is not None:
            self.declare(parameter)
        return parameter

    def _codimensions(self):
        """`:[2][*]` of a coarray, or None."""
        if self.texts[self.position] != ":" or self.texts[self.position + 1] != "[":
            return None
        self.position += 1
        codimensions = []
        while self.accept("["):
            if self.texts[self.position] == "*" and self.texts[self.position + 1] == "]":
                self.position += 1
                codimensions.append(None)
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
            while not self.accept(";"):
                self.position += 1
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

    def _init_declarator(self, base, storage):
        start = self.position
        name_index, type_ = self.declarator(base)
        if name_index is None:
            self.fail("a name is expected")
        codimensions = self._codimensions()
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
