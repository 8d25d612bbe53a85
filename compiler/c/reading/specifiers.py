"""What stands before the names in declarations of C11 and GNU C: storage, types, attributes; structures, enumerations."""

from . import syntax, types
from .tokens import IDENTIFIER, PRAGMA

QUALIFIERS = {
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
ATTRIBUTES = frozenset("__attribute__ __attribute _Alignas".split())
_STARTS = (
    frozenset(QUALIFIERS) | _STORAGE | _OTHER | _BASIC | _TYPEOF | ATTRIBUTES | frozenset("struct union enum".split())
) - {"__extension__"}


class Specifiers:
    """Part of Parser."""

    def starts_type(self, index):
        """Whether a declaration or type name starts at this token."""
        if self.at_attribute(index):
            return True
        if self.tokens[index].kind is not IDENTIFIER:
            return False
        text = self.texts[index]
        if text in _STARTS:
            return True
        if text == "__extension__":
            return self.starts_type(index + 1)
        found = self.scope.lookup(text)
        return found is not None and found.kind == "typedef"

    def specifiers(self):
        """(storage, type or None, declarations of a struct's fields)."""
        storage = type_ = None
        words, qualifiers, fields = [], [], []
        while self.tokens[self.position].kind is IDENTIFIER or self.at_attribute(self.position):
            text = self.texts[self.position]
            if text in _BASIC:
                words.append(text)
            elif text in QUALIFIERS:
                if text == "_Atomic" and self.texts[self.position + 1] == "(":
                    self.position += 2
                    type_ = self.type_name().type
                    self.expect(")")
                    continue
                qualifiers.append(QUALIFIERS[text])
            elif text in _STORAGE:
                storage = text
            elif text in _OTHER:
                pass
            elif self.at_attribute(self.position):
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
        while self.at_attribute(self.position):
            self.saw_attributes = True
            if self.texts[self.position] == "[":
                self.skip_brackets("[", "]")
            else:
                self.position += 1
                self.skip_parentheses()

    def at_attribute(self, index):
        """`__attribute__`, or C23's `[[`: no expression and no dimension begins with a bracket."""
        text = self.texts[index]
        return text in ATTRIBUTES or text == "[" and self.texts[index + 1] == "["

    def assembly(self):
        """Skips `asm volatile goto (...)`."""
        self.position += 1
        while self.tokens[self.position].kind is IDENTIFIER:
            self.position += 1
        self.skip_parentheses()

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
        keyword, tag = self.texts[self.position], self._tag()
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

    def _tag(self):
        """What stands behind `struct`, `union` or `enum`: a name, None before a `{`."""
        self.position += 1
        self.attributes()
        tag = self.optional_identifier()
        self.attributes()
        if tag is None and self.texts[self.position] != "{":
            self.fail("a name or '{' is expected")
        return tag

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
                codimensions = self.codimensions()
                own.append(self._field(start, name_index, self._bit_width(), type_, False))
                own[-1].codimensions = codimensions
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
        tag = self._tag()
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
