"""barrier, reduction, bcast, reflect, wait_async, image, post, wait: one call each, or one for each variable."""

from ...plan.coarrays import Image, Post, SyncMemory, Wait
from ...plan.communication import Barrier, Bcast, ReduceShadow, Reduction, Reflect, WaitAsync
from ...plan.gmove import Side
from ...plan.reduction import located_operation, operation
from ..reading.components import address_in
from .sides import memory, side_text


def statements(context, step):
    """The Fortran statements for a Step of plan.communication; others have none yet."""
    if type(step) not in _WRITERS:
        context.unplanned(step.directive)
        return []
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
    calls = []
    for variable, locations in zip(step.variables, step.locations):
        text, on = variable.expression.text, _clauses(context, step, "on")
        if locations:
            followers = ", ".join(_whole(context, location) for location in locations)
            call = f"XMP_Reduction_located({site}, {located_operation(step.operator)}, {text}, [{followers}]{on})"
        elif isinstance(variable.more, Side):
            part = side_text(context, variable.more)
            call = f"XMP_Reduction_section({site}, {operation(step.operator)}, {part}{_clauses(context, step, 'on', 'async')})"
        else:
            call = f"XMP_Reduction({site}, {operation(step.operator)}, {text}{_clauses(context, step, 'on', 'async')})"
        calls.append(f"call {call}")
    return calls


def _whole(context, variable):
    """A variable of a clause as an XMP_Side."""
    if isinstance(variable.more, Side):
        return side_text(context, variable.more)
    return memory(variable.expression.text, variable.expression.text)


def _bcast(context, site, step):
    clauses, calls = _clauses(context, step, "from", "on", "async"), []
    for variable in step.variables:
        if isinstance(variable.more, Side):
            calls.append(f"call XMP_Bcast_section({site}, {side_text(context, variable.more)}{clauses})")
        else:
            _refuse_addresses(context, step.place, variable)
            calls.append(f"call XMP_Bcast({site}, {variable.expression.text}{clauses})")
    return calls


def _refuse_addresses(context, place, variable):
    """Components that are allocatable or pointers hold addresses, which mean nothing on other nodes."""
    component = address_in(context.declarations(place), variable.type) if variable.kind == "other" else None
    if component is not None:
        message = f"'{variable.expression.text}' has a component that is an address: '{component.text}' is not on other nodes"
        context.error("XMP-E185", message, variable.expression.word, [("it is declared here", component)],
                      "broadcast its other components")  # fmt: skip


def _reflect(context, site, step):
    if not step.arrays:
        return []
    names = ", ".join(context.object(array) for array in step.arrays)
    widths = f", widths=[{', '.join(_width(width) for width in step.widths)}]" if step.widths else ""
    name = "XMP_Reduce_shadow" if isinstance(step, ReduceShadow) else "XMP_Reflect"
    name, names = (name, f"{len(step.arrays)}, [{names}]") if len(step.arrays) > 1 else (name + "_one", names)
    flags = ", flags=XMP_REFLECT_ORTHOGONAL" if step.orthogonal else ""
    return [f"call {name}({site}, {names}{widths}{flags}{_clauses(context, step, 'async')})"]


def _post(context, site, step):
    return [f"call XMP_Post({site}, {context.on(step.node)}, {step.tag.text})"]


def _wait(context, site, step):
    node = f", {context.on(step.node)}" if step.node is not None else ""
    return [f"call XMP_Wait({site}{node}{f', {step.tag.text}' if step.tag is not None else ''})"]


def _sync_memory(context, site, step):
    return ["call XMP_Sync_memory()"]


def _image(context, site, step):
    return [f"call XMP_Image({site}, {context.object(step.nodes)})"] if step.nodes is not None else []


def _width(width):
    modifier = "XMP_WIDTH_PERIODIC" if width.modifier == "periodic" else "XMP_WIDTH_PLAIN"
    return f"XMP_Width({width.lower.text}, {width.upper.text}, {modifier})"


_WRITERS = {
    Barrier: _barrier,
    WaitAsync: _wait_async,
    Reduction: _reduction,
    Bcast: _bcast,
    Reflect: _reflect,
    ReduceShadow: _reflect,
    Post: _post,
    Wait: _wait,
    SyncMemory: _sync_memory,
    Image: _image,
}
