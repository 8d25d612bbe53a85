"""Switch points of a curve: sizes from which on the time grows unlike before, since the library takes another algorithm there.

Between neighbouring sizes the logarithm of time grows by something between nothing (latency) and as much as the size
(throughput), and that changes slowly. A switch is a step that differs from those beside it by more than the launches do."""

import math

from . import quantiles

LEAST_STEP = 0.35  # of the logarithm to base 2, against the steps beside: smaller ones are bends, not switches
NOISE = 5  # standard errors
MOST = 5  # of a curve
SHARE = 0.25  # of the launches


def find(curve):
    """Sizes at which something new begins, ascending. curve: {size: [time of each launch]}, the same launches everywhere."""
    sizes, growth = _growth(curve)
    steps = [quantiles.median(grown) for grown in growth]
    unlike = [abs(step - _beside(steps, i)) for i, step in enumerate(steps)]
    found = [
        (value, size)
        for value, size, grown in zip(unlike, sizes[1:], growth)
        if value > max(LEAST_STEP, NOISE * _standard_error(grown))
    ]
    return _largest(found)


def cuts(curve):
    """The same for launches of two groups that may have different switches: sizes at which a quarter of them has a step."""
    sizes, growth = _growth(curve)
    steps = [quantiles.median(grown) for grown in growth]
    found = []
    for i, grown in enumerate(growth):
        share = sum(abs(value - _beside(steps, i)) > LEAST_STEP for value in grown) / len(grown)
        if share >= SHARE:
            found.append((share, sizes[i + 1]))
    return _largest(found)


def _growth(curve):
    """(sizes, for each step between them each launch's growth for a doubling of the size)."""
    sizes = [size for size in sorted(curve) if size > 0]
    growth = [
        [math.log2(max(y, 1e-4) / max(x, 1e-4)) / math.log2(b / a) for x, y in zip(curve[a], curve[b])]
        for a, b in zip(sizes, sizes[1:])
    ]
    return sizes, growth


def _beside(steps, i):
    """What the steps around step i are like; step i itself at the ends of a short curve, where nothing tells."""
    others = [steps[j] for j in (i - 2, i - 1, i + 1, i + 2) if 0 <= j < len(steps)]
    return quantiles.median(others) if len(others) > 1 else steps[i]


def _standard_error(values):
    """Of the median, by the median deviation."""
    middle = quantiles.median(values)
    return 1.25 * 1.48 * quantiles.median([abs(value - middle) for value in values]) / math.sqrt(len(values))


def _largest(found):
    return sorted(size for _, size in sorted(found, reverse=True)[:MOST])


def sections(sizes, switch_sizes):
    """The sizes between switches, as lists."""
    parts = [[]]
    for size in sorted(sizes):
        if size in switch_sizes and parts[-1]:
            parts.append([])
        parts[-1].append(size)
    return [part for part in parts if part]
