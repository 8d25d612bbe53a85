"""The operands of array assignments (specification 3.1) as the user wrote them: lvalues with sections
`base[begin:length:step]`, checked, with the numbers in them that are known. writing/operands.py writes them."""

from ...plan.gmove import COUNTS_DOWN
from . import syntax, types
from .places import Place


class Failed(Exception):
    """An error was reported."""


class OperandReader:
    """make(node): the Operand of an lvalue; coarray_of(reference): the Coarray of a CoarrayReference, None after an error;
    distributed: whether sections of global arrays are taken."""

    def __init__(self, context, make, coarray_of, distributed=False):
        self.context, self.make, self.coarray_of, self.distributed = context, make, coarray_of, distributed

    def fail(self, code, message, node, help=None, notes=()):
        self.context.error(code, message, Place(node.token, node.text()), notes, help)
        raise Failed

    def misplaced(self, node):
        """A section that stands in no array assignment."""
        message = "an array section can stand in an array assignment statement only"
        self.fail("XMP-E205", message, node, "write: x[0:n] = ...;")

    def operand(self, node):
        """The Operand of an expression with sections, or one element."""
        found = self.make(node)
        subscripts = (part.index for part in found.parts if isinstance(part, syntax.Subscript))
        sections = next(filter(syntax.has_sections, subscripts), None)
        if sections is not None:
            self.fail("XMP-E205", "an array section is no subscript", sections)
        if syntax.has_sections(found.root):
            self.misplaced(next(p for p in found.root.walk() if isinstance(p, syntax.Section)))
        if found.remote:
            found.coarray = self.coarray_of(found.reference)
            if found.coarray is None:
                raise Failed
        if found.dimensions:
            self._check(found)
        return found

    def _check(self, operand):
        array, node = self.context.global_array(operand.root), operand.node
        if array is not None and not self.distributed:
            help_ = f"write before it: #pragma xmp array on {array.template.name}"
            message = f"sections of the global array '{array.name}' need the array directive"
            self.fail("XMP-E205", message, node, help_)
        if operand.remote and self.distributed:
            message = "a coarray of another image cannot stand in an array construct"
            self.fail("XMP-E205", message, node, "copy it to a local array first")
        if isinstance(types.resolve(node.type), types.Array):
            missing = "[:]" * len(types.array_shape(node.type)[0])
            help_ = f"write all of them: {node.text()}{missing}" if not operand.remote else None
            self.fail("XMP-E206", f"'{node.text()}' has fewer subscripts than the array has dimensions", node, help_)
        if any(isinstance(part, (syntax.Call, syntax.Postfix, syntax.Assign)) for part in operand.root.walk()):
            self.fail("XMP-E190", "an array section of the value of an expression is not supported", operand.root)
        if len(operand.dimensions) > 7:
            self.fail("XMP-E114", "an array section has at most 7 dimensions", node)

    def measure(self, operand):
        """Fills in what is known of the dimensions."""
        for dimension in operand.dimensions:
            self._measure(dimension, dimension.node)

    def _measure(self, made, section):
        for part in (section.begin, section.length, section.step):
            if part is not None and types.is_floating(part.type):
                self.fail("XMP-E218", f"'{part.text()}' is no integer", part)
        array = types.resolve(section.base.type)
        known = isinstance(array, types.Array) and array.size is not None
        made.measured(array.size.constant() if known else None, section.begin, section.length, section.step)
        if made.step == 0:
            self.fail("XMP-E104", "the step of a section cannot be 0", section.step)
        if section.length is None:
            self._check_open(section, made, known)
        elif made.number is not None and made.number < 1:
            self.fail("XMP-E206", f"the length of a section must be positive, not {made.number}", section.length)
        outside = made.outside()
        if outside is not None:
            message = f"'{section.text()}' reaches element {outside} of a dimension of {made.size} elements"
            self.fail("XMP-E215", message, section)

    def _check_open(self, section, made, known):
        """A section without a length: it must be known where it ends."""
        if section.begin is None and (made.step is None or made.step < 0):
            self.fail("XMP-E210", COUNTS_DOWN, section, self.context.downwards(section))
        if not known and (made.step is None or made.step > 0):
            self.fail("XMP-E210", f"the length of '{section.text()}' is not known", section, "write: [base:length]")
