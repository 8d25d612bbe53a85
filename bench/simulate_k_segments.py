"""The K computer's model, if its MPI library takes for each call the length of segments that is fastest
(docs/explanation/k-computer.md, "Allreduce and segments").

    python3 bench/simulate_k_segments.py [--most-nodes NODES] [--output DIRECTORY]

Then no segment is fitted: the overhead of a message follows from Bcast of 1 MiB on 384 nodes alone, the rate of reduction from
Reduce on 384. All other rows of trees are computed with these.

Allreduce is shown in two ways: its two stages pipelined, as libkumihimo_coll does it, and one after the other, as the time of
Reduce and that of Bcast. Where work space is short, a vector goes in rounds of as many bytes, one after the other.

Vectors of 256 MiB are simulated whole on 384 nodes. On more they are continued from shorter ones, as by bench/simulate_k.py.
"""

import argparse
import sys
from pathlib import Path

import simulate_k
from kumihimo.bench.suite import sizes
from kumihimo.simulator.suite import evidence, fitting

SEGMENTS = [n << 10 for n in (4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512)]
STAGES = {"Reduce": ["Reduce"], "Allreduce": ["Reduce", "Bcast"]}
SHORT_WORK = 6 << 20  # bytes of work space, if nothing else is said
ROUNDS = f", the same in rounds of {sizes.text(SHORT_WORK)}"


class Fastest:
    """Times with the fastest segment. It is sought from the one that was fastest last: longer ones cost less work, but fill a
    pipeline later, so that times fall and then rise, but for how a vector's end happens to be divided."""

    def __init__(self, cells):
        self.cells, self.last = cells, {}

    def time(self, cell, constants, operation=None, size=None):
        """(microseconds, segment) of a row's cell; of another operation or size there."""
        operation, size = operation or cell["operation"], size or cell["size"]
        where = (operation, cell["algorithm"], cell["nodes"], cell["shape"], size, cell.get("work"))

        def with_segment(index):
            setting = {**constants, "segment": f"{SEGMENTS[index]} B"}
            return self.cells.time(*where, setting, whole=cell["nodes"] <= 384)

        at = self.last.get(where, SEGMENTS.index(64 << 10 if cell.get("work") else 16 << 10))
        best = (with_segment(at), at)
        for step in (1, -1):
            while (better := min(((with_segment(i), i) for i in self.beyond(best[1], step)), default=best)) < best:
                best = better
        self.last[where] = best[1]
        return best[0], SEGMENTS[best[1]]

    @staticmethod
    def beyond(index, step):
        return [i for i in (index + step, index + 2 * step) if 0 <= i < len(SEGMENTS)]


def constants_of(overhead_us, rate_gib=None):
    rate = {"reduction_rate": f"{rate_gib} GiB/s"} if rate_gib else {}
    return {"message_overhead": f"{overhead_us} us", **rate}


def fit(found, fastest, rate):
    """The overhead that gives Bcast on 384 nodes its rate, then the rate of reduction that does so for Reduce."""
    bcast, reduce = (found.fitted(one)[0] for one in found.fits)
    overhead = fitting.overhead(found.fits[0], bcast, lambda value: rate(bcast, constants_of(value)))
    reduction = fitting.reduction_rate(
        found, found.fits[1], lambda _, tried: rate(reduce, constants_of(overhead, tried["reduction_rate_gib"]))
    )
    return constants_of(overhead, reduction.constants["reduction_rate_gib"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--most-nodes", type=int, default=3072, help="rows of more nodes are left out; default 3072")
    parser.add_argument("--output", type=Path, default=simulate_k.OUTPUT, metavar="DIRECTORY")
    parser.add_argument("--build", help="the build directory; default KUMIHIMO_BUILD, else build")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    found = evidence.load()
    cells = simulate_k.Cells(found, options.output / "cells-segments.json")
    fastest = Fastest(cells)

    def rated(row, microseconds):
        cell = row["cell"]
        return cells.rate(cell["operation"], cell["nodes"], cell["shape"], cell["size"], microseconds)

    constants = fit(found, fastest, lambda row, tried: rated(row, fastest.time(row["cell"], tried)[0]))
    print(", ".join(f"{name} {value}" for name, value in constants.items()), end="\n\n")
    print("| what | measured | simulated | miss | segment |\n|---|---|---|---|---|")
    for row in found.rows["throughput"]:
        cell = row["cell"]
        if cell.get("algorithm") != "tree3" or cell["nodes"] > options.most_nodes:
            continue
        for way, time, segments in ways(cell, lambda *what, cell=cell: fastest.time(cell, constants, *what)):
            verdict = evidence.judge("throughput", row, rated(row, time))
            miss = verdict.miss + ("" if verdict.held else " **missed**")
            measured, miss = ("less", "") if way == ROUNDS else (verdict.published, miss)
            told = ", ".join(map(sizes.text, segments))
            print(f"| {row['name']}{way} | {measured} | {verdict.simulated} | {miss} | {told} |", flush=True)
    return 0


def ways(cell, time):
    """How K's library may do the operation of a row: (way, microseconds, segments). time(operation, size): of tree3 there."""
    yield "", *one_by_one([time(None, None)])
    stages = STAGES.get(cell["operation"])
    if not stages:
        return
    if len(stages) > 1:
        yield ", one stage after the other", *one_by_one([time(stage, None) for stage in stages])
    rounds, rest = cell["size"] // SHORT_WORK, cell["size"] % SHORT_WORK
    parts = [time(stage, SHORT_WORK) for stage in stages], [time(stage, rest) for stage in stages if rest]
    whole, segments = one_by_one(parts[0])
    yield ROUNDS, rounds * whole + one_by_one(parts[1])[0], segments


def one_by_one(parts):
    return sum(time for time, _ in parts), [segment for _, segment in parts]


if __name__ == "__main__":
    sys.exit(main())
