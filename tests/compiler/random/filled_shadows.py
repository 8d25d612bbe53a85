"""Which elements of a shadow a right program may read: what reflects have filled since the array was last written."""

import dataclasses


@dataclasses.dataclass
class Filled:
    """What one reflect fills: for each dimension how far below and above the block, and whether around the array's ends."""

    lower: list
    upper: list
    periodic: list
    orthogonal: bool = False


@dataclasses.dataclass
class Reach:
    """How a loop reads an array, for each dimension: by how much beyond the iteration's own element (0 where every node has all
    elements), whether anywhere in a full shadow, whether beyond the array's ends."""

    deltas: list
    anywhere: list
    beyond: list

    @property
    def local(self):
        return not any(self.deltas) and not any(self.anywhere) and not any(self.beyond)


class Coverage:
    """The Filled shadows of one array."""

    def __init__(self):
        self.filled = []

    def written(self):
        self.filled.clear()

    def add(self, filled):
        self.filled.append(filled)

    def allows(self, array, reach):
        return reach.local or any(allows(array, filled, reach) for filled in self.filled)


def allows(array, filled, reach):
    outside = 0
    for k, dimension in enumerate(array.dimensions):
        outside += bool(reach.deltas[k] or reach.anywhere[k] or reach.beyond[k])
        if reach.beyond[k] and not filled.periodic[k]:
            return False
        if dimension.full:
            continue
        if not -filled.lower[k] <= reach.deltas[k] <= filled.upper[k]:
            return False
    return outside <= 1 or not filled.orthogonal


def reflect_for(draw, array, reach):
    """(Filled, text of the clauses) of a reflect that lets the loop read; reach None: any."""
    ranks = range(array.rank)
    full = any(d.full for d in array.dimensions)
    filled = Filled([d.lower for d in array.dimensions], [d.upper for d in array.dimensions], [False] * array.rank)
    beyond = reach.beyond if reach else [False] * array.rank
    if full or (not any(beyond) and draw.random() < 0.5):
        return filled, ""
    if draw.random() < 0.7:
        for k in ranks:
            delta = reach.deltas[k] if reach else 0
            filled.lower[k] = draw.randint(min(max(0, -delta), filled.lower[k]), filled.lower[k])
            filled.upper[k] = draw.randint(min(max(0, delta), filled.upper[k]), filled.upper[k])
    filled.periodic = [beyond[k] or draw.random() < 0.1 for k in ranks]
    outside = sum(bool(reach.deltas[k] or beyond[k]) for k in ranks) if reach else 2
    filled.orthogonal = outside <= 1 and draw.random() < 0.3
    return filled, clauses_of(filled)


def clauses_for_sums(draw, array, reach):
    """Clauses of a reduce_shadow after a loop that has cleared the shadow, which it cannot along undivided dimensions: what an
    earlier reflect left there must not be added. None where the loop would need that."""
    if any(beyond and not array.distributed(k) for k, beyond in enumerate(reach.beyond)):
        return None
    filled, clauses = reflect_for(draw, array, reach)
    filled.periodic = [periodic and array.distributed(k) for k, periodic in enumerate(filled.periodic)]
    return clauses_of(filled) if clauses else ""


def clauses_of(filled):
    widths = [
        ("/periodic/" if periodic else "") + (str(lower) if lower == upper else f"{lower}:{upper}")
        for lower, upper, periodic in zip(filled.lower, filled.upper, filled.periodic)
    ]
    return f" width({', '.join(widths)})" + (" orthogonal" if filled.orthogonal else "")
