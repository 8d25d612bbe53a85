"""barrier, reduction, bcast, reflect, wait_async (specification 4.5): one call each, or one for each variable."""

from ...directives.reader import nearest
from ...semantics.reflect import check_reflect
from .reduction import OPERATORS, reducible, variable


def statement(context, position, directive):
    """The Fortran statements for a stand-alone directive, or None if it is none of these."""
    handler = _HANDLERS.get(directive.kind)
    return None if handler is None else "; ".join(handler(context, position, directive)) or "continue"


def _arguments(context, position, **references):
    """`, on=XMP_On(...)` and so on, for the clauses that are given."""
    texts = []
    for name, reference in references.items():
        if name == "async":
            texts.append(f", async={reference.text}" if reference is not None else "")
        elif reference is not None:
            on = context.on(context.resolve(reference, position))
            texts.append(f", {name}={on}" if on else "")
    return "".join(texts)


def _barrier(context, position, directive):
    return [f"call XMP_Barrier({context.site(position)}{_arguments(context, position, on=directive.on)})"]


def _wait_async(context, position, directive):
    ids = ", ".join(e.text for e in directive.ids)
    return [f"call XMP_Wait_async({context.site(position)}, [{ids}]{_arguments(context, position, on=directive.on)})"]


def _reduction(context, position, directive):
    clauses = _arguments(context, position, on=directive.on, **{"async": directive.async_id})
    statements = []
    for expression in directive.variables:
        known = variable(context, expression)
        if known is not None and reducible(context, directive.operator, known[0], known[1], expression.word):
            statements.append(
                f"call XMP_Reduction({context.site(position)}, {OPERATORS[directive.operator]}, {expression.text}{clauses})"
            )
    return statements


def _bcast(context, position, directive):
    clauses = _arguments(context, position, **{"from": directive.source, "on": directive.on, "async": directive.async_id})
    statements = []
    for expression in directive.variables:
        known = variable(context, expression)
        if known is None:
            continue
        if known[0] in ("type", "class"):
            context.unsupported(
                f"bcast of '{expression.text}' of a derived type is", expression.word, "broadcast its components"
            )
        statements.append(f"call XMP_Bcast({context.site(position)}, {expression.text}{clauses})")
    return statements


def _reflect(context, position, directive):
    arrays = [array for array in (_array(context, word, directive) for word in directive.arrays) if array is not None]
    if not arrays:
        return []
    widths = flags = ""
    if directive.widths:
        widths = f", widths=[{', '.join(_width(w) for w in directive.widths)}]"
    if directive.orthogonal:
        flags = ", flags=XMP_REFLECT_ORTHOGONAL"
    names = ", ".join(context.object(array) for array in arrays)
    async_id = _arguments(context, position, **{"async": directive.async_id})
    return [f"call XMP_Reflect({context.site(position)}, [{names}]{widths}{flags}{async_id})"]


def _width(width):
    modifier = "XMP_WIDTH_PERIODIC" if width.modifier == "periodic" else "XMP_WIDTH_PLAIN"
    return f"XMP_Width({width.lower.text}, {width.upper.text}, {modifier})"


def _array(context, word, directive):
    """The global array of that name with the reflect's widths checked, or None after an error."""
    array = context.model.array(word.text)
    if array is None or array.dimensions is None:
        local = context.declarations.variables.get(word.text)
        if local is not None:
            context.error("XMP-E146", f"'{word.text}' is no global array", word, [("it is declared here", local.word)],
                          f"add an align directive for '{word.text}'")  # fmt: skip
        else:
            meant = nearest(word.text, [a.name for a in context.model.arrays])
            context.error(
                "XMP-E119", f"the array '{word.text}' is not declared", word, (), f"did you mean '{meant}'?" if meant else None
            )
        return None
    return array if check_reflect(context.model, directive, array, word) else None


_HANDLERS = {"barrier": _barrier, "wait_async": _wait_async, "reduction": _reduction, "bcast": _bcast, "reflect": _reflect}
