"""The operands of array assignments (specification 3.1): lvalues with sections `base[begin:length:step]`, read, checked, and as
texts with subscripts in place of the sections."""

from ...directives.words import integer, parenthesised
from ...plan.gmove import COUNTS_DOWN
from ..reading import syntax, types
from .context import Place
from .lvalues import has_sections, quoted_text


class Dimension:
    """One section of an operand, as texts. count: of elements; number: the same as int, where known; full: written `[:]`."""

    __slots__ = ("section", "begin", "step", "count", "number", "full")


class Operand:
    """An lvalue with sections: `a[0:n].m:[k]`. node: the whole; dimensions in the order of the text; reference:
    its CoarrayReference or None; coarray: that one's Coarray; root: what the lvalue is a part of."""

    __slots__ = ("context", "node", "dimensions", "reference", "coarray", "root", "image")

    @property
    def rank(self):
        return len(self.dimensions)

    def at(self, indices, end=None):
        """The operand's element at subscripts (texts, one for each dimension); end: only what stands inside this node."""
        texts = {id(d.section): text for d, text in zip(self.dimensions, indices)}
        return compose(self.context, end or self.node, texts)

    def begin(self):
        """The operand's first element."""
        return self.at([d.begin for d in self.dimensions])

    def first(self):
        return "&" + self.begin()


class Failed(Exception):
    """An error was reported."""


class OperandReader:
    """once: collects what is evaluated before the loops."""

    def __init__(self, lowering, once):
        self.lowering, self.context, self.once = lowering, lowering.context, once

    def fail(self, code, message, node, help=None, notes=()):
        self.context.error(code, message, Place(node.token, node.text()), notes, help)
        raise Failed

    def operand(self, node):
        """The Operand that an lvalue is."""
        found = Operand()
        found.context = self.context
        found.node, found.dimensions, found.reference, found.coarray = node, [], None, None
        part = node
        while True:
            if isinstance(part, syntax.Section):
                found.dimensions.insert(0, part)
                part = part.base
            elif isinstance(part, syntax.Subscript) or isinstance(part, syntax.Member) and not part.arrow:
                if isinstance(part, syntax.Subscript) and has_sections(part.index):
                    self.fail("XMP-E205", "an array section is no subscript", part.index)
                part = part.base
            elif isinstance(part, syntax.Parenthesized):
                part = part.operand
            elif isinstance(part, syntax.CoarrayReference):
                found.reference, part = part, part.base
            else:
                break
        found.root = part
        if has_sections(part):
            self.lowering.sections.misplaced(next(p for p in part.walk() if isinstance(p, syntax.Section)))
            raise Failed
        if found.reference is not None:
            found.coarray = self.lowering.coindexed.coarray_of(found.reference)
            if found.coarray is None:
                raise Failed
        if found.dimensions:
            self._check_operand(found)
        return found

    def _check_operand(self, operand):
        array = self.context.global_array(operand.root)
        if array is not None:
            self.fail("XMP-E190", f"sections of the global array '{array.name}' need the array directive", operand.node)
        if isinstance(types.resolve(operand.node.type), types.Array):
            missing = len(types.array_shape(operand.node.type)[0])
            self.fail(
                "XMP-E206",
                f"'{operand.node.text()}' has fewer subscripts than the array has dimensions",
                operand.node,
                f"write all of them: {operand.node.text() + '[:]' * missing}" if operand.reference is None else None,
            )
        if any(isinstance(part, (syntax.Call, syntax.Postfix, syntax.Assign)) for part in operand.root.walk()):
            self.fail("XMP-E190", "an array section of the value of an expression is not supported", operand.root)
        if len(operand.dimensions) > 7:
            self.fail("XMP-E114", "an array section has at most 7 dimensions", operand.node)

    def dimensions(self, operand, counted):
        """The Dimensions of an operand, after the walk of its parts."""
        for part in _chain(operand.node):
            if isinstance(part, syntax.Subscript):
                self.once.in_place(part.index)
        operand.image = None
        if operand.reference is not None:
            for image in operand.reference.images:
                self.lowering.visit(image)
            operand.image = self.lowering.coindexed.image_of(operand.reference, operand.coarray)
        self.lowering.visit(operand.root)
        zeros = {id(section): "0" for section in operand.dimensions}
        return [self._dimension(section, zeros, counted) for section in operand.dimensions]

    def _dimension(self, section, zeros, counted):
        """counted: whether the number of elements is needed, which is the left side's."""
        for part in (section.begin, section.length, section.step):
            if part is not None and types.is_floating(part.type):
                self.fail("XMP-E218", f"'{part.text()}' is no integer", part)
        made = Dimension()
        made.section = section
        made.full = section.begin is None and section.length is None and section.step is None
        made.step = "1" if section.step is None else self.once.index(section.step)
        step = section.step.constant() if section.step is not None else 1
        if step == 0:
            self.fail("XMP-E104", "the step of a section cannot be 0", section.step)
        made.begin = "0" if section.begin is None else self.once.index(section.begin)
        if section.length is not None:
            made.number = section.length.constant()
            made.count = self._length(section, made.number, counted)
        else:
            made.number = self._number(section, made, step)
            made.count = self._rest(section, made, step, zeros) if counted or made.number is not None else ""
        self._check_bounds(section, made)
        if self.context.check:
            self._check_at_run_time(made, zeros)
        return made

    def _length(self, section, number, counted):
        if number is not None and number < 1:
            self.fail("XMP-E206", f"the length of a section must be positive, not {number}", section.length)
        return self.once.index(section.length) if counted or number is not None else ""

    def _number(self, section, made, step):
        """The number of elements up to the end of the dimension, or down to 0, if it is constant."""
        if section.begin is None and (step is None or step < 0):
            self.fail("XMP-E210", COUNTS_DOWN, section, self.context.downwards(section))
        array, begin = types.resolve(section.base.type), section.begin.constant() if section.begin is not None else 0
        known = isinstance(array, types.Array) and array.size is not None
        if not known and (step is None or step > 0):
            self.fail("XMP-E210", f"the length of '{section.text()}' is not known", section, "write: [base:length]")
        size = array.size.constant() if known else 0
        if None in (size, begin, step):
            return None
        return (size - begin + step - 1) // step if step > 0 else begin // -step + 1

    def _rest(self, section, made, step, zeros):
        """The same as text; that of a whole dimension as the user wrote it."""
        if made.number is not None and not (made.begin == "0" and step == 1):
            return str(made.number)
        size = self._size(section.base, zeros) or "0"
        if step == 1:
            return size if made.begin == "0" else f"{parenthesised(size)} - {parenthesised(made.begin)}"
        return self.once.constant("count", f"XMP_Rest({size}, {made.begin}, {made.step})")

    def _size(self, base, zeros):
        """The number of elements of an array's outermost dimension as text, or None. zeros: for `compose`."""
        inner = types.resolve(base.type)
        if not isinstance(inner, types.Array) or inner.size is None:
            return None
        constant = inner.size.constant()
        if constant is None and isinstance(base, syntax.Identifier) and base.declaration.kind == "parameter":
            return self.context.written(inner.size)
        if constant is None:
            text = compose(self.context, base, zeros)
            return self.once.constant("size", f"sizeof {text} / sizeof {text}[0]")
        named = any(token.kind == "identifier" for token in inner.size.tokens[inner.size.first : inner.size.last + 1])
        return str(constant) if named else self.context.lasting_spelling(inner.size)

    def _check_bounds(self, section, made):
        size = types.resolve(section.base.type)
        size = size.size.constant() if isinstance(size, types.Array) and size.size is not None else None
        begin = 0 if section.begin is None else section.begin.constant()
        step = 1 if section.step is None else section.step.constant()
        count = made.number
        if None in (size, begin):
            return
        last = begin if None in (step, count) else begin + (count - 1) * step
        if count is not None and count < 1 or not (0 <= begin < size and 0 <= last < size):
            outside = last if 0 <= begin < size else begin
            self.fail("XMP-E215", f"'{section.text()}' reaches element {outside} of a dimension of {size} elements", section)

    def _check_at_run_time(self, made, zeros):
        size = self._size(made.section.base, zeros)
        if size is not None:
            site = f"XMP_CODE({quoted_text(self.context, made.section)})"
            self.once.prefix.append(f"XMP_Check_section({site}, {size}, {made.begin}, {made.count}, {made.step});")


def compose(context, node, texts):
    """The text of an lvalue with subscripts in place of its sections. texts: id of a Section -> subscript."""
    if isinstance(node, syntax.Section):
        return f"{compose(context, node.base, texts)}[{texts[id(node)]}]"
    if isinstance(node, syntax.Subscript):
        return f"{compose(context, node.base, texts)}[{context.spelling(node.index)}]"
    if isinstance(node, syntax.Member) and not node.arrow:
        return f"{compose(context, node.base, texts)}.{node.name}"
    if isinstance(node, syntax.Parenthesized):
        return f"({compose(context, node.operand, texts)})"
    if isinstance(node, syntax.CoarrayReference):
        return compose(context, node.base, texts)
    return context.spelling(node)


def _chain(node):
    """The parts of an lvalue, from the outside inwards."""
    while isinstance(node, (syntax.Section, syntax.Subscript, syntax.Member, syntax.Parenthesized, syntax.CoarrayReference)):
        yield node
        if isinstance(node, syntax.Member) and node.arrow:
            return
        node = node.operand if isinstance(node, syntax.Parenthesized) else node.base


def subscript(dimension, index):
    """The subscript that belongs to an index from 0."""
    begin, step = dimension.begin, integer(dimension.step)
    moved = index if step in (1, -1) else f"{index} * {parenthesised(dimension.step) if step is None else abs(step)}"
    if step is not None and step < 0:
        return f"{parenthesised(begin)} - {moved}"
    return moved if begin == "0" else f"{parenthesised(begin)} + {moved}"


def contiguous(operand):
    """Whether the elements follow each other in memory as far as the text says."""
    first, *inner = operand.dimensions
    if first.step != "1" or not all(d.full for d in inner):
        return False
    node = operand.node
    while node is not first.section:
        if isinstance(node, syntax.Parenthesized):
            node = node.operand
        elif isinstance(node, (syntax.CoarrayReference, syntax.Section)):
            node = node.base
        else:
            return False
    return True
