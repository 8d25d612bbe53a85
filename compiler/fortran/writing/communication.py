"""barrier, reduction, bcast, reflect, wait_async: one call each, or one for each variable."""

from ...plan.communication import Barrier, Bcast, ReduceShadow, Reduction, Reflect, WaitAsync
from ...plan.reduction import operation


def statements(context, step):
    """The Fortran statements for a Step of plan.communication."""
    return _WRITERS[type(step)](context, context.site(step.place), step)


def _clauses(context, step, *names):
    """`, on=XMP_On(...)` and so on, for the clauses that are given."""
    texts = []
    for name in names:
        if name == "async":
            texts.append(f", async={step.async_id.text}" if step.async_id is not None else "")
        else:
            on = context.on(step.source if name == "from" else step.on)
            texts.append(f", {name}={on}" if on else "")
    return "".join(texts)


def _barrier(context, site, step):
    return [f"call XMP_Barrier({site}{_clauses(context, step, 'on')})"]


def _wait_async(context, site, step):
    ids = ", ".join(expression.text for expression in step.ids)
    return [f"call XMP_Wait_async({site}, [{ids}]{_clauses(context, step, 'on')})"]


def _reduction(context, site, step):
    clauses = _clauses(context, step, "on", "async")
    call = f"call XMP_Reduction({site}, {operation(step.operator)}"
    return [f"{call}, {variable.expression.text}{clauses})" for variable in step.variables]


def _bcast(context, site, step):
    for variable in step.variables:
        if variable.kind == "other":
            word = variable.expression.word
            context.unsupported(f"bcast of '{variable.expression.text}' of a derived type is", word, "broadcast its components")
    clauses = _clauses(context, step, "from", "on", "async")
    return [f"call XMP_Bcast({site}, {variable.expression.text}{clauses})" for variable in step.variables]


def _reflect(context, site, step):
    if not step.arrays:
        return []
    names = ", ".join(context.object(array) for array in step.arrays)
    widths = f", widths=[{', '.join(_width(width) for width in step.widths)}]" if step.widths else ""
    flags = ", flags=XMP_REFLECT_ORTHOGONAL" if step.orthogonal else ""
    return [f"call XMP_Reflect({site}, [{names}]{widths}{flags}{_clauses(context, step, 'async')})"]


def _width(width):
    modifier = "XMP_WIDTH_PERIODIC" if width.modifier == "periodic" else "XMP_WIDTH_PLAIN"
    return f"XMP_Width({width.lower.text}, {width.upper.text}, {modifier})"


_WRITERS = {
    Barrier: _barrier,
    WaitAsync: _wait_async,
    Reduction: _reduction,
    Bcast: _bcast,
    Reflect: _reflect,
    ReduceShadow: lambda context, site, step: [],  # refused
}
