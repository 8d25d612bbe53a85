"""source= and mold= in the allocate statement of a global array: its bounds, and a copy of the values."""

from ..reading.operands import is_scalar
from ..reading.sides import Part
from .sides import memory, side_text


def bounds(context, position, words):
    """Texts of lower and upper bounds of an expression."""
    array, variable = _whole(context, position, words)
    text = "".join((" " if number and word.space else "") + word.text for number, word in enumerate(words))
    if array is not None:
        object_ = context.object(array)
        return [f"XMP_{end}bound({object_}, {d + 1})" for d in range(array.rank) for end in ("L", "U")]
    if variable is not None:
        return [f"{end}bound({text}, {d + 1})" for d in range(len(variable.bounds)) for end in ("l", "u")]
    side = context.side(Part(words, context.declarations(position)))
    rank = sum(1 for one in side.subscripts if len(one.parts) > 1) if side.subscripts else 1
    return [one for d in range(rank) for one in ("1", f"size({text}, {d + 1})")]


def _whole(context, position, words):
    """(global array, None), (None, variable) or (None, None): what the words are the name of."""
    if len(words) > 1:
        return None, None
    array = context.array_at(words[0].text, context.unit(position))
    return array, None if array is not None else context.declarations(position).lookup(words[0].text)


def assigned(context, position, name, words, site):
    """Lines that copy the values of an expression to the array of a name."""
    declarations = context.declarations(position)
    source, text = Part(words, declarations), "".join(word.text for word in words)
    if is_scalar(context, context.unit(position), words):
        return [f"{name.text} = {source.text}"]
    left, right = context.side(Part([name], declarations)), context.side(source)
    if right.kind == "array":
        return [f"call XMP_Gmove({site}, {side_text(context, left)}, {side_text(context, right)})"]
    value = f"associate (source_xmp => {source.text})"
    move = f"call XMP_Gmove({site}, {side_text(context, left)}, {memory('source_xmp', text)})"
    return [value, move, "end associate"]
