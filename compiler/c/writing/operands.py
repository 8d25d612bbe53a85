"""The operands of array assignments (specification 3.1): lvalues with sections `base[begin:length:step]`, read, checked, and as
texts with subscripts in place of the sections."""

from ...directives.words import integer, parenthesised
from ...plan.array_assignment import Dimension, Operand
from ...plan.gmove import COUNTS_DOWN
from ..reading import syntax, types
from .context import Place
from .elements import type_code
from .lvalues import has_sections, parts, quoted_text, reference_in


class Section(Dimension):
    """node: the syntax.Section; begin, pace, count: texts of its first element, its step and its number of elements."""

    def __init__(self, node):
        self.node = node
        self.full = node.begin is None and node.length is None and node.step is None

    def subscript(self, index):
        """The subscript that belongs to an index from 0."""
        begin, step = self.begin, integer(self.pace)
        moved = index if step in (1, -1) else f"{index} * {parenthesised(self.pace) if step is None else abs(step)}"
        if step is not None and step < 0:
            return f"{parenthesised(begin)} - {moved}"
        return moved if begin == "0" else f"{parenthesised(begin)} + {moved}"


class Lvalue(Operand):
    """An lvalue with sections: `a[0:n].m:[k]`. node: the whole; dimensions in the order of the text; reference:
    its CoarrayReference or None; coarray: that one's Coarray; root: what the lvalue is a part of; image, descriptor: texts of
    them."""

    def __init__(self, context, node):
        self.context, self.node, self.text = context, node, node.text()
        *chain, self.root = self.parts = list(parts(node))
        self.dimensions = [Section(part) for part in reversed(chain) if isinstance(part, syntax.Section)]
        self.reference, self.coarray = reference_in(node), None
        self.remote = self.reference is not None
        self.array = context.global_array(self.root)  # None for a local array

    def index(self, number):
        """The dimension of the global array that a section runs along."""
        subscripts = [part for part in reversed(self.parts) if isinstance(part, (syntax.Subscript, syntax.Section))]
        return subscripts.index(self.dimensions[number].node)

    def at(self, indices, end=None):
        """The operand's element at subscripts (texts, one for each dimension); end: only what stands inside this node."""
        return compose(self.context, end or self.node, dict(zip((d.node for d in self.dimensions), indices)))

    def begin(self):
        """The operand's first element."""
        return self.at([d.begin for d in self.dimensions])

    def first(self):
        return "&" + self.begin()

    def element(self, indices):
        """The operand's element of one turn of the loops."""
        return self.at([d.subscript(index) for d, index in zip(self.dimensions, indices)])

    # ---- the planner's questions ----
    def contiguous(self):
        first, *inner = self.dimensions
        if first.pace != "1" or not all(d.full for d in inner):
            return False
        behind = self.parts[: self.parts.index(first.node)]
        return all(isinstance(p, (syntax.Parenthesized, syntax.CoarrayReference, syntax.Section)) for p in behind)

    def is_like(self, target):
        return types.same_type(self.node.type, target.node.type)

    def is_separate(self, target):
        if None not in (self.array, target.array) and self.array is not target.array:
            return True
        keys = [operand.declarator() for operand in (target, self)]
        if None not in keys and keys[0] is not keys[1]:
            return all(map(_is_object, keys)) or self._excluded(target) or any(map(_restricted, keys))
        indices = [f"#{d}" for d in range(self.rank)]
        return self.element(indices) == target.element(indices) or None in keys and self._excluded(target)

    def declarator(self):
        """Of the object that the operand lies in; None where a member's pointer leads elsewhere."""
        root = self.root
        indexed = (part.base for part in self.parts if isinstance(part, (syntax.Subscript, syntax.Section)))
        if any(isinstance(base, syntax.Member) and isinstance(types.resolve(base.type), types.Pointer) for base in indexed):
            return None
        return self.context.key(root.declaration) if isinstance(root, syntax.Identifier) and root.declaration else None

    def _excluded(self, target):
        """Whether C itself forbids that the two overlap, by their types."""
        codes = [type_code(operand.node.type) for operand in (target, self)]
        known = all(not code.endswith(("OTHER", "CHAR")) for code in codes)
        return known and codes[0].replace("_U", "_") != codes[1].replace("_U", "_")


def _is_object(declarator):
    """Whether a name is an object of its own, not a pointer to one."""
    return declarator.kind == "variable" and not isinstance(types.resolve(declarator.type), types.Pointer)


def _restricted(declarator):
    return "restrict" in types.resolve(declarator.type).qualifiers


class Failed(Exception):
    """An error was reported."""


class OperandReader:
    """once: collects what is evaluated before the loops; distributed: whether sections of global arrays are taken."""

    def __init__(self, lowering, once, distributed=False):
        self.lowering, self.context, self.once, self.distributed = lowering, lowering.context, once, distributed

    def fail(self, code, message, node, help=None, notes=()):
        self.context.error(code, message, Place(node.token, node.text()), notes, help)
        raise Failed

    def operand(self, node):
        """The Lvalue of an expression with sections, or one element."""
        found = Lvalue(self.context, node)
        subscripts = (part.index for part in found.parts if isinstance(part, syntax.Subscript))
        sections = next(filter(has_sections, subscripts), None)
        if sections is not None:
            self.fail("XMP-E205", "an array section is no subscript", sections)
        if has_sections(found.root):
            self.lowering.sections.misplaced(next(p for p in found.root.walk() if isinstance(p, syntax.Section)))
            raise Failed
        if found.remote:
            found.coarray = self.lowering.coindexed.coarray_of(found.reference)
            if found.coarray is None:
                raise Failed
        if found.dimensions:
            self._check_operand(found)
        return found

    def _check_operand(self, operand):
        array = self.context.global_array(operand.root)
        if array is not None and not self.distributed:
            help_ = f"write before it: #pragma xmp array on {array.template.name}"
            message = f"sections of the global array '{array.name}' need the array directive"
            self.fail("XMP-E205", message, operand.node, help_)
        if operand.remote and self.distributed:
            message = "a coarray of another image cannot stand in an array construct"
            self.fail("XMP-E205", message, operand.node, "copy it to a local array first")
        if isinstance(types.resolve(operand.node.type), types.Array):
            missing = len(types.array_shape(operand.node.type)[0])
            self.fail(
                "XMP-E206",
                f"'{operand.node.text()}' has fewer subscripts than the array has dimensions",
                operand.node,
                f"write all of them: {operand.node.text() + '[:]' * missing}" if not operand.remote else None,
            )
        if any(isinstance(part, (syntax.Call, syntax.Postfix, syntax.Assign)) for part in operand.root.walk()):
            self.fail("XMP-E190", "an array section of the value of an expression is not supported", operand.root)
        if len(operand.dimensions) > 7:
            self.fail("XMP-E114", "an array section has at most 7 dimensions", operand.node)

    def measure(self, operand, counted):
        """Fills the dimensions of an operand, after the walk of its parts. counted: whether the number of elements is needed,
        which is the left side's."""
        for part in operand.parts:
            if isinstance(part, syntax.Subscript):
                self.once.in_place(part.index)
        if operand.remote:
            for image in operand.reference.images:
                self.lowering.visit(image)
            operand.image = self.lowering.coindexed.image_of(operand.reference, operand.coarray)
        if operand.array is None:
            self.lowering.visit(operand.root)
        if operand.remote:
            operand.descriptor = self.lowering.coindexed.descriptor(operand.reference.base)
        zeros = {d.node: "0" for d in operand.dimensions}
        for dimension in operand.dimensions:
            self._measure(dimension, zeros, counted)

    def _measure(self, made, zeros, counted):
        section, array = made.node, types.resolve(made.node.base.type)
        for part in (section.begin, section.length, section.step):
            if part is not None and types.is_floating(part.type):
                self.fail("XMP-E218", f"'{part.text()}' is no integer", part)
        known = isinstance(array, types.Array) and array.size is not None
        made.size = array.size.constant() if known else None
        made.pace, made.step = self._bound(section.step, 1)
        if made.step == 0:
            self.fail("XMP-E104", "the step of a section cannot be 0", section.step)
        made.begin, made.first = self._bound(section.begin, 0)
        if section.length is not None:
            made.number = section.length.constant()
            made.count = self._length(section, made.number, counted)
        else:
            self._check_open(section, made, known)
            made.number = made.rest()
            made.count = self._rest(section, made, zeros) if counted or made.number is not None else ""
        outside = made.outside()
        if outside is not None:
            message = f"'{section.text()}' reaches element {outside} of a dimension of {made.size} elements"
            self.fail("XMP-E215", message, section)
        if self.context.check:
            self._check_at_run_time(made, zeros)

    def _bound(self, expression, default):
        """(text, number or None) of a part of a section."""
        return (str(default), default) if expression is None else (self.once.index(expression), expression.constant())

    def _length(self, section, number, counted):
        if number is not None and number < 1:
            self.fail("XMP-E206", f"the length of a section must be positive, not {number}", section.length)
        return self.once.index(section.length) if counted or number is not None else ""

    def _check_open(self, section, made, known):
        """A section without a length: it must be known where it ends."""
        if section.begin is None and (made.step is None or made.step < 0):
            self.fail("XMP-E210", COUNTS_DOWN, section, self.context.downwards(section))
        if not known and (made.step is None or made.step > 0):
            self.fail("XMP-E210", f"the length of '{section.text()}' is not known", section, "write: [base:length]")

    def _rest(self, section, made, zeros):
        """The number of elements up to the end as text; that of a whole dimension as the user wrote it."""
        if made.number is not None and not (made.begin == "0" and made.step == 1):
            return str(made.number)
        size = self._size(section.base, zeros) or "0"
        if made.step == 1:
            return size if made.begin == "0" else f"{parenthesised(size)} - {parenthesised(made.begin)}"
        return self.once.constant("count", f"XMP_Rest({size}, {made.begin}, {made.pace})")

    def _size(self, base, zeros):
        """The number of elements of an array's outermost dimension as text, or None. zeros: for `compose`."""
        inner = types.resolve(base.type)
        if not isinstance(inner, types.Array) or inner.size is None:
            return None
        constant = inner.size.constant()
        name = parts_root(base)
        array = self.context.global_array(name)
        if constant is None and (array is not None or name is base and base.declaration.kind == "parameter"):
            return self.context.written(inner.size)
        if constant is None:
            text = compose(self.context, base, zeros)
            return self.once.constant("size", f"sizeof {text} / sizeof {text}[0]")
        named = any(token.kind == "identifier" for token in inner.size.tokens[inner.size.first : inner.size.last + 1])
        return str(constant) if named else self.context.lasting_spelling(inner.size)

    def _check_at_run_time(self, made, zeros):
        size = self._size(made.node.base, zeros)
        if size is not None:
            site = f"XMP_CODE({quoted_text(self.context, made.node)})"
            self.once.prefix.append(f"XMP_Check_section({site}, {size}, {made.begin}, {made.count}, {made.pace});")


def parts_root(node):
    """The name that an lvalue is a part of, or what else it is."""
    return list(parts(node))[-1]


def compose(context, node, texts, known=None):
    """The text of an lvalue with subscripts in place of its sections. texts: syntax.Section -> subscript; known: texts of
    nodes inside that are given."""
    if known and node in known:
        return known[node]
    if isinstance(node, syntax.Section):
        return f"{compose(context, node.base, texts, known)}[{texts[node]}]"
    if isinstance(node, syntax.Subscript):
        return f"{compose(context, node.base, texts, known)}[{context.spelling(node.index)}]"
    if isinstance(node, syntax.Member) and not node.arrow:
        return f"{compose(context, node.base, texts, known)}.{node.name}"
    if isinstance(node, syntax.Parenthesized):
        return f"({compose(context, node.operand, texts, known)})"
    if isinstance(node, syntax.CoarrayReference):
        return compose(context, node.base, texts, known)
    return context.spelling(node)
