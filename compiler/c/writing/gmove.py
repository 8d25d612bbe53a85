"""gmove: one call with both sides, XMP_Side, in place of the assignment."""

from ...plan.gmove import Triplet
from ..reading import syntax, types
from .communication import async_text
from .elements import shape, type_code, type_text
from .part import Part
from .texts import list_text, object_name, quoted


class Gmove(Part):
    """Part of the walk."""

    def gmove(self, node, step):
        context, site = self.context, self.context.site_of(step.directive, node.directive.token.line)
        left, right = self.side(step.left), self.side(step.right)
        function = "XMP_Gmove" + (f"_{step.mode}" if step.mode else "")
        context.local_view = context.local_view or step.mode is not None  # nodes then reach each other's parts of arrays
        context.edits.delete(node.directive.first, node.directive.last)
        call = f"{function}({site}, {left}, {right}, {async_text(step.async_id)});"
        context.edits.override(node.statement.first, node.statement.last, call)

    def side(self, side):
        """A Side as an argument."""
        return f"&(const XMP_Side){self.fields(side)}"

    def fields(self, side):
        """The initialiser of its XMP_Side."""
        fields = [f".text = {quoted(self.context.written(side.expression))}"]
        memory = []
        if side.array is not None:
            fields.append(f".array = {object_name(side.array)}")
            fields += self._member(side) if side.kind == "member" else []
        else:
            address, type_ = self.lowering.spelled(side.start), type_text(side.type)
            memory = [extent(side, number, address) for number in range(len(side.subscripts))]
            if not side.subscripts:
                address = f"(const {type_}[]){{{address}}}" if side.kind == "value" else f"&({address})"
            fields.append(f".address = (void *){address}")
            fields.append(f".type = {type_code(side.type)}, .element_bytes = sizeof({type_})")
        if side.subscripts:
            subscripts = list_text("XMP_Triplet", [self._subscript(subscript) for subscript in side.subscripts])
            fields.append(f".rank = {len(side.subscripts)}, .subscripts = {subscripts}")
        if memory:
            extents, strides = (list_text("XMP_Index", texts) for texts in zip(*memory))
            fields.append(f".extents = {extents}, .strides = {strides}")
        return f"{{{', '.join(fields)}}}"

    def _member(self, side):
        """The fields for a member of the elements."""
        element, path = type_text(shape(side.array.symbol.declaration.type)[0]), ""
        for part in side.member:
            path += f".{part.name}" if isinstance(part, syntax.Member) else f"[{self.lowering.spelled(part.index)}]"
        member = f"(({element} *)0)->{path[1:]}"
        return [
            f".type = {type_code(side.type)}, .element_bytes = sizeof({member})",
            f".member = __builtin_offsetof({element}, {path[1:]})",
        ]

    def _subscript(self, subscript):
        texts = [None if part is None else self.lowering.spelled(part) for part in subscript.parts]
        if not isinstance(subscript, Triplet):
            return f"XMP_INDEX({texts[0]})"
        begin, length, step = texts
        return f"XMP_TRIPLET({begin or 'XMP_OPEN'}, {length or 'XMP_OPEN'}, {step or '1'})"


def extent(side, number, address):
    """(extent, stride) of a dimension of memory, as its type tells them; of the first one of a pointer nothing does."""
    whole = f"({address})" + "[0]" * number
    element = f"{whole}[0]"
    array = types.resolve(side.subscripts[number].node.base.type)
    if not isinstance(array, types.Array):
        length = "XMP_OPEN"
    elif number or not isinstance(side.start, syntax.Identifier) or side.start.declaration.kind != "parameter":
        length = f"sizeof({whole}) / sizeof({element})"
    else:
        length = "XMP_OPEN" if array.size is None else array.size.text()
    return length, f"sizeof({element})"
