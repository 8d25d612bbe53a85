"""xmpcc --check: elements of this image's own blocks that every iteration of a loop uses are noted together in front of it:
they are a row at equal distances. Images do not synchronise in the loop, so it does not matter when it is noted."""

from ...directives.words import parenthesised
from ..reading import syntax
from .coarrays import used_element
from .lvalues import quoted_text
from .pragmas import inside_collapsed
from .references import use_of, variable_plus
from .unchanging import executes_all, has_jumps, innermost_loop


class UsedRows:
    """coarrays: the part of the walk that notes single elements."""

    def __init__(self, context, coarrays):
        self.context, self.coarrays = context, coarrays

    def in_front(self, header):
        """The statements in front of a loop; empty: there is nothing to note."""
        node = header.node
        if not len(self.context.coarrays) or inside_collapsed(node) or self.context.asks_for_set(node) or has_jumps(node.body):
            return ""
        texts = []
        for name in node.body.walk():
            coarray = self.context.coarray_of(name) if isinstance(name, syntax.Identifier) else None
            element = used_element(name) if coarray is not None else None
            if element is not None and self._always_used(element, node):
                row = self._row(element, name, coarray, header)
                if row is not None:
                    texts.append(row)
                    self.coarrays.noted_before.add(element)
        return "".join(dict.fromkeys(texts))

    @staticmethod
    def _always_used(element, loop):
        if innermost_loop(element) is not loop:
            return False
        for ancestor in element.ancestors():
            if ancestor is loop:
                return True
            if not executes_all(ancestor):
                return False
        return False

    def _row(self, element, name, coarray, header):
        """XMP_USE_ROW of the elements that all iterations use; None where one subscript does not follow the loop, the others
        fixed."""
        subscripts, part = [], element
        while part is not name:
            subscripts += [part] if isinstance(part, syntax.Subscript) else []
            part = part.operand if isinstance(part, syntax.Parenthesized) else part.base
        affine = {subscript: variable_plus(subscript.index) for subscript in subscripts}
        following = [one for one, found in affine.items() if found is not None and found[0] is header.variable]
        if len(following) != 1 or not all(header.known(one.index) for one in subscripts if one is not following[0]):
            return None
        moving, shift = following[0], affine[following[0]][1]
        first = f"{header.first} + {shift}" if shift else header.first
        whole, moved = (self._text(node, name, coarray, moving, first) for node in (element, moving))
        stride = f"(ptrdiff_t)sizeof({moved}) * {parenthesised(header.step)}"
        writes = int(use_of(element)[1])
        return f"XMP_USE_ROW({quoted_text(self.context, element)}, {writes}, {whole}, {stride}, {header.count}); "

    def _text(self, node, name, coarray, moving, first):
        """The lvalue of the first iteration."""
        if node is name:
            return name.name if coarray.kind == "parameter" else f"(*{coarray.holder})"
        if isinstance(node, syntax.Parenthesized):
            return f"({self._text(node.operand, name, coarray, moving, first)})"
        base = self._text(node.base, name, coarray, moving, first)
        if isinstance(node, syntax.Member):
            return f"{base}.{node.name}"
        return f"{base}[{first if node is moving else self.context.written(node.index)}]"
