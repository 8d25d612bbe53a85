"""xmpcc --check: in front of a for statement this node is asked once whether it may use all elements that the iterations mean,
with nothing to say or to note. Then they need no check of their own: references under conditions, and those in serial loops
(decision checked-shadows). A subscript must be the loop variable plus a constant, or have one value during the loop. Other
elements are checked by copies of what is known of the array, since nothing that the loop writes can change those."""

from ..reading import syntax
from .copies import moved_arrays
from .elements import shape, type_text
from .pragmas import inside_collapsed
from .references import access, checked_as_written, references, variable_plus
from .texts import object_name
from .unchanging import innermost_loop


class Plain:
    """Asks in front of loops. around: the References, which write the elements."""

    def __init__(self, context, around):
        self.context, self.around = context, around

    def in_front(self, header):
        """The declarations in front of a loop; empty: there is nothing to ask."""
        if inside_collapsed(header.node):
            return ""
        moved = moved_arrays(self.context, header.node)
        checked = [
            reference
            for reference in references(self.context, header.node.body, nested=False)
            if reference.array not in moved and self._checked_inside(reference, header.node)
        ]
        elements = [(reference.identifier, self._element(reference, header)) for reference in checked]
        return self._copies(checked) + self._question([(name, element) for name, element in elements if element is not None])

    def _question(self, elements):
        if not elements:
            return ""
        flag = self.context.numbered("plain_xmp")
        for identifier, (_, address) in elements:
            self.around.plain[identifier] = (flag, address)
        questions = dict.fromkeys(question for _, (question, _) in elements)
        return f"const int {flag} = {' && '.join(questions)}; "

    def _copies(self, checked):
        """Copies of what the checks in the loop read."""
        texts = ""
        for array in dict.fromkeys(reference.array for reference in checked):
            name = object_name(array)
            seen, known = (self.context.numbered(f"{array.name.replace('.', '_')}_{what}") for what in ("seen", "known"))
            texts += f"const XMP_Array {seen} = *{name}; const XMP_Known {known} = XMP_Known_of({name}); "
            for reference in checked:
                if reference.array is array:
                    self.around.seen[reference.identifier] = f"&{seen}, &{known}"
        return texts

    def _checked_inside(self, reference, node):
        """Whether a reference has a check of its own in each iteration of a loop."""
        if not reference.complete or reference.identifier in self.around.checked_before or True not in access(reference):
            return False
        return innermost_loop(reference.identifier) is node

    def _element(self, reference, header):
        """(question, address) as texts; None where the subscripts are not known in front of the loop."""
        array, ends, cyclic, views = reference.array, [], 0, []
        for d, subscript in enumerate(reference.subscripts):
            index = subscript.index
            affine = variable_plus(index)
            follows = affine is not None and affine[0] is header.variable
            if any(isinstance(part, syntax.SizeOf) for part in index.walk()) or not (follows or header.known(index)):
                return None
            text = self.context.written(index)
            shift = f" + {affine[1]}" if follows and affine[1] else ""
            ends += [f"{header.first}{shift}", f"{header.last}{shift}"] if follows else [text, text]
            position = self.around.position_for(array, d, index) if array.positional(d) else text
            if position is None and follows:
                return None
            cyclic |= (position is None) << d
            views.append(position or f"XMP_Subscript({object_name(array)}, {d}, {text})")
        writes = int(checked_as_written(self.context, reference, self.around.shadow_written))
        asked = f"{object_name(array)}, {array.rank}, {cyclic}u, {writes}, (const XMP_Index[]){{{', '.join(ends)}}}"
        return f"XMP_Plain({asked})", _address(array, views)


def _address(array, views):
    """Of an element by its view subscripts."""
    offset = f"({views[0]})"
    for d, view in enumerate(views[1:], 1):
        offset = f"({offset} * {object_name(array)}->dimension[{d}].length + ({view}))"
    return f"({type_text(shape(array.symbol.declaration.type)[0], '*')}){object_name(array)}->origin + {offset}"
