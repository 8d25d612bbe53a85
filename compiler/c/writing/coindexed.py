"""References to coarrays of other images, `a[i]:[k]`, where no section is involved (specification 5.7.2): gets anywhere in an
expression, puts, and updates in place, each one macro of kumihimo/coarrays.h around the user's own text."""

from ...directives.words import parenthesised
from ...plan.coarrays import OPERATIONS, access
from ...record import Record
from ..reading import syntax, types
from ..reading.places import Place
from .elements import type_code
from .lvalues import (
    argument,
    bare_comma,
    converts,
    is_countable,
    parts,
    pointers_followed,
    quoted_text,
    reference_in,
    root_of,
    value_unused,
)
from .part import Part

# Access of the plan -> (macro, its arguments between the image and the value)
_MACROS = {
    "put": ("XMP_PUT", ""),
    "update": ("XMP_UPDATE", "{operation}, {type}, "),
    "add_fetch": ("XMP_ADD_FETCH", "{sign}, "),
    "fetch_add": ("XMP_FETCH_ADD", ""),
    "modify": ("XMP_MODIFY", "{operator}, "),
}


class Remote(Record):
    """An lvalue on another image: `a[i]:[k].m`.

    node       the whole of it
    reference  the CoarrayReference in it
    coarray    its Coarray or CoarrayPointer"""

    fields = ("node", "reference", "coarray")

    @property
    def selected(self):
        """Whether members or elements are chosen behind the coindex."""
        return self.node is not self.reference


class Coindexed(Part):
    """Part of the walk."""

    def __init__(self, lowering):
        super().__init__(lowering)
        self.settled = set()  # nodes whose text stands elsewhere already

    # ---- what a reference is ----
    def remote(self, expression):
        """The Remote that an expression is, or None if it is none; parentheses around it do not matter."""
        for part in parts(expression):
            if isinstance(part, syntax.CoarrayReference):
                return self._checked(expression, part)
            indexed = isinstance(part, syntax.Subscript) and isinstance(types.resolve(part.base.type), types.Array)
            if not (indexed or isinstance(part, (syntax.Member, syntax.Parenthesized))):
                return None

    def whole(self, reference):
        """The largest lvalue that begins with a CoarrayReference: with the members and elements that are chosen of it."""
        node = largest = reference
        while True:
            parent = node.parent
            if isinstance(parent, syntax.Member) and not parent.arrow or self._chooses(parent, node):
                largest = parent
            elif not isinstance(parent, syntax.Parenthesized):
                return largest
            node = parent

    def _chooses(self, parent, node):
        """Whether `parent` is an element of the array `node`."""
        of_array = isinstance(parent, syntax.Subscript) and parent.base is node
        return of_array and isinstance(types.resolve(node.type), types.Array)

    def _checked(self, whole, reference):
        coarray = self.coarray_of(reference)
        return None if coarray is None else Remote(whole, reference, coarray)

    def coarray_of(self, reference):
        """The Coarray or CoarrayPointer of a CoarrayReference, or None after an error."""
        coarray, pointer = self.owner(reference.base)
        if coarray is None:
            self._no_coarray(reference)
            return None
        if pointer is not None and not self._is_steady(pointer):
            return None
        if len(reference.images) != len(coarray.codimensions):
            given, declared = len(reference.images), len(coarray.codimensions)
            self.context.error(
                "XMP-E201",
                f"'{coarray.name}' has {declared} codimension{'s' * (declared != 1)}, but {given} image "
                f"{'indices are' if given != 1 else 'index is'} given",
                reference,
                [("it is declared here", coarray.word)],
            )
            return None
        for image in reference.images:
            if types.is_floating(image.type):
                self.context.error("XMP-E218", f"'{image.text()}' is no integer", image)
                return None
        return coarray

    def owner(self, expression):
        """(the Coarray or CoarrayPointer that an lvalue of this image is a part of; in the second case the pointer's
        expression); None for both if it is no part of one."""
        for node, followed in pointers_followed(expression):
            pointer = self.context.coarray_pointer(node)
            if pointer is not None and followed == 1:
                return pointer, node
        root, reachable = root_of(expression)
        coarray = self.context.coarray_of(root) if isinstance(root, syntax.Identifier) else None
        return (coarray if coarray is not None and (reachable or coarray.kind == "parameter") else None), None

    def descriptor(self, expression):
        """Text of the descriptor of the coarray that an lvalue is a part of, after the walk of its parts."""
        coarray, pointer = self.owner(expression)
        if pointer is None:
            return coarray.descriptor
        return f"XMP_Coarray_of({self.context.code_site(pointer)}, {argument(self.context.spelling(pointer))})"

    def _is_steady(self, pointer):
        """Whether the expression of a coarray pointer may be evaluated twice."""
        changes = (syntax.Call, syntax.Assign, syntax.Postfix)
        if any(isinstance(n, changes) or isinstance(n, syntax.Unary) and n.operator in ("++", "--") for n in pointer.walk()):
            message = f"a call or an assignment chooses the coarray pointer '{pointer.text()}'"
            help = "assign the pointer to a variable with codimensions first"
            self.context.error("XMP-E190", message, Place(pointer.token, pointer.text()), (), help)
            return False
        return True

    def _no_coarray(self, reference):
        text = reference.base.text()
        notes, help_ = [], None
        root, _ = root_of(reference.base)
        coarray = self.context.coarray_of(root) if isinstance(root, syntax.Identifier) else None
        pointer = next(filter(None, (self.context.coarray_pointer(n) for n, _ in pointers_followed(reference.base))), None)
        if pointer is not None:
            notes, help_ = [("it is declared here", pointer.word)], f"name an element of what '{pointer.name}' points to"
        elif coarray is not None:
            help_ = "a pointer leads to memory that is no part of the coarray"
        elif isinstance(root, syntax.Identifier) and root.declaration is not None and not root.declaration.system:
            if root.declaration.codimensions is not None:
                return  # declared as one, and refused
            name = root.declaration.word
            notes, help_ = [("it is declared here", name)], f"declare it as a coarray: {root.name}:[*]"
        self.context.error("XMP-E200", f"'{text}' is no coarray", Place(reference.token, text), notes, help_)

    def image(self, remote):
        """Text of the image's index, counted from 0, after the walk of its parts."""
        return self.image_of(remote.reference, remote.coarray)

    def image_of(self, reference, coarray):
        """The first codimension varies fastest (COA-05)."""
        indices = [self.context.spelling(image) for image in reference.images]
        if self.context.coindex_base:
            indices = [f"{parenthesised(index)} - {self.context.coindex_base}" for index in indices]
        if coarray.kind == "pointer" and len(indices) > 1:
            site, descriptor = self.context.code_site(reference), self.descriptor(reference.base)
            return f"XMP_Coarray_image({site}, {descriptor}, {len(indices)}, (const XMP_Index[]){{{', '.join(indices)}}})"
        if self.context.check:
            indices[:-1] = [self._checked_index(reference, coarray, d, index) for d, index in enumerate(indices[:-1])]
        text = indices[-1]
        for index, size in zip(reversed(indices[:-1]), reversed(coarray.codimensions[:-1])):
            text = f"{parenthesised(index)} + {parenthesised(size)} * {parenthesised(text)}"
        return text

    def _checked_index(self, reference, coarray, d, index):
        return f"XMP_Check_coindex({self.context.code_site(reference)}, {d + 1}, {coarray.codimensions[d]}, {index})"

    # ---- reads ----
    def read(self, reference):
        """A CoarrayReference in an expression whose value is needed."""
        if syntax.has_sections(reference.base):
            self.lowering.sections.misplaced(reference)
            return
        whole = self.whole(reference)
        remote = self._checked(whole, reference)
        if remote is None or not self.is_element(remote):
            return
        self._macro(remote, "XMP_GET")

    def is_element(self, remote):
        """Whether it is one value that can be transferred; if not, that is an error."""
        node = remote.node
        parent = node.parent
        while isinstance(parent, syntax.Parenthesized):
            parent = parent.parent
        if isinstance(parent, syntax.Unary) and parent.operator == "&":
            self._error("XMP-E208", remote, "the address of an element of another image does not exist here")
        elif isinstance(types.resolve(node.type), types.Array):
            name = remote.reference.base.text()
            colons = "[:]" * len(types.array_shape(node.type)[0])
            self._error("XMP-E205", remote, f"'{name}' is a whole array", f"write a section: {name}{colons}")
        elif isinstance(node, syntax.Member) and node.field is not None and node.field.bit_width is not None:
            self._error("XMP-E190", remote, "bit-fields of other images are not supported")
        else:
            return True
        return False

    def _error(self, code, remote, message, help=None):
        self.context.error(code, message, Place(remote.node.token, remote.node.text()), (), help)

    # ---- writes ----
    def assignment(self, node):
        """An Assign to a Remote. Returns False where the target is local."""
        if syntax.has_sections(node.target):
            self.lowering.sections.misplaced(node.target)
            return True
        remote = self.remote(node.target)
        if remote is None:
            return reference_in(node.target) is not None
        if not self.is_element(remote):
            return True
        how = self._access(remote, node, node.operator, node.value.type)
        macro, arguments = _written(how, remote, node.operator, node.operator[0])
        self._macro(remote, macro, node, arguments, node.value)
        return True

    def _access(self, remote, node, operator, type_):
        """The plan's access for an assignment of a value of a type, with the warning where it is not atomic."""
        target, after = remote.node, isinstance(node, syntax.Postfix)
        countable = is_countable(target) and types.is_integer(type_)
        how = access(operator, converts(target.type, type_, operator), value_unused(node), countable, after)
        if how == "modify":
            self.warn_of_races(node, target)
        return how

    def warn_of_races(self, node, target):
        self.context.diagnostics.warning(
            "XMP-W220",
            f"'{node.operator}' here is a get, the operation and a put: another image may change '{target.text()}' meanwhile",
            Place(node.token, node.text()),
            (),
            "between lock and unlock it is safe",
        )

    def increment(self, node):
        """`a[i]:[k]++`, `--a[i]:[k]`. Returns False where the operand is local."""
        remote = self.remote(node.operand)
        if remote is None:
            return reference_in(node.operand) is not None
        if not self.is_element(remote):
            return True
        sign, amount = node.operator[0], 1 if node.operator == "++" else -1
        how = self._access(remote, node, "+=", types.Basic("int"))
        macro, arguments = _written(how, remote, "+=", sign)
        after = f" - {amount}" if how == "modify" and isinstance(node, syntax.Postfix) else ""
        self._macro(remote, macro, node, f"{arguments}{1 if how == 'add_fetch' else amount}", after=after)
        return True

    # ---- texts ----
    def _macro(self, remote, macro, node=None, between="", value=None, after=""):
        """Puts a macro around the user's text. node: the whole expression, where it is more than the reference; between:
        what stands between the image and `value`, the last argument."""
        node = node or remote.node
        reference, coarray = remote.reference, remote.coarray
        opening, closing = ("(", f"{after})") if after else ("", "")
        start = f"{opening}{macro}({quoted_text(self.context, node)}, "
        simple = (
            coarray.kind != "pointer"
            and not remote.selected
            and len(reference.images) == 1
            and node.last == (value or remote.node).last
        )
        parts = [reference.base, *reference.images] + ([value] if value else [])
        if not simple or node.first != reference.first or any(bare_comma(part) for part in parts) or self.context.coindex_base:
            self._rewritten(remote, node, start, between, value, closing)
            return
        edits, image = self.edits, reference.images[0]
        edits.before(node.first, f"{start}{coarray.descriptor}, ")
        edits.replace(reference.base.last + 1, image.first - 1, ", ")
        if value is None:
            edits.replace(image.last + 1, node.last, f"{between}){closing}")
        else:
            edits.replace(image.last + 1, value.first - 1, between.rstrip() if value.token.space else between)
            edits.after(node.last, f"){closing}")
        for part in parts:
            self.lowering.visit(part)

    def _rewritten(self, remote, node, start, between, value, closing):
        """The same where the order of the words changes: everything anew from the parts' texts."""
        with self.edits.isolated(node):
            element = self.element(remote)
            for part in [*remote.reference.images, *([value] if value else [])]:
                self.lowering.visit(part)
            image = self.image(remote)
            last = argument(self.context.spelling(value)) if value else ""
            text = f"{start}{self.descriptor(remote.reference.base)}, {argument(element)}, {argument(image)}"
            text += f"{between}{last}){closing}"
            self.edits.override(node.first, node.last, text)

    def element(self, remote):
        """Text of the same lvalue on this image."""
        return self._local(remote.node, remote.reference)

    def _local(self, node, reference):
        if node is reference:
            return self.lowering.spelled(reference.base)
        if isinstance(node, syntax.Parenthesized):
            return f"({self._local(node.operand, reference)})"
        inner = self._local(node.base, reference)
        if isinstance(node, syntax.Member):
            return f"{inner}.{node.name}"
        text = self.lowering.spelled(node.index)
        self.settled.add(node.index)
        return f"{inner}[{text}]"


def _written(how, remote, operator, sign):
    """(macro, arguments before the value) of an access."""
    macro, arguments = _MACROS[how]
    operation, type_ = OPERATIONS.get(operator), type_code(remote.node.type)
    return macro, ", " + arguments.format(operation=operation, type=type_, sign=sign, operator=operator)
