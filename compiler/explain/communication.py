"""barrier, bcast, reduction, reflect, reduce_shadow, wait_async in words."""

from ..plan.communication import Barrier, Bcast, ReduceShadow, Reduction, Reflect, WaitAsync
from .sizes import counted, length, local_length, nodes_along, number, product


def _set(reference):
    """The nodes that take part."""
    if reference is None or reference.entity is None:
        return "all executing nodes"
    return f"the nodes of {reference.word.text}" + (" that the subscripts choose" if reference.subscripts else "")


def _when(step):
    return "" if step.async_id is None else f"; it goes on meanwhile, until wait_async({step.async_id.text})"


def _barrier(language, step):
    return [f"{_set(step.on)} wait for each other"]


def _wait_async(language, step):
    return [f"waits for what {', '.join(expression.text for expression in step.ids)} began"]


def _reduction(language, step):
    return [
        f"reduction '{step.operator}' of {v.expression.text} over {_set(step.on)}: all to all{_followers(found) or _when(step)}"
        for v, found in zip(step.variables, step.locations)
    ]


def _followers(locations):
    names = ", ".join(location.expression.text for location in locations)
    return names and f"; then {names} from the first node that has it"


def _bcast(language, step):
    source = "the first of them" if step.source is None else f"a node of {step.source.word.text}"
    return [f"{v.expression.text} from {source} to {_set(step.on)}: one to all{_when(step)}" for v in step.variables]


def _reflect(language, step, done="filled"):
    sentences = [sentence for array in step.arrays for sentence in _shadows(language, step, array)]
    if any(_has_corners(step, array) for array in step.arrays) and not step.orthogonal:
        sentences.append(f"corners are {done}, too; `orthogonal` leaves them out")
    return [sentence + _when(step) for sentence in sentences]


def _reduce_shadow(language, step):
    return [f"{sentence} (added to what the shadows mirror)" for sentence in _reflect(language, step, "added")]


def _has_corners(step, array):
    return sum(_width(step, array, d) is not None and nodes_along(array, d) != 1 for d in range(array.rank)) > 1


def _width(step, array, dimension):
    """(lower, upper, whether periodic) of what is filled in a dimension, "full" for all of it, None for nothing."""
    shadow = array.shadow[dimension] if array.shadow else None
    if shadow is None:
        return None
    if shadow.full:
        return "full"
    given = step.widths[dimension] if step.widths else None
    lower, upper = (given.lower.text, given.upper.text) if given else (shadow.lower, shadow.upper)
    periodic = given is not None and given.modifier == "periodic"
    return None if (lower, upper) == ("0", "0") else (number(lower), number(upper), periodic)


def _shadows(language, step, array):
    """A sentence for each dimension with a shadow."""
    found = []
    for d in range(array.rank):
        width, nodes = _width(step, array, d), nodes_along(array, d)
        if width is None:
            continue
        if nodes == 1:
            found.append(f"{array.name}, dimension {d + 1}: on one node, no communication")
            continue
        rest = [local_length(language, array, other) for other in range(array.rank) if other != d]
        element = language.element_type(array)
        if width == "full":
            elements = counted(product([length(language, array, d), *rest]), element)
            found.append(f"{array.name}, dimension {d + 1}: all to all, {elements} on every node")
            continue
        found.append(f"{array.name}, dimension {d + 1}: {_neighbours(width, rest, element)}")
    return found or [f"{array.name} has no shadow: no communication"]


def _neighbours(width, rest, element):
    lower, upper, periodic = width
    low, high = product([lower, *rest]), product([upper, *rest])
    around = ", around the ends" if periodic else ""
    if low == high:
        return f"2 neighbours, {counted(low, element)} each way{around}"
    ways = [f"{counted(n, element)} from the {side}" for n, side in ((low, "one before"), (high, "one behind")) if n != 0]
    return f"{counted(len(ways), 'neighbour')}, {' and '.join(ways)}{around}"


SENTENCES = {
    Barrier: _barrier,
    WaitAsync: _wait_async,
    Reduction: _reduction,
    Bcast: _bcast,
    Reflect: _reflect,
    ReduceShadow: _reduce_shadow,
}
