"""The K computer's model, if its MPI library takes for each call the length of segments that is fastest
(docs/explanation/k-computer.md, "Allreduce and segments").

    python3 bench/simulate_k_segments.py [--most-nodes NODES] [--output DIRECTORY]

Then no segment is fitted: the overhead of a message follows from Bcast of 1 MiB on 384 nodes alone, the rate of reduction from
Reduce on 384. All other rows of trees are computed with these, and where these become faster than older algorithms.

Allreduce is shown in two ways: its two stages pipelined, as libkumihimo_coll does it, and one after the other, as the time of
Reduce and that of Bcast. Where work space is short, a vector goes in rounds of as many bytes, one after the other.

Nothing is continued from shorter vectors, as long pieces would not fill a pipeline there. 384 nodes take a minute, more nodes
take far longer.
"""

import argparse
import itertools
import sys
from pathlib import Path

import simulate_k
from kumihimo.bench.suite import sizes
from kumihimo.simulator.suite import evidence, fitting

SEGMENTS = [n << 10 for n in (1, 2, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512)]
DIVIDED = (*simulate_k.PIPELINED, "pipelined_binomial")
STAGES = {"Reduce": ["Reduce"], "Allreduce": ["Reduce", "Bcast"]}
SHORT_WORK = 6 << 20  # bytes of work space, if nothing else is said
ROUNDS = f", the same in rounds of {sizes.text(SHORT_WORK)}"


class Fastest:
    """Times with the fastest segment. It is sought from the one that was fastest last: longer ones cost less work, but fill a
    pipeline later, so that times fall and then rise, but for how a vector's end happens to be divided."""

    def __init__(self, cells, constants, last=None):
        self.cells, self.constants, self.last = cells, constants, {} if last is None else last

    def with_constants(self, constants):
        """The same model with others. Its searches begin where those before ended."""
        return Fastest(self.cells, constants, self.last)

    def time(self, cell, operation=None, size=None):
        """(microseconds, segment) of a row's cell; of another operation or size there."""
        operation, size = operation or cell["operation"], size or cell["size"]
        where = (operation, cell["algorithm"], cell["nodes"], cell["shape"], size, cell.get("work"))

        def with_segment(index):
            setting = {**self.constants, "segment": f"{SEGMENTS[index]} B"}
            return self.cells.time(*where, setting, whole=True)

        if cell["algorithm"] not in DIVIDED:
            return self.cells.time(*where, self.constants), None
        at = self.last.get(where, SEGMENTS.index(64 << 10 if cell.get("work") else 16 << 10))
        best = (with_segment(at), at)
        for step in (1, -1):
            while (better := min(((with_segment(i), i) for i in self.beyond(best[1], step)), default=best)) < best:
                best = better
        self.last[where] = best[1]
        return best[0], SEGMENTS[best[1]]

    def best(self, operation, names, nodes, shape, size, **_):
        """As Cells.best."""
        cell = {"operation": operation, "nodes": nodes, "shape": shape, "size": size}
        times = [self.time({**cell, "algorithm": name})[0] for name in names]
        return min(filter(None, times), default=None)

    def rate(self, row, microseconds):
        cell = row["cell"]
        return self.cells.rate(cell["operation"], cell["nodes"], cell["shape"], cell["size"], microseconds)

    @staticmethod
    def beyond(index, step):
        return [i for i in (index + step, index + 2 * step) if 0 <= i < len(SEGMENTS)]


def constants_of(overhead_us, rate_gib=None):
    rate = {"reduction_rate": f"{rate_gib} GiB/s"} if rate_gib else {}
    return {"message_overhead": f"{overhead_us} us", **rate}


def fitted(found, cells):
    """With the overhead that gives Bcast on 384 nodes its rate, then the rate of reduction that does so for Reduce."""
    fastest = Fastest(cells, {})

    def rate(row, tried):
        return fastest.rate(row, fastest.with_constants(tried).time(row["cell"])[0])

    bcast, reduce = (found.fitted(one)[0] for one in found.fits)
    overhead = fitting.overhead(found.fits[0], bcast, lambda value: rate(bcast, constants_of(value)))
    reduction = fitting.reduction_rate(
        found, found.fits[1], lambda _, tried: rate(reduce, constants_of(overhead, tried["reduction_rate_gib"]))
    )
    return fastest.with_constants(constants_of(overhead, reduction.constants["reduction_rate_gib"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--most-nodes", type=int, default=384, help="rows of more nodes are left out; default 384")
    parser.add_argument("--output", type=Path, default=simulate_k.OUTPUT, metavar="DIRECTORY")
    parser.add_argument("--build", help="the build directory; default KUMIHIMO_BUILD, else build")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    found = evidence.load()
    cells = simulate_k.Cells(found, options.output / "cells-segments.json")
    fastest = fitted(found, cells)
    print(", ".join(f"{name} {value}" for name, value in fastest.constants.items()), end="\n\n")
    print("| what | measured | simulated | miss | segment |\n|---|---|---|---|---|")
    for line in itertools.chain(rates(found, fastest, options.most_nodes), switches(found, fastest)):
        print(line, flush=True)
    return 0


def rates(found, fastest, most_nodes):
    for row in found.rows["throughput"]:
        cell = row["cell"]
        if cell.get("algorithm") != "tree3" or cell["nodes"] > most_nodes:
            continue
        for way, time, segments in ways(cell, lambda *what, cell=cell: fastest.time(cell, *what)):
            verdict = evidence.judge("throughput", row, fastest.rate(row, time))
            measured, miss = ("less", "") if way == ROUNDS else (verdict.published, missed(verdict))
            told = ", ".join(map(sizes.text, segments))
            yield f"| {row['name']}{way} | {measured} | {verdict.simulated} | {miss} | {told} |"


def switches(found, fastest):
    for row in found.rows["switch"]:
        if 384 in row["cell"]["nodes"] and row["after"] == ["tree3"]:
            verdict = evidence.judge("switch", row, {384: simulate_k.switch(fastest, row, 384)})
            name = f"{row['cell']['operation']}, 384, switch"
            yield f"| {name} | {verdict.published} | {verdict.simulated} | {missed(verdict)} | |"


def missed(verdict):
    return verdict.miss + ("" if verdict.held else " **missed**")


def ways(cell, time):
    """How K's library may do the operation of a row: (way, microseconds, segments). time(operation, size): of tree3 there."""
    yield "", *one_by_one([time(None, None)])
    stages = STAGES.get(cell["operation"])
    if not stages:
        return
    if len(stages) > 1:
        yield ", one stage after the other", *one_by_one([time(stage, None) for stage in stages])
    rounds, rest = cell["size"] // SHORT_WORK, cell["size"] % SHORT_WORK
    of_round, segments = one_by_one([time(stage, SHORT_WORK) for stage in stages])
    of_rest, _ = one_by_one([time(stage, rest) for stage in stages if rest])
    yield ROUNDS, rounds * of_round + of_rest, segments


def one_by_one(parts):
    return sum(time for time, _ in parts), [segment for _, segment in parts]


if __name__ == "__main__":
    sys.exit(main())
