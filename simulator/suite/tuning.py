"""Rules for KUMIHIMO_COLL_TABLE from simulated times.

What the MPI library would take is not simulated. The fastest of the algorithms that know no network stands for it, since MPI
libraries have those. So rules are for the others only: where one is faster by more than the model's error."""

import math

from ...bench.suite import sizes

OPERATIONS = ("Bcast", "Reduce", "Allreduce", "Allgather", "Gather", "Scatter", "Alltoall", "Barrier")
MOST_MESSAGES = 20_000_000  # of a cell: what takes longer is left out
# Those of MPI libraries, by collectives/algorithms.cpp's names.
LIBRARIES = {"linear", "binomial", "chain", "scatter_allgather", "pipelined_binomial", "ring", "recursive_doubling"}
LIBRARIES |= {"rabenseifner", "pairwise", "halving", "bruck", "dissemination"}
NATIVE, MOST = 100, 999  # scores: the MPI library, and less than what a user writes


class Cell:
    """One operation and size: what is fastest, what the MPI library is taken to need, and up to which size it holds."""

    def __init__(self, operation, size, end, times):
        self.operation, self.size, self.end = operation, size, end
        self.best = min(times, key=times.get, default=None)
        library = [time for name, time in times.items() if name in LIBRARIES]
        self.time = times.get(self.best)
        self.native = min(library, default=None)

    def gain(self):
        """How many times faster the best is than the MPI library; 1 where nobody knows."""
        return self.native / self.time if self.native and self.time else 1.0


class Table:
    """All cells with one length of segments. times(operation, size): {algorithm: microseconds}."""

    def __init__(self, segment, steps, times):
        self.segment = segment
        self.cells = [
            Cell(operation, size, end, times(operation, size))
            for operation, all_sizes in steps
            for size, end in zip(all_sizes, [*all_sizes[1:], None])
        ]

    def cost(self):
        return sum(math.log(one.time) for one in self.cells if one.time)


def best(tables):
    return min(tables, key=Table.cost)


def text(options, table):
    segment = f", segments of {sizes.text(table.segment)} (KUMIHIMO_COLL_SEGMENT={table.segment})" if table.segment else ""
    nodes = f" on nodes {options.nodes}" if options.nodes else ""
    lines = [
        f"# kumihimo simulate tune: {options.machine}, {options.shape} ranks{nodes}{segment}. Simulated, not measured.",
        f"# No rule: what gains {options.margin} % or less. The MPI library is taken to have what knows no network.",
    ]
    for one in table.cells:
        if one.best is None:
            lines.append(f"# {one.operation} {sizes.text(one.size)}: nothing could be simulated")
        elif one.best in LIBRARIES or one.gain() <= 1 + options.margin / 100:
            lines.append(f"# {_name(one)} {sizes.text(one.size)}: {one.best} {one.time:.2f} us, no rule")
        else:
            lines.append(
                f"{rule(one, options.shape)}  # {one.gain():.2f} times as fast: {one.time:.2f} us for {one.native:.2f}"
            )
    return "\n".join(lines) + "\n"


def rule(cell, shape):
    score = max(NATIVE + 1, min(MOST, int(NATIVE * cell.gain())))
    span = "0-inf" if cell.operation == "Barrier" else f"{cell.size}-{'inf' if cell.end is None else cell.end - 1}"
    return f"{_name(cell)}:{span}:{shape}:@{cell.best}={score}"


def _name(cell):
    return cell.operation.lower()
