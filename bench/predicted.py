"""Times of all algorithms of all operations, measured and simulated: how far the simulated ones are off, whether they tell the
faster of two algorithms, and what the one costs that `kumihimo simulate tune` would choose."""

from kumihimo.bench.suite import quantiles, sizes
from kumihimo.simulator.suite import engine, tuning

CLEAR = 0.10  # algorithms that differ by more should be told apart


class Cell:
    def __init__(self, operation, size, algorithm, simulated, times):
        self.operation, self.size, self.algorithm, self.simulated = operation, size, algorithm, simulated
        self.measured = quantiles.median(times)
        self.miss = simulated / self.measured - 1


def algorithms(one):
    """{operation: [algorithm, ...]} that an engine knows."""
    known = {}
    for program in one.ask("list")["programs"]:
        known.setdefault(program["operation"], []).append(program["algorithm"])
    return known


def simulated(one, question, operation, algorithm, size):
    """Microseconds of one call that all ranks begin together; None where the algorithm does not suit."""
    question = {"nodes": "", "start": "window", "calls": 1, **question}
    try:
        return one.ask("run", operation=operation, algorithm=algorithm, bytes=size, **question)["time_us"]
    except engine.Refused as refused:
        if "does not suit" in str(refused) or "takes more work space" in str(refused):
            return None
        raise


def errors(cells):
    misses = [abs(one.miss) for one in cells]
    return {
        "cells": len(cells),
        "median": quantiles.median(misses),
        "median_signed": quantiles.median([one.miss for one in cells]),
        "within_25_percent": sum(miss <= 0.25 for miss in misses) / len(misses),
        "worst": max(misses),
    }


def pairs(cells):
    """(right, all) pairs of algorithms of one operation and size that differ clearly."""
    right = clear = 0
    for i, one in enumerate(cells):
        for other in cells[i + 1 :]:
            if (one.operation, one.size) == (other.operation, other.size):
                if max(one.measured, other.measured) > (1 + CLEAR) * min(one.measured, other.measured):
                    clear += 1
                    right += (one.measured < other.measured) == (one.simulated < other.simulated)
    return right, clear


def chosen(cells, native):
    """(operation, bytes, algorithm, its time / the best one's, its time / the MPI library's): what a rule of tune would be."""
    found = []
    for operation, size in dict.fromkeys((one.operation, one.size) for one in cells):
        here = [one for one in cells if (one.operation, one.size) == (operation, size)]
        times = {one.algorithm: one.simulated for one in here}
        rule = tuning.Cell(operation, size, None, times)
        one = next(one for one in here if one.algorithm == rule.best)
        best = min(one.measured for one in here)
        own = native.get((operation, size))
        is_rule = rule.best not in tuning.LIBRARIES and rule.gain() > 1.1
        found.append((operation, size, one.algorithm, one.measured / best, own and one.measured / own, is_rule))
    return found


def share(part, whole):
    return f"{100 * part:.0f} % of {whole}"


def row(name, one):
    median, worst = (f"{100 * one[key]:.1f} %" for key in ("median", "worst"))
    within = share(one["within_25_percent"], one["cells"])
    return f"| {name} | {one['cells']} | {median} | {100 * one['median_signed']:+.1f} % | {within} | {worst} |"


def every_cell(cells, native):
    for one in cells:
        times = f"{one.measured:12.2f} {one.simulated:12.2f} {100 * one.miss:+7.1f} %"
        yield f"{one.operation:15} {one.algorithm:20} {sizes.text(one.size):>8} {times}"
    for operation, size, algorithm, off, _, _ in chosen(cells, native):
        yield f"{operation:15} {sizes.text(size):>8} {algorithm:20} {off:.2f}"
