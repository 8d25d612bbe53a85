"""The syntax tree of a C translation unit with XMP's additions: sections, coindices, directives.

Every node knows its first and last token (`first`, `last`: indices into `tokens`, the unit's list) and its `parent`, so that
a translation can be expressed as edits of tokens (edits.py) and everything else stays as the user wrote it. Expressions
carry their C type (types.py); an Identifier carries its declaration, so that shadowed names are told apart.
Declarations of system headers are parsed only when a name of theirs is used; their nodes have `tokens` of their own."""

from . import constants, types

DEFERRED = "deferred"  # a codimension `[]`, whose size is known when memory is allocated


class Node:
    """Base class. `parts` names the attributes that hold children (a node, a list of nodes or None)."""

    __slots__ = ("tokens", "first", "last", "parent")
    parts = ()

    def children(self):
        for name in self.parts:
            value = getattr(self, name)
            if isinstance(value, Node):
                yield value
            elif value:
                for item in value:
                    if item is not None:
                        yield item

    def walk(self):
        """This node and everything below it, in source order."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(list(node.children())))

    def ancestors(self):
        """The parent, its parent, ... up to the translation unit."""
        node = self.parent
        while node is not None:
            yield node
            node = node.parent

    def text(self, edited=None):
        """The node as C text on one line. `edited`: a function token index -> text that replaces the token's own."""
        return text_of(self.tokens, self.first, self.last, edited)

    @property
    def token(self):
        """The first token: where the node stands (file, line)."""
        return self.tokens[self.first]

    def __repr__(self):
        return f"{type(self).__name__}({self.text()!r})"


def bare(node):
    """A node without the parentheses around it."""
    while isinstance(node, Parenthesized):
        node = node.operand
    return node


def uncast(node):
    """A node without the parentheses and casts around it."""
    while isinstance(node, (Parenthesized, Cast)):
        node = node.operand
    return node


def text_of(tokens, first, last, edited=None):
    """Tokens first..last as text on one line; white space becomes one blank."""
    pieces = []
    for index in range(first, last + 1):
        token = tokens[index]
        if token.space and index > first:
            pieces.append(" ")
        pieces.append(token.text if edited is None else edited(index))
    return "".join(pieces)


class Scope:
    """Names and tags of one file, function, block, for statement or prototype.

    names: name -> Declarator; tags: tag -> types.Struct or types.Enum; kind: "file", "function", "block", "prototype"."""

    __slots__ = ("kind", "parent", "names", "tags", "node")

    def __init__(self, kind, parent=None):
        self.kind = kind
        self.parent = parent
        self.names = {}
        self.tags = {}
        self.node = None  # Compound, For or FunctionDefinition that opens the scope; None for the file

    def lookup(self, name, before=None):
        """The Declarator that `name` means here, or None. `before`: ignore what is declared from that token index on."""
        scope = self
        while scope is not None:
            found = scope.own(name)
            while found is not None and before is not None and not found.system and found.name_index >= before:
                found = found.previous
            if found is not None:
                return found
            scope = scope.parent
        return None

    def own(self, name):
        """The Declarator of `name` in this very scope, or None. (The file's scope also looks into the system headers.)"""
        return self.names.get(name)

    def visible(self, position):
        """(name, Declarator) of the user's names before a token, the innermost first."""
        scope = self
        while scope is not None:
            for name, found in scope.names.items():
                if not found.system and (found.name_index or 0) < position:
                    yield name, found
            scope = scope.parent

    def tag(self, name):
        scope = self
        while scope is not None:
            found = scope.own_tag(name)
            if found is not None:
                return found
            scope = scope.parent
        return None

    def own_tag(self, name):
        return self.tags.get(name)


# ---- declarations ---------------------------------------------------------------------------------------------------------


class TranslationUnit(Node):
    """The whole file. items: declarations, function definitions and directives of user files, in order.
    directives: all directives in source order, also those inside functions. scope: the file's. typeofs: the expressions
    in `typeof(...)`, which are no children of the declarations that they stand in."""

    __slots__ = ("items", "directives", "scope", "source", "typeofs")
    parts = ("items",)

    def written(self, first, last):
        """Tokens first..last as the user wrote them, with macros unexpanded (`N` and not `256`); None where that cannot be.
        Such text means the same only where no #define or #undef stands in between."""
        from .alignment import alignment_of

        return alignment_of(self.source, self.tokens).written(first, last)


class Declaration(Node):
    """`static const double x, *y = 0;` storage: "typedef", "extern", "static", "auto", "register" or None.
    base: the type that the specifiers name; specifiers_last: index of their last token.
    declarators: may be empty (`struct s {...};`, `_Static_assert(...);`). scope: where it stands.
    fields: the Declarations inside a struct or union that the specifiers define (in order), else []."""

    __slots__ = ("storage", "base", "specifiers_last", "declarators", "scope", "fields")
    parts = ("fields", "declarators")


class Declarator(Node):
    """One declared name: a variable, parameter, field, function, typedef or enumeration constant (`kind` says which:
    "variable", "parameter", "field", "function", "typedef", "enumerator").

    name, name_index   the name and its token (None for an unnamed parameter or field)
    type               complete type
    storage            of its declaration: "extern", "static", "typedef" ... or None
    initializer        Expression, InitializerList or None
    scope              where it was declared
    codimensions       list of Expression, None (for `*`) or DEFERRED of a coarray declaration `a[10]:[2][*]`, `*y:[][]`; None
                       otherwise
    bit_width          of a bit-field, else None
    attributes         whether __attribute__ or _Alignas stands in it (its layout may differ from the plain type's)
    previous           an earlier declaration of the same name in the same scope (extern, prototype) or None
    system             whether it stands in a system header
    value              of an enumerator: its number or None
    first, last        from the first token of the declarator (behind the specifiers) to the last of its initializer"""

    __slots__ = ("kind", "name", "name_index", "type", "storage", "initializer", "scope", "codimensions", "bit_width",
                 "attributes", "previous", "system", "value")  # fmt: skip
    parts = ("initializer",)

    @property
    def word(self):
        """The token of the name; the first one of a declarator without a name."""
        return self.tokens[self.first if self.name_index is None else self.name_index]


class FunctionDefinition(Node):
    """declarator: its name and type (parameters: declarator.type.parameters). body: Compound. storage as in Declaration.
    parameter_declarations: of the old style `f(a) int a; {...}`; parameter_directives: those before the body."""

    __slots__ = ("declarator", "parameter_declarations", "parameter_directives", "body", "storage", "scope")
    parts = ("declarator", "parameter_declarations", "parameter_directives", "body")


class InitializerList(Node):
    """`{1, .x = 2, [3] = 4}`; items: Expression, InitializerList or Designation."""

    __slots__ = parts = ("items",)


class Designation(Node):
    """`.x[3] = value`; subscripts: the Expressions between brackets."""

    __slots__ = parts = ("subscripts", "value")


class AssemblyDeclaration(Node):
    """`asm("...");` at file scope."""

    __slots__ = ()


# ---- directives -----------------------------------------------------------------------------------------------------------


class Directive(Node):
    """`#pragma xmp ...`, `#pragma omp ...` or `#pragma GCC unroll ...`: tokens[first] is the PRAGMA token, tokens[last]
    PRAGMA_END; the operands between have their macros expanded, words of the directive language have not.
    language: "xmp", "omp" or "GCC". name: its first word ("loop"; "" if there is none). scope: the scope it stands in.
    As an item or statement of its own it is executable or declarative; which, is not known here."""

    __slots__ = ("language", "name", "scope")

    @property
    def operands(self):
        """Indices (begin, end) of the tokens behind `#pragma xmp`, end exclusive."""
        return self.first + 1, self.last


class DirectiveStatement(Node):
    """A directive and the statement that it applies to (loop, task, gmove ...)."""

    __slots__ = parts = ("directive", "statement")


# ---- statements -----------------------------------------------------------------------------------------------------------


class Compound(Node):
    """`{ ... }`; items: statements, Declarations and Directives. tokens[first] is `{`, tokens[last] is `}`."""

    __slots__ = ("items", "scope")
    parts = ("items",)


class ExpressionStatement(Node):
    """`expression;` or, with expression None, `;`."""

    __slots__ = parts = ("expression",)


class If(Node):
    __slots__ = parts = ("condition", "then", "otherwise")


class For(Node):
    """init: Declaration, Expression or None; condition, step: Expression or None."""

    __slots__ = ("init", "condition", "step", "body", "scope")
    parts = ("init", "condition", "step", "body")


class While(Node):
    __slots__ = parts = ("condition", "body")


class DoWhile(Node):
    __slots__ = parts = ("body", "condition")


class Switch(Node):
    __slots__ = parts = ("value", "body")


class Case(Node):
    """`case value:`, GNU `case value ... upper:`, `default:` (value None); statement: what the label stands on, or None."""

    __slots__ = parts = ("value", "upper", "statement")


class Label(Node):
    __slots__ = ("name", "statement")
    parts = ("statement",)


class Goto(Node):
    """label: the name, or None for GNU's `goto *target`."""

    __slots__ = ("label", "target")
    parts = ("target",)


class Break(Node):
    __slots__ = ()


class Continue(Node):
    __slots__ = ()


class Return(Node):
    __slots__ = parts = ("value",)


class Assembly(Node):
    """`asm volatile (...);`: operands that are expressions are not looked into."""

    __slots__ = ()


# ---- expressions ----------------------------------------------------------------------------------------------------------


class Expression(Node):
    """Base class; `type` is the C type of the expression itself (arrays have not decayed)."""

    __slots__ = ("type",)

    def constant(self):
        """The value of an integer constant expression, or None where it is no constant or not known here."""
        try:
            value = self._value()
        except (ZeroDivisionError, OverflowError, ValueError):
            return None
        return None if value is None else constants.wrapped(value, self.type)

    def _value(self):
        """The same before its type has wrapped it; may raise ZeroDivisionError, OverflowError, ValueError."""
        return None


class Identifier(Expression):
    """declaration: Declarator or None for an undeclared name."""

    __slots__ = ("name", "declaration")

    def _value(self):
        declaration = self.declaration
        return declaration.value if declaration is not None and declaration.kind == "enumerator" else None


class Number(Expression):
    __slots__ = ()

    def _value(self):
        return constants.parse_number(self.text())


class Character(Expression):
    __slots__ = ()

    def _value(self):
        return constants.parse_character(self.text())


class String(Expression):
    """One or more adjacent string literals."""

    __slots__ = ()


class Parenthesized(Expression):
    __slots__ = parts = ("operand",)

    def _value(self):
        return self.operand.constant()


class Subscript(Expression):
    """`base[index]`."""

    __slots__ = parts = ("base", "index")


class Section(Expression):
    """`base[begin:length:step]`, each of them None where left out. XMP/C only. The type is the element's."""

    __slots__ = parts = ("base", "begin", "length", "step")


def whole_section(base, element):
    """`base[:]` where the user wrote `base`; the base does not know of it."""
    section = Section()
    section.tokens, section.first, section.last, section.parent = base.tokens, base.first, base.last, base.parent
    section.base, section.begin, section.length, section.step, section.type = base, None, None, None, element
    return section


def has_sections(node):
    return any(isinstance(part, Section) for part in node.walk())


class CoarrayReference(Expression):
    """`base:[image][image]`; type is the base's. XMP/C only."""

    __slots__ = parts = ("base", "images")


class Call(Expression):
    """function: Expression; arguments: Expressions, or TypeNames where a macro such as va_arg takes one."""

    __slots__ = parts = ("function", "arguments")


class Member(Expression):
    """`base.name` or, with arrow, `base->name`. field: its Declarator, or None where the struct is not known."""

    __slots__ = ("base", "name", "arrow", "field")
    parts = ("base",)


class Unary(Expression):
    """Prefix operator: & * + - ~ ! ++ -- __real__ __imag__ &&."""

    __slots__ = ("operator", "operand")
    parts = ("operand",)

    def _value(self):
        value = self.operand.constant()
        return None if value is None else constants.unary(self.operator, value)


class Postfix(Expression):
    """`operand++` or `operand--`."""

    __slots__ = ("operator", "operand")
    parts = ("operand",)


class SizeOf(Expression):
    """sizeof, _Alignof and __alignof__ of an Expression or a TypeName."""

    __slots__ = ("operator", "operand")
    parts = ("operand",)

    def _value(self):
        return types.size_of(self.operand.type) if self.operator == "sizeof" else None


class Cast(Expression):
    __slots__ = parts = ("type_name", "operand")

    def _value(self):
        return self.operand.constant() if types.is_integer(self.type) else None


class CompoundLiteral(Expression):
    __slots__ = parts = ("type_name", "initializer")


class Binary(Expression):
    __slots__ = ("operator", "left", "right")
    parts = ("left", "right")

    def _value(self):
        left = self.left.constant()
        if left is None:
            return None
        value = constants.decided(self.operator, left)
        right = self.right.constant() if value is None else None
        return value if right is None else constants.binary(self.operator, left, right)


class Assign(Expression):
    """operator: `=`, `+=` ..."""

    __slots__ = ("operator", "target", "value")
    parts = ("target", "value")


class Conditional(Expression):
    """then is None in GNU's `a ?: b`."""

    __slots__ = parts = ("condition", "then", "otherwise")

    def _value(self):
        condition = self.condition.constant()
        if condition and self.then is None:
            return condition
        return None if condition is None else (self.then if condition else self.otherwise).constant()


class Comma(Expression):
    __slots__ = parts = ("left", "right")


class StatementExpression(Expression):
    """GNU's `({ ... })`."""

    __slots__ = parts = ("body",)


class Generic(Expression):
    """`_Generic(control, type: value, ...)` and GNU's __builtin_choose_expr, __builtin_types_compatible_p and
    __builtin_offsetof: operands in order, Expressions and TypeNames."""

    __slots__ = parts = ("operands",)


class TypeName(Node):
    """A type in parentheses: operand of a cast, sizeof, va_arg."""

    __slots__ = ("type",)


__all__ = [name for name, value in list(globals().items()) if isinstance(value, type)] + ["text_of", "types"]
