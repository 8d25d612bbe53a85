"""Atomic operations on coarrays (specification 5.9), and the variables that they and locks name on any image."""

from ...directives.words import parenthesised
from ..reading import syntax
from .lvalues import is_countable, reference_in
from .part import Part

_ATOMICS = {
    "xmp_atomic_define": ("XMP_ATOMIC_DEFINE", "av"),
    "xmp_atomic_ref": ("XMP_ATOMIC_REF", "ra"),
    **{f"xmp_atomic_{name}": (f"XMP_ATOMIC_{name.upper()}", "av") for name in ("add", "and", "or", "xor")},
    **{f"xmp_atomic_fetch_{name}": (f"XMP_ATOMIC_{name.upper()}", "avr") for name in ("add", "and", "or", "xor")},
    "xmp_atomic_cas": ("XMP_ATOMIC_CAS", "arcv"),
}


class Atomics(Part):
    """Part of the walk."""

    def call(self, node):
        """A call of xmp_atomic_...; False if it is none."""
        name = node.function.name if isinstance(node.function, syntax.Identifier) else None
        declaration = getattr(node.function, "declaration", None)
        if name not in _ATOMICS or declaration is not None and not declaration.system:
            return False
        operation, roles = _ATOMICS[name]
        if len(node.arguments) != len(roles):
            self.context.error("XMP-E216", f"{name} takes {len(roles)} arguments", node)
            return True
        with self.edits.isolated(node):
            text = self._text(node, operation, dict(zip(roles, node.arguments)))
            if text is not None:
                self.edits.override(node.first, node.last, text)
        return True

    def _text(self, node, operation, arguments):
        """arguments: by role: a variable, v operand, c comparand, r result."""
        found = self._integer(arguments.pop("a"), node.function.name)
        if found is None:
            return None
        descriptor, element, image = found
        texts = {role: self.lowering.spelled(argument) for role, argument in arguments.items()}
        operands = ", ".join(texts.get(role, default) for role, default in (("v", "0"), ("c", "0"), ("r", "NULL")))
        site = self.context.code_site(node)
        return f"XMP_Atomic({site}, {descriptor}, {image}, &{element}, sizeof {element}, {operation}, {operands})"

    def _integer(self, expression, what):
        """(descriptor, element, image) of the operand of an atomic operation: a coarray, with or without an image."""
        found = self.variable(expression, what)
        if found is not None and not is_countable(expression):
            self.context.error("XMP-E216", f"{what} needs an integer of 4 or 8 bytes", expression)
            return None
        return found

    def variable(self, expression, what):
        """Texts of descriptor, element and image of a coarray's element on any image, this one if none is given;
        None after an error."""
        if reference_in(expression) is not None:
            coindexed = self.lowering.coindexed
            remote = coindexed.remote(expression)
            if remote is None or not coindexed.is_element(remote):
                return None
            element = coindexed.element(remote)
            for image in remote.reference.images:
                self.lowering.visit(image)
            return coindexed.descriptor(remote.reference.base), parenthesised(element), coindexed.image(remote)
        if self.lowering.coindexed.owner(expression)[0] is None:
            self.context.error("XMP-E200", f"'{expression.text()}' is no coarray, as {what} needs it", expression)
            return None
        element = parenthesised(self.lowering.spelled(expression))
        descriptor = self.lowering.coindexed.descriptor(expression)
        return descriptor, element, f"XMP_This_image({descriptor})"
