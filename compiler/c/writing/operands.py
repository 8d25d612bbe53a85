"""The operands of array assignments (specification 3.1) as texts, with subscripts in place of the sections."""

from ...directives.words import integer, parenthesised
from ...plan.array_assignment import Dimension, Operand
from ..reading import syntax, types
from ..reading.places import Place
from .elements import type_code
from .lvalues import parts, quoted_text, reference_in


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

    @property
    def word(self):
        return Place(self.node.token, self.text)

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


class OperandWriter:
    """Texts of operands that were read and measured. once: collects what is evaluated before the loops."""

    def __init__(self, lowering, once):
        self.lowering, self.context, self.once = lowering, lowering.context, once

    def write(self, operand, counted):
        """Fills in the texts of an operand, after the walk of its parts. counted: whether the number of elements is needed,
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
            self._write(dimension, dimension.node, zeros, counted)

    def _write(self, made, section, zeros, counted):
        made.pace = "1" if section.step is None else self.once.index(section.step)
        made.begin = "0" if section.begin is None else self.once.index(section.begin)
        made.count = ""
        if counted or made.number is not None:
            made.count = self._rest(section, made, zeros) if section.length is None else self.once.index(section.length)
        if self.context.check:
            self._check_at_run_time(made, zeros)

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
