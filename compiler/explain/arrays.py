"""Calls of array functions in words: what goes from which nodes to which."""

from ..plan.array_functions import ArrayCall
from .mapping import layout

# {0}, {1}, {2}: the arrays of the call, {layout0} ...: how they lie.
_SORT = "samples of {1} to all; then all to all, each element to the node of its range and to its place in {0}"
_WORDS = {
    "xmp_transpose": "all to all, {1} ({layout1}) to the transposed places of {0} ({layout0})",
    "xmp_matmul": "parts of {1} along rows of nodes, parts of {2} along columns of nodes, one to all of them each",
    "xmp_gather": "all to all twice: subscripts to the nodes that have elements of {1}, and these elements back",
    "xmp_scatter": "all to all: elements of {1} with their subscripts to the nodes that have these places of {0}",
    "xmp_pack": "how many elements of {1} each node takes, to all; then all to all, these elements to {0}",
    "xmp_unpack": "how many places of {0} each node fills, to all; then all to all, the elements of {1} to them",
    "xmp_sort_up": _SORT,
    "xmp_sort_down": _SORT,
}


def _array_call(language, step):
    names = [side.array.name if side.array is not None else language.written(side.expression) for side in step.sides]
    layouts = {f"layout{n}": _layout(side) for n, side in enumerate(step.sides)}
    return [_WORDS[step.name].format(*names, **layouts)]


def _layout(side):
    return "whole on each node" if side.array is None else layout(side.array)


SENTENCES = {ArrayCall: _array_call}
