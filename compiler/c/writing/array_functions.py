"""Array functions: a call with the whole arrays as sides, in place of the user's."""

from ...plan.array_functions import FUNCTIONS, plan
from .part import Part
from .texts import list_text


class ArrayFunctions(Part):
    """Part of the walk."""

    def __init__(self, lowering):
        super().__init__(lowering)
        self._writers = {
            "xmp_transpose": ("XMP_Transpose", self._option),
            "xmp_matmul": ("XMP_Matmul", lambda step: []),
            "xmp_gather": ("XMP_Gather", self._subscripts),
            "xmp_scatter": ("XMP_Scatter", self._subscripts),
            "xmp_pack": ("XMP_Pack", self._mask),
            "xmp_unpack": ("XMP_Unpack", self._mask),
            "xmp_sort_up": ("XMP_Sort", lambda step: ["0"]),
            "xmp_sort_down": ("XMP_Sort", lambda step: ["1"]),
        }

    def call(self, node):
        """A Call; False if it is for the C function: none of these, or with descriptors that are values."""
        name = getattr(node.function, "name", None)
        if name not in FUNCTIONS or node.arguments and self.context.is_descriptor(node.arguments[0]):
            return False
        step = plan(self.context, name, node.arguments, node, node)
        if step is not None:
            function, more = self._writers[name]
            sides = [self.lowering.gmove.side(side) for side in step.sides]
            arguments = ", ".join([self.context.code_site(node), *sides, *more(step)])
            self.context.edits.override(node.first, node.last, f"{function}({arguments})")
        return True

    def _option(self, step):
        return [self.lowering.spelled(step.option)]

    def _subscripts(self, step):
        sides = [self.lowering.gmove.fields(side) for side in step.more]
        return [str(len(sides)), list_text("XMP_Side", sides)]

    def _mask(self, step):
        return [self.lowering.gmove.side(side) for side in step.more] or ["NULL"]
