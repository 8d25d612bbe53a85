"""What every part of the writing needs: the tree, the model, the messages, the edits, and the C answers to the planner's
questions."""

import functools
import re
from contextlib import contextmanager

from ...directives.parser import shortened
from ...directives.words import parenthesised
from ...plan.array_construct import SectionIndex
from ...plan.language import Language
from ...plan.questions import Lines, Sections
from ..reading import syntax, types
from ..reading.alignment import alignment_of
from ..reading.coarrays import Coarrays
from ..reading.errors import InvalidSyntax
from ..reading.members import Members
from ..reading.parser import parse_expression
from ..reading.places import Place
from ..reading.sides import Sides
from ..reading.syntax import text_of
from .edits import Edits
from .elements import kind_of, shape, type_text
from .nest import BlockAnswers
from .texts import INDICES, quoted
from .variables import Memory, variable


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


class Context(BlockAnswers, Sides, Sections, Lines, Language):
    """unit: the TranslationUnit; options: translate.Options. A place is a syntax.Directive."""

    sentinel, statement, numbers, component = "#pragma xmp", "for statement", "an arithmetic type", "member"

    def __init__(self, unit, model, diagnostics, options):
        super().__init__((token.text for token in unit.tokens), model, diagnostics, unit)
        self.unit = unit
        self.tokens = unit.tokens
        self.check = options.check
        self.coindex_base = options.coindex_base
        self.transport = options.transport
        self.local_view = False  # whether the file needs kumihimo/coarrays.h
        self.warns_of_shadows = any(option.startswith("-Wshadow") for option in unit.source.options)
        self.edits = UnitEdits(unit.tokens)
        self.coarrays = Coarrays(self.error, self.numbered)
        self.members = Members(unit, self.error)
        self.uses = {}  # canonical declarator -> its Identifiers
        self.addressed = set()  # canonical declarators whose address is taken
        self.canonical = {}  # declarator -> the first declaration of the same object
        self.definitions = {}  # canonical declarator of a function -> its FunctionDefinition in this file
        self.local_functions = {}  # canonical declarator of a function -> whether it needs no executing set

    # ---- directives ----
    def directives(self, *kinds):
        """[(syntax.Directive, tree.Directive)] of the unit's directives of these kinds; after all are parsed."""
        return [found for kind in kinds for found in self._directives.get(kind, ())]

    @functools.cached_property
    def _directives(self):
        by_kind = {}
        for node in self.unit.directives:
            for one in self.parsed.get(node.first) or ():
                by_kind.setdefault(one.kind, []).append((node, one))
        return by_kind

    # ---- texts ----
    def site(self, text):
        return f"XMP_SITE({quoted(shortened(text))})"

    def code_site(self, node):
        """The site of a piece of code that is no directive."""
        return f"XMP_CODE({quoted(shortened(node.text()))})"

    def code_place(self, node):
        """The XMP_Place of a piece of code that uses an element."""
        return f"XMP_PLACE({quoted(shortened(node.text()))})"

    def site_of(self, directive, line=None):
        """line: where the directive stands, if its call stands elsewhere."""
        return self.site(directive.text).replace("XMP_SITE(", f"XMP_SITE_AT({line}, ", 1) if line else self.site(directive.text)

    def error(self, code, message, place, notes=(), help=None):
        super().error(code, message, Place(place.token) if isinstance(place, syntax.Node) else place, notes, help)

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

    def unplanned(self, directive):
        self.model.unsupported(directive)

    # ---- the planner's questions ----
    def scope(self, place):
        return place.scope, place.first

    def declared(self, name, place):
        declarator = place.scope.lookup(name, place.first)
        return None if declarator is None else (self.key(declarator), None if declarator.system else declarator.word)

    def variable(self, expression, place):
        tree = self.expression(expression, place)
        return None if tree is None else variable(self, tree, expression, place)

    def is_single(self, variable):
        return isinstance(variable.more, Memory) and variable.more.count == "1"

    def expression(self, expression, place):
        """The tree of a directive's Expression, made of the unit's own tokens; None after an error."""
        begin = next(i for i in range(place.first, place.last) if place.tokens[i] is expression.words[0])
        try:
            return parse_expression(self.unit, begin, begin + len(expression.words), place.scope)
        except InvalidSyntax as wrong:
            self.error("XMP-E103", f"'{expression.text}' is no expression: {wrong.message}", expression.word)
            return None

    def section_index(self, number, step):
        return SectionIndex(self.name(f"{INDICES[number]}_xmp"), step, types.Basic("XMP_Index"))

    def location(self, place):
        return place.token.file, place.token.line

    def extent(self, place):
        whole = place.parent if isinstance(place.parent, syntax.DirectiveStatement) else place
        return place.token.line, whole.tokens[whole.last].line

    def innermost(self, place):
        loops = (syntax.For, syntax.While, syntax.DoWhile)
        found = [node for node in place.parent.walk() if isinstance(node, loops)]
        return {node.token.line for node in found if not any(isinstance(part, loops) for part in node.body.walk())}

    def length(self, array, dimension):
        size = shape(array.symbol.declaration.type)[1][dimension]
        if size is None:
            return f"{array.name}'s length"
        return self.written(size) if size.constant() is None else str(size.constant())

    def element_kind(self, array):
        return kind_of(shape(array.symbol.declaration.type)[0])

    def element_type(self, array):
        return type_text(shape(array.symbol.declaration.type)[0])

    def reference(self, reference, place):
        for subscript in reference.subscripts or () if reference is not None else ():
            for expression in (subscript.first, subscript.last, subscript.step):
                if expression is not None and not self._local_only(expression, place):
                    return None
        return super().reference(reference, place)

    def _local_only(self, expression, place):
        """Checks that an expression of a directive has no element of a global array, which is not on every node."""
        for name in expression.names:
            declared = self.declared(name, place)
            if declared is not None and self.coarrays.get(declared[0]) is not None:
                message = f"the coarray '{name}' in a subscript of a directive is not supported"
                self.error("XMP-E190", message, expression.word, help="copy it to a local variable")
                return False
            if declared is not None and self.model.array(declared[0]) is not None:
                message = f"'{name}' is a global array; a subscript of a directive must have the same value on all nodes"
                self.error("XMP-E184", message, expression.word, help="copy the element to a local variable and broadcast it")
                return False
        return True

    # ---- arrays ----
    def key(self, declarator):
        return self.canonical.get(declarator, declarator)

    def coarray_of(self, identifier):
        """The Coarray that an Identifier means, or None."""
        declarator = identifier.declaration
        return None if declarator is None else self.coarrays.get(self.key(declarator))

    def coarray_pointer(self, node):
        """The CoarrayPointer that an Identifier, a Member or a Declarator is, or None."""
        declarator = node if isinstance(node, syntax.Declarator) else None
        declarator = declarator or getattr(node, "declaration", None) or getattr(node, "field", None)
        return None if declarator is None else self.coarrays.pointers.get(self.key(declarator))

    def array_of(self, identifier):
        """The ArrayEntity that an Identifier means, or None."""
        declarator = identifier.declaration
        return None if declarator is None else self.model.array(self.key(declarator))

    def global_array(self, node):
        """The global array whose name an expression is, or None."""
        array = self.array_of(node) if isinstance(node, syntax.Identifier) else None
        return array if array is not None and array.dimensions is not None else None
