"""Elements of global arrays that all nodes access, though one of them has the element: `u[50][60] = 1` outside every loop and
task."""

from ..reading import syntax
from ..reading.places import Place
from ..writing.references import changer
from .conditions import Conditions
from .tree import constructs_around, global_references


class Elements:
    def __init__(self, context):
        self.context = context
        self.conditions = Conditions(context)

    def advise(self):
        for reference in global_references(self.context):
            if reference.complete and self._everywhere(reference):
                self._warn(reference)

    def _everywhere(self, reference):
        """Whether every node executes it, and the subscript says which element of a distributed dimension."""
        node, array = reference.identifier, reference.array
        if next(constructs_around(self.context, node), None) or not self._in_main(node) or self.conditions.chosen(node):
            return False
        if any(isinstance(ancestor, (syntax.Directive, syntax.CoarrayReference)) for ancestor in node.ancestors()):
            return False
        parent = reference.subscripts[-1].parent
        if isinstance(parent, syntax.Unary) and parent.operator == "&":
            return False
        return any(
            subscript.index.constant() is not None and array.is_divided(d) for d, subscript in enumerate(reference.subscripts)
        )

    @staticmethod
    def _in_main(node):
        """Other functions may be called by one node alone."""
        function = next((a for a in node.ancestors() if isinstance(a, syntax.FunctionDefinition)), None)
        return function is not None and function.declarator.name == "main"

    def _warn(self, reference):
        array, text = reference.array, reference.subscripts[-1].text()
        written = isinstance(changer(reference.subscripts[-1]), syntax.Assign)
        message = f"every node {'writes' if written else 'reads'} '{text}', and one of them has it"
        notes = [("the array is aligned here", array.align.array)]
        help = f"put it under a task on {_owner(reference)}" + ("" if written else ", or fetch it by gmove")
        self.context.diagnostics.warning("XMP-W149", message, Place(reference.identifier.token, text), notes, help)


def _owner(reference):
    """The template with the element's subscripts, `t[50][*]`."""
    array = reference.array
    template = array.template
    subscripts = ["*"] * template.rank
    for d, aligned in enumerate(array.dimensions):
        if aligned.onto is not None:
            subscripts[aligned.onto] = reference.subscripts[d].index.text()
    text = "".join(f"[{s}]" for s in subscripts) if template.row_major else f"({', '.join(subscripts)})"
    return template.name + text
