"""gmove, and the sections in bcast and reduction: their sides as expressions of type(XMP_Side)."""

from .context import indices, quoted


def memory(variable, written):
    """A variable of each node, or a part of it. written: what messages call it."""
    return f"XMP_Memory({variable}, {quoted(written[:60])} // XMP_END)"


def side_text(context, side):
    """A plan.gmove.Side."""
    written = context.written(side.expression)
    if side.array is None:
        return memory(side.expression.text, written)
    subscripts = ", ".join(_subscript(side.array, d, subscript.parts) for d, subscript in enumerate(side.subscripts))
    described = f"{quoted(written[:60])} // XMP_END, {len(side.subscripts)}, [{subscripts}]"
    return f"XMP_Global({context.object(side.array)}, {described})"


def _subscript(array, dimension, parts):
    if len(parts) == 1:
        return f"XMP_Range(0, {parts[0].text})"
    first, last, step = (None if part is None else part.text for part in parts)
    if first is last is step is None:
        return "XMP_WHOLE"
    low, high = array.symbol.declaration.bounds[dimension]
    known = high is not None
    first, last = first or (low if known else "XMP_OPEN"), last or (high if known else "XMP_OPEN")
    return f"XMP_Section({indices(first, last, step or '1')})"


def gmove(context, step):
    """Puts the call in place of the assignment; the text in place of the directive."""
    function = "XMP_Gmove" + (f"_{step.mode}" if step.mode else "")
    sides = ", ".join(side_text(context, side) for side in (step.left, step.right))
    async_id = f", {step.async_id.text}" if step.async_id is not None else ""
    item = context.items[context.following(step.place)]
    call = f"call {function}({context.site(step.place)}, {sides}{async_id})"
    context.edits.words(item.statement, item.words[0], item.words[-1], call)
    return ""
