"""gmove in words: which layouts meet, and which nodes send to which."""

from ..plan.gmove import Gmove
from .mapping import layout


def _gmove(language, step):
    later = "" if step.async_id is None else f"; it goes on meanwhile, until wait_async({step.async_id.text})"
    mode = {None: "", "in": ", by the nodes that want it alone", "out": ", by the nodes that have it alone"}[step.mode]
    return [_route(language, step.left, step.right) + mode + later]


def _route(language, left, right):
    if left.kind == "memory":
        if right.kind not in ("array", "member"):
            return "no communication: both sides are the node's own"
        what = f"{right.array.name} ({layout(right.array)})" if right.rank else "one element"
        return f"{what} from the owners to every node"
    if right.kind not in ("array", "member"):
        return "no communication: each node writes what it owns"
    if _same_place(language, left, right):
        return "no communication: both sides lie on the same nodes"
    return f"all to all, {layout(right.array)} to {layout(left.array)}"


def _same_place(language, left, right):
    """Whether corresponding elements lie on the same node as far as the text says."""
    if left.array.template is not right.array.template or len(left.subscripts) != len(right.subscripts):
        return False
    mappings = [[(d.onto, d.offset) for d in side.array.dimensions] for side in (left, right)]
    texts = [[_parts(language, subscript) for subscript in side.subscripts] for side in (left, right)]
    return mappings[0] == mappings[1] and texts[0] == texts[1]


def _parts(language, subscript):
    return [None if part is None else language.written(part) for part in subscript.parts]


SENTENCES = {Gmove: _gmove}
