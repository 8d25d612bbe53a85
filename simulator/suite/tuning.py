"""Rules for KUMIHIMO_COLL_TABLE from simulated times.

What the MPI library would take is not simulated. The fastest of the algorithms that know no network stands for it, since MPI
libraries have those. So rules are for the others only: where one is faster by more than the model's error."""

import math

from ...bench.suite import sizes
from . import results

FORMAT, VERSION = "kumihimo-simulation-table", 1
OPERATIONS = ("Bcast", "Reduce", "Allreduce", "Allgather", "Gather", "Scatter", "Alltoall", "Barrier")
MOST_MESSAGES = 20_000_000  # of a cell: what takes longer is left out
# Those of MPI libraries, by collectives/algorithms.cpp's names.
LIBRARIES = {"linear", "binomial", "chain", "scatter_allgather", "pipelined_binomial", "ring", "recursive_doubling"}
LIBRARIES |= {"rabenseifner", "pairwise", "halving", "bruck", "dissemination"}
NOT_OF_THE_LIBRARY = ("interfaces",)  # hardware that KUMIHIMO_COLL_TABLE cannot ask for
NATIVE, MOST = 100, 999  # scores: the MPI library, and less than what a user writes


class Cell:
    """One operation and size: what is fastest, what the MPI library is taken to need, and up to which size it holds."""

    def __init__(self, operation, size, end, times):
        self.operation, self.size, self.end = operation, size, end
        self.best = min(times, key=times.get, default=None)
        library = {name: time for name, time in times.items() if name in LIBRARIES}
        self.times = times
        self.time = times.get(self.best)
        self.library = min(library, key=library.get, default=None)
        self.native = library.get(self.library)

    def gain(self):
        """How many times faster the best is than the MPI library; 1 where nobody knows."""
        return self.native / self.time if self.native and self.time else 1.0


class Table:
    """All cells with one length of segments. times(operation, size): {algorithm: microseconds}. left: cells that it lacks, as
    somebody interrupted it."""

    def __init__(self, segment, steps, times):
        self.segment, self.cells = segment, []
        self.left = [
            (operation, size, end) for operation, all_sizes in steps for size, end in zip(all_sizes, [*all_sizes[1:], None])
        ]
        try:
            while self.left:
                operation, size, end = self.left[0]
                self.cells.append(Cell(operation, size, end, times(operation, size)))
                del self.left[0]
        except KeyboardInterrupt:
            pass

    def cost(self):
        return sum(math.log(one.time) for one in self.cells if one.time)


def best(tables):
    """Of the complete ones, where there is one."""
    return min(tables, key=lambda one: (bool(one.left), one.cost()))


class Margins:
    """How many percent a rule has to gain. fit: what `kumihimo simulate fit --json` printed of the machine, whose errors of an
    operation and size are larger at times; None: there is none."""

    def __init__(self, percent, fit=None):
        self.percent, self._errors = percent, {}
        for cell in fit["held_out"] if fit else ():
            self._errors.setdefault(cell["operation"], {})[cell["bytes"]] = 100 * abs(cell["miss"])

    def of(self, operation, size):
        of_sizes = self._errors.get(operation)
        if not of_sizes:
            return self.percent
        nearest = min(of_sizes, key=lambda one: abs(math.log((one + 1) / (size + 1))))
        return max(self.percent, of_sizes[nearest])


def rulable(algorithms):
    return [name for name in algorithms if name not in NOT_OF_THE_LIBRARY]


def told(options, table, margins):
    """The table as JSON (table.schema.json)."""
    return {
        **results.head(FORMAT, VERSION, options),
        "segment": table.segment,
        "margin_percent": options.margin,
        "cells": [_cell(one, options, margins) for one in table.cells],
        "cannot_know": results.cannot_know(options.machine, options.shape),
    }


def _cell(one, options, margins):
    margin = margins.of(one.operation, one.size)
    gains = one.best is not None and one.best not in LIBRARIES and one.gain() > 1 + margin / 100
    return {
        "operation": one.operation,
        "bytes": one.size,
        "until": one.end,
        "times_us": one.times,
        "best": one.best,
        "library": one.library,
        "gain": one.gain(),
        "margin_percent": margin,
        "rule": rule(one, options.shape) if gains else None,
    }


def text(found):
    nodes = f" on nodes {found['nodes']}" if found["nodes"] else ""
    segment = f"segments of {sizes.text(found['segment'])} (KUMIHIMO_COLL_SEGMENT={found['segment']})"
    lines = [
        f"# kumihimo simulate tune: {found['machine']}, {found['shape']} ranks{nodes}, {segment}. Simulated, not measured.",
        f"# No rule: what gains {found['margin_percent']} % or less. The MPI library is taken to have what knows no network.",
        *(f"# {line}" for line in results.limits(found["cannot_know"]).splitlines()),
    ]
    for one in found["cells"]:
        name, times = f"{one['operation'].lower()} {sizes.text(one['bytes'])}", one["times_us"]
        if one["best"] is None:
            lines.append(f"# {name}: nothing could be simulated")
        elif one["rule"] is None:
            lines.append(f"# {name}: {one['best']} {times[one['best']]:.2f} us, no rule{_erring(found, one)}")
        else:
            fast, slow = times[one["best"]], times.get(one["library"], math.nan)
            lines.append(f"{one['rule']}  # {one['gain']:.2f} times as fast: {fast:.2f} us for {slow:.2f}")
    return "\n".join(lines)


def _erring(found, one):
    """Why a faster one is no rule, where the model's error is the reason."""
    few = found["margin_percent"] / 100 < one["gain"] - 1
    return f": {one['gain']:.2f} times as fast, but the model errs by {one['margin_percent']:.0f} %" if few else ""


def rule(cell, shape):
    score = max(NATIVE + 1, min(MOST, int(NATIVE * cell.gain())))
    span = "0-inf" if cell.operation == "Barrier" else f"{cell.size}-{'inf' if cell.end is None else cell.end - 1}"
    return f"{cell.operation.lower()}:{span}:{shape}:@{cell.best}={score}"
