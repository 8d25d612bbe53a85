"""What every part of the lowering needs: the tree, the model, the messages, the edits, and small texts."""

import re
from contextlib import contextmanager

from ...directives.parser import shortened
from ...directives.words import parenthesised
from ...names import FreshNames
from ..reading import syntax, types
from ..reading.alignment import alignment_of
from ..reading.coarrays import Coarrays
from ..reading.syntax import text_of
from .edits import Edits


class Place:
    """Where a token of the unit stands; what diagnostics take. The column is looked up when a message is printed."""

    __slots__ = ("file", "line", "column", "text")

    def __init__(self, token, text=None):
        self.file = token.file
        self.line = token.line
        self.column = token.column
        self.text = text or token.text


class UnitEdits(Edits):
    """Edits with a last word: `override` drops what was recorded inside the tokens before."""

    def inside(self, first, last):
        """Whether a token of first..last is edited."""
        return any(i in self.replaced or i in self._before or i in self._after for i in range(first, last + 1))

    @contextmanager
    def isolated(self, node):
        """Meanwhile, what enclosing constructs have put around the node so far belongs neither to its text nor to what
        `override` drops."""
        before, after = self._before.pop(node.first, []), self._after.pop(node.last, [])
        try:
            yield
        finally:
            if before:
                self._before[node.first] = before + self._before.get(node.first, [])
            if after:
                self._after[node.last] = self._after.get(node.last, []) + after

    def override(self, first, last, text):
        for index in range(first, last + 1):
            self._before.pop(index, None)
            self._after.pop(index, None)
        self.replace(first, last, text)


class Context(FreshNames):
    """unit: the TranslationUnit; model: semantics.Model; diagnostics; options: translate.Options."""

    def __init__(self, unit, model, diagnostics, options):
        super().__init__(token.text for token in unit.tokens)
        self.unit = unit
        self.at = unit  # the node that is being read or lowered
        self.tokens = unit.tokens
        self.model = model
        self.diagnostics = diagnostics
        self.check = options.check
        self.coindex_base = options.coindex_base
        self.transport = options.transport
        self.local_view = False  # whether the file needs kumihimo/coarrays.h
        self.edits = UnitEdits(unit.tokens)
        self.coarrays = Coarrays(self.error, self.numbered)
        self.parsed = {}  # first token of a syntax.Directive -> the parsed directives
        self.uses = {}  # canonical declarator -> its Identifiers
        self.addressed = set()  # canonical declarators whose address is taken
        self.canonical = {}  # declarator -> the first declaration of the same object
        self.definitions = {}  # canonical declarator of a function -> its FunctionDefinition in this file
        self.local_functions = {}  # canonical declarator of a function -> whether it needs no executing set

    # ---- texts ----
    def site(self, text):
        return f"XMP_SITE({quoted(shortened(text))})"

    def code_site(self, node):
        """The site of a piece of code that is no directive."""
        return f"XMP_CODE({quoted(shortened(node.text()))})"

    def site_of(self, directive, line=None):
        """line: where the directive stands, if its call stands elsewhere."""
        return self.site(directive.text).replace("XMP_SITE(", f"XMP_SITE_AT({line}, ", 1) if line else self.site(directive.text)

    def error(self, code, message, place, notes=(), help=None):
        if isinstance(place, syntax.Node):
            place = Place(place.token)
        self.diagnostics.error(code, message, place, notes, help)

    # ---- the user's own spelling ----
    def spelling(self, node):
        """An expression as the user wrote it, macros by their names; where parts of it are edited, the edited text."""
        if self.edits.inside(node.first, node.last):
            return self.edits.text(node)
        return self.written(node)

    def written(self, node):
        """An expression as the user wrote it, without edits."""
        expanded = node.text()
        written = alignment_of(self.unit.source, self.tokens).written(node.first, node.last)
        if written is None:
            return expanded
        written = " ".join(written.split())
        loose = (
            parenthesised(written) == written and parenthesised(expanded) != expanded
        )  # a macro without parentheses of its own
        return f"({written})" if loose else written

    def lasting_spelling(self, node):
        """What the user wrote if it means the same at the end of the file, in the declare function; else the expansion."""
        written, expanded = self.written(node), node.text()
        lasting = written == expanded or self.unit.source.changing_macros().isdisjoint(re.findall(r"[A-Za-z_]\w*", written))
        return written if lasting else expanded

    def written_directive(self, node):
        """The words of a directive as the user wrote them, for sites."""
        begin, end = node.operands
        if end == begin:
            return ""
        written = alignment_of(self.unit.source, self.tokens).written(begin, end - 1)
        return " ".join((written or text_of(self.tokens, begin, end - 1)).split())

    # ---- references to nodes and templates ----
    def reference(self, reference, scope, position):
        """The ResolvedReference of an on or from clause, or None after an error."""
        for subscript in reference.subscripts or ():
            for expression in (subscript.first, subscript.last, subscript.step):
                if expression is not None and not self._local_only(expression, scope, position):
                    return None
        return self.model.reference(reference, scope, position)

    def _local_only(self, expression, scope, position):
        """Checks that an expression of a directive has no element of a global array, which is not on every node."""
        for name in expression.names:
            declarator = scope.lookup(name, position)
            if declarator is not None and self.coarrays.get(self.key(declarator)) is not None:
                self.error(
                    "XMP-E190",
                    f"the coarray '{name}' in a subscript of a directive is not supported",
                    expression.word,
                    help="copy it to a local variable",
                )
                return False
            if declarator is not None and self.model.array(self.key(declarator)) is not None:
                self.error(
                    "XMP-E184",
                    f"'{name}' is a global array; a subscript of a directive must have the same value on all nodes",
                    expression.word,
                    help="copy the element to a local variable and broadcast it",
                )
                return False
        return True

    # ---- arrays ----
    def key(self, declarator):
        return self.canonical.get(declarator, declarator)

    def coarray_of(self, identifier):
        """The Coarray that an Identifier means, or None."""
        declarator = identifier.declaration
        return None if declarator is None else self.coarrays.get(self.key(declarator))

    def array_of(self, identifier):
        """The ArrayEntity that an Identifier means, or None."""
        declarator = identifier.declaration
        return None if declarator is None else self.model.array(self.key(declarator))


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def object_name(entity):
    return entity.name + "_xmp"


# ---- C types of arrays ----


def shape(type_):
    """(element type, [dimension sizes as Expression or None], whether a pointer) of an array's declared type."""
    sizes, pointer = [], False
    inner = types.resolve(type_)
    if isinstance(inner, types.Pointer):
        pointer = True
        sizes.append(None)
        type_, inner = inner.target, types.resolve(inner.target)
    while isinstance(inner, types.Array):
        sizes.append(inner.size)
        type_, inner = inner.element, types.resolve(inner.element)
    return type_, sizes, pointer


_TYPE_CODES = {
    "_Bool": "BOOL",
    "char": "CHAR",
    "signed char": "SCHAR",
    "unsigned char": "UCHAR",
    "short": "SHORT",
    "unsigned short": "USHORT",
    "int": "INT",
    "unsigned int": "UINT",
    "long": "LONG",
    "unsigned long": "ULONG",
    "long long": "LONGLONG",
    "unsigned long long": "ULONGLONG",
    "float": "FLOAT",
    "double": "DOUBLE",
    "long double": "LONGDOUBLE",
    "_Float32": "FLOAT",
    "_Float64": "DOUBLE",
    "float _Complex": "FLOAT_COMPLEX",
    "double _Complex": "DOUBLE_COMPLEX",
    "long double _Complex": "LONGDOUBLE_COMPLEX",
}


def type_code(type_):
    inner = types.resolve(type_)
    if isinstance(inner, types.Enum):
        return "XMP_TYPE_INT"
    return "XMP_TYPE_" + _TYPE_CODES.get(getattr(inner, "name", None), "OTHER")


def is_integer(type_):
    code = type_code(type_)
    return code not in ("XMP_TYPE_OTHER",) and not is_floating(type_)


def is_floating(type_):
    return "FLOAT" in type_code(type_) or "DOUBLE" in type_code(type_)


def is_unsigned(type_):
    return type_code(type_) in (
        "XMP_TYPE_UCHAR",
        "XMP_TYPE_USHORT",
        "XMP_TYPE_UINT",
        "XMP_TYPE_ULONG",
        "XMP_TYPE_ULONGLONG",
        "XMP_TYPE_BOOL",
    )


def type_text(type_, declarator=""):
    return types.render(type_, declarator)


def subscripts_text(reference):
    """The XMP_Range initialisers of a resolved reference."""
    return ", ".join(range_text(reference, d) for d in range(len(reference.subscripts)))


def range_text(reference, d):
    s = reference.subscripts[d]
    if s.kind == "all":
        return "XMP_ALL"
    if s.kind == "own":
        return "XMP_OWN"
    if s.kind == "scalar":
        return f"XMP_AT({s.first})"
    first, last = ("XMP_OPEN" if end is None else end for end in (s.first, s.last))
    return f"XMP_FROM_TO({first}, {last}, {s.step})"


def on_text(reference):
    """A resolved reference as an argument `const XMP_On *`."""
    if reference is None or reference.executing_set:
        return "NULL"
    if not reference.subscripts:
        return f"XMP_ON_WHOLE({object_name(reference.entity)})"
    return f"XMP_ON({object_name(reference.entity)}, {len(reference.subscripts)}, {subscripts_text(reference)})"
