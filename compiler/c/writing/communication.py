"""barrier, reduction, bcast, reflect, reduce_shadow, wait_async: one call each, or one for each variable."""

from ...plan.communication import Barrier, Bcast, ReduceShadow, Reduction, Reflect, WaitAsync
from ...plan.gmove import Side
from ...plan.reduction import located_operation, operation
from .elements import type_code
from .texts import object_name, on_text


def statements(site, step, side_text):
    """The C statements for a Step of plan.communication. side_text: writes a plan.gmove.Side."""
    return _WRITERS[type(step)](site, step, side_text)


def async_text(expression):
    return "NULL" if expression is None else f"&(const int){{{expression.text}}}"


def _barrier(site, step, _):
    return [f"XMP_Barrier({site}, {on_text(step.on)});"]


def _wait_async(site, step, _):
    ids = ", ".join(expression.text for expression in step.ids)
    return [f"XMP_Wait_async({site}, {len(step.ids)}, (const int[]){{{ids}}}, {on_text(step.on)});"]


def _reduction(site, step, side_text):
    on, operator, async_id = on_text(step.on), operation(step.operator), async_text(step.async_id)
    calls = []
    for variable, locations in zip((variable.more for variable in step.variables), step.locations):
        if locations:
            calls.append(_located(site, on, step.operator, variable, [location.more for location in locations], side_text))
            continue
        if isinstance(variable, Side):
            calls.append(f"XMP_Reduction_section({site}, {on}, {operator}, {side_text(variable)}, {async_id});")
            continue
        elements = f"{type_code(variable.element)}, {variable.count}, {variable.address}"
        calls.append(f"XMP_Reduction({site}, {on}, {operator}, {elements}, {async_id});")
    return calls


def _located(site, on, operator, variable, locations, side_text):
    """With location variables, which travel when the first node that has the value is known."""
    records = ", ".join(
        f"{{{side_text(location)}, 0, 0}}" if isinstance(location, Side) else f"{{0, {location.address}, {location.bytes}}}"
        for location in locations
    )
    return (
        f"XMP_Reduction_located({site}, {on}, {located_operation(operator)}, {type_code(variable.element)}, "
        f"{variable.address}, {len(locations)}, (const XMP_Follower[]){{{records}}});"
    )


def _bcast(site, step, side_text):
    clauses = f"{on_text(step.source)}, {on_text(step.on)}, {async_text(step.async_id)}"
    return [
        f"XMP_Bcast_section({site}, {side_text(v)}, {clauses});"
        if isinstance(v, Side)
        else f"XMP_Bcast({site}, {v.address}, {v.bytes}, {clauses});"
        for v in (variable.more for variable in step.variables)
    ]


def _reflect(site, step, _):
    if not step.arrays:
        return []
    names = ", ".join(object_name(array) for array in step.arrays)
    flags = "XMP_REFLECT_ORTHOGONAL" if step.orthogonal else "0"
    function = "XMP_Reduce_shadow" if isinstance(step, ReduceShadow) else "XMP_Reflect"
    return [
        f"{function}({site}, {len(step.arrays)}, (XMP_Array *const[]){{{names}}}, {_widths(step.widths)}, {flags}, "
        f"{async_text(step.async_id)});"
    ]


def _widths(widths):
    if not widths:
        return "NULL"
    texts = []
    for width in widths:
        modifier = "XMP_WIDTH_PERIODIC" if width.modifier == "periodic" else "XMP_WIDTH_PLAIN"
        texts.append(f"{{{width.lower.text}, {width.upper.text}, {modifier}}}")
    return "(const XMP_Width[]){" + ", ".join(texts) + "}"


_WRITERS = {
    Barrier: _barrier,
    WaitAsync: _wait_async,
    Reduction: _reduction,
    Bcast: _bcast,
    Reflect: _reflect,
    ReduceShadow: _reflect,
}
