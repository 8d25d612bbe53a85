"""Repeats the measurements of MPI on the K computer by simulation (docs/explanation/k-computer.md).

    python3 bench/simulate_k.py [--quick] [--output DIRECTORY]
    python3 bench/simulate_k.py --fit [--calls loop]
    python3 bench/simulate_k.py --beside

Judges every row of simulator/evidence.toml and writes the table paper / simulated / error. Then it computes the curves of the
paper's figures 2, 3 and 5 to 11, and the same on all 82,944 nodes, and draws them (Matplotlib). Long vectors are continued from
shorter ones.
--quick: five sizes of each curve, no more than 18,432 nodes, and vectors are continued from shorter ones still. Of exchanges
on more than 1,000 nodes a part of the rounds stands for all. What sends more than five million messages all the same is left
out, or continued from fewer nodes where all go along rings; of curves, what sends half as many.
--predict: calls on all 82,944 nodes, which the paper did not measure.
--fit chooses the constants that the evidence allows, and sees only the rows that it names for them.
--calls: single ones, or as many as IMB made with roots in turn, one after the other (loop) or all ranks together (window);
--beside: the rows where IMB made several, all three ways beside each other.

Figures take Matplotlib, which .venv/bin/python has; `--figures` alone leaves them out.

What was computed is kept in DIRECTORY (default: build/simulate-k): a run that was interrupted goes on. A cell is known by the
machine's file, by where its ranks lie, and by the question.
"""

import argparse
import functools
import hashlib
import importlib
import json
import math
import os
import sys
from pathlib import Path

from developers import runner
from kumihimo.bench.suite import operations, sizes
from kumihimo.simulator.suite import evidence, fitting
from kumihimo.simulator.suite.engine import Engine, Refused, machine_path

OUTPUT = runner.BUILD / "simulate-k"
MIB = 1 << 20
# Vectors longer than the second of these are computed from both: a pipeline that is full takes the same for each piece.
FULL = (8 * MIB, 16 * MIB)
FULL_QUICKLY = (4 * MIB, 8 * MIB)
FULL_OF_MANY = (6 * MIB, 12 * MIB)  # of rows with more than MANY nodes, through which 8 MiB do not fill a pipeline
MANY = 10_000
WORK_SPACE = 6 * MIB  # of the machine
LONGEST_QUICKLY = 32 * MIB  # of a switch that is sought with --quick
PIPELINED = ("tree1", "tree2", "tree3", "chain")
MOST_MESSAGES = 30_000_000  # of a call
MOST_QUICKLY = 5_000_000  # with --quick; of curves half as many
PATIENTLY = 400_000_000  # of one that nothing can stand for: 18,432 nodes that all send to all, three minutes and more
# How many rings there are, each with a part of a block. Every rank does the same for each rank that there is: where that takes
# too long, it is continued from the same shape of fewer nodes.
ALONG_RINGS = {
    (operation, way): rings
    for operation in ("Allgather", "Allgatherv")
    for way, rings in (("ring", 1), ("rings1", 1), ("rings2", 2), ("rings3", 3))
}
EACH_TO_EACH = {
    ("Bcast", "scatter_allgather"),
    ("Reduce", "ring"),
    ("Allreduce", "ring"),
    ("Reduce_scatter", "ring"),
    ("Reduce_scatter", "pairwise"),
    *ALONG_RINGS,
}
FEWER = (3072, 384)
# Of these the engine simulates so many messages at most; with --quick a quarter of them on so many nodes, and on MANY
# half as many.
MOST_SAMPLED = 20_000_000
SAMPLED_QUICKLY = 1000
SAMPLED = {(name, way) for name in ("Alltoall", "Alltoallv") for way in ("linear", "pairwise", "torus")}
ALL_COPIED = {("Alltoall", "bruck")}
# A v form of equal blocks takes the same steps.
PLAIN = {f"{name}v": name for name in ("Allgather", "Alltoall", "Gather", "Scatter")}
PAPER = [name for name, one in operations.OPERATIONS.items() if one.in_paper]
# The candidates of K's library, as the evidence names them: Open MPI's algorithms, and those for the torus.
CANDIDATES = {
    "Bcast": ("binomial", "chain", "scatter_allgather", "tree"),
    "Allreduce": ("recursive_doubling", "ring", "rabenseifner", "tree"),
    "Reduce": ("binomial", "pipelined_binomial", "tree"),
    "Reduce_scatter": ("pairwise", "ring", "halving"),
    "Allgather": ("ring", "recursive_doubling", "bruck", "rings"),
    "Allgatherv": ("ring", "rings"),
    "Gather": ("linear", "binomial", "axes"),
    "Gatherv": ("linear",),
    "Alltoall": ("pairwise", "bruck", "torus"),
    "Alltoallv": ("pairwise", "torus"),
    "Scatter": ("linear", "binomial"),
    "Scatterv": ("linear",),
}
FIGURES = {
    "PingPong": 2,
    "Sendrecv": 3,
    "Bcast": 5,
    "Allreduce": 6,
    "Reduce": 7,
    "Allgather": 8,
    "Gather": 9,
    "Scatter": 10,
    "Alltoall": 11,
}
HEIGHTS = {"Reduce": 5.0, "Allgather": 14.0}  # of the axes that the paper's text has


NAMES = {"single": "one call", "loop": "loop, roots in turn", "window": "windows, roots in turn"}
CALLS = tuple(NAMES)


class TooLong(Exception):
    """A cell that nobody waits for."""


class Cells:
    """Times of calls in microseconds; None where an algorithm cannot. calls: how they are made (CALLS). quick: of exchanges
    rounds are sampled. most: messages of a call that is simulated."""

    def __init__(self, found, path, calls="single", quick=False):
        self.evidence, self.path, self.calls, self.quick, self.engine = found, path, calls, quick, Engine()
        self.most = MOST_QUICKLY if quick else MOST_MESSAGES
        self.full = FULL_QUICKLY if quick else FULL
        shown = {one["name"]: one for one in self.engine.ask("show", machine=machine_path("k-computer"))["constants"]}
        self.overhead_us = float(shown["message_overhead"]["value"])
        self.known = json.loads(path.read_text()) if path and path.exists() else {}
        self.machine = digest(Path(machine_path("k-computer")).read_bytes())
        self.placement = functools.lru_cache(maxsize=None)(self._placement)

    def _placement(self, shape, nodes):
        found = self.engine.ask("place", machine=machine_path("k-computer"), shape=shape, nodes=nodes)["nodes"]
        return digest(json.dumps(found).encode())

    def time(self, operation, algorithm, nodes, shape, size, work=None, constants=None, patient=False, whole=False):
        """patient: though nobody would wait for it. whole: nothing is continued from shorter vectors."""
        full = FULL_OF_MANY if self.quick and work and nodes > MANY else self.full
        short, long = full
        if size > long and algorithm in PIPELINED and not whole:
            first, second = (self.time(operation, algorithm, nodes, shape, one, work, constants) for one in full)
            return first and second and second + (second - first) * (size - long) / (long - short)
        ranks, physical = self.evidence.shape(nodes, shape)
        calls = 1 if self.calls == "single" or work or size > FULL[0] else self.evidence.calls(size)
        question = {
            "machine": machine_path("k-computer"),
            "operation": PLAIN.get(operation, operation),
            "algorithm": algorithm,
            "shape": along_cycles(ranks, physical),
            "nodes": physical,
            "bytes": size,
            "calls": min(calls, most_calls(size, messages(operation, algorithm, nodes))),
            "root": self.evidence.measurement["root"],
            "start": "window" if self.calls == "window" else "loop",
            "set": dict(constants or {}),
        }
        sampled = self.quick and (operation, algorithm) in SAMPLED and nodes >= SAMPLED_QUICKLY
        if sampled:
            question["shorten"] = "always"
            if nodes > MANY:
                question["sampled_messages"] = MOST_SAMPLED // 2
        if work:
            question["set"]["work_space"] = f"{work} B"
        where = {"machine": self.machine, "placement": self.placement(question["shape"], physical)}
        key = json.dumps({**question, **where}, sort_keys=True)
        count = work_of(operation, algorithm, nodes, size, part=4 if sampled else 1)
        if key not in self.known and count > (PATIENTLY if patient else self.most):
            return self._continued(operation, algorithm, nodes, shape, size, constants)
        if key not in self.known:
            self.known[key] = self._ask(question)
            if self.path:
                self._keep()
        return self.known[key]

    def _ask(self, question):
        try:
            return self.engine.ask("run", **question)["time_us"]
        except Refused as refused:
            if "does not suit" in str(refused) or "more work space" in str(refused):
                return None
            raise

    def _continued(self, operation, algorithm, nodes, shape, size, constants):
        fewer = next((one for one in FEWER if one < nodes and messages(operation, algorithm, one) <= self.most), None)
        if (operation, algorithm) not in ALONG_RINGS or not fewer:
            raise TooLong
        return self.time(operation, algorithm, fewer, shape, size, None, constants) * (nodes - 1) / (fewer - 1)

    def _keep(self):
        part = self.path.with_suffix(".part")
        part.write_text(json.dumps(self.known))
        os.replace(part, self.path)

    def rate(self, operation, nodes, shape, size, microseconds):
        ranks, _ = self.evidence.shape(nodes, shape)
        numbers = [int(one) for one in ranks.split("x")]
        return operations.throughput(operation, size, microseconds, nodes, numbers) if microseconds else None

    def best(self, operation, names, nodes, shape, size, work=None, beyond=math.inf):
        """The least time of these algorithms. What takes longer than another one, or than `beyond`, by its processors alone is
        left out."""
        least = None
        for name in sorted(names, key=lambda one: self.at_least(operation, one, nodes)):
            if least and min(least, beyond) <= self.at_least(operation, name, nodes):
                continue
            time = self.time(operation, name, nodes, shape, size, work)
            least = min(filter(None, (least, time)), default=None)
        return least

    def at_least(self, operation, algorithm, nodes):
        """Microseconds in which a processor prepares and takes the messages of such an algorithm; or in which all do, one after
        the other, what a chain begins with."""
        in_turn = nodes - 1 if algorithm == "chain" else messages(operation, algorithm, nodes, sampled=False) / nodes
        return 2 * self.overhead_us * in_turn


def digest(data):
    return hashlib.sha256(data).hexdigest()[:16]


def most_calls(size, messages):
    """Below 1 MiB fewer than IMB's hundreds: they repeat themselves. One of algorithms in which all ranks send to all."""
    return 1 if messages > MOST_MESSAGES / 40 else 40 if size >= MIB else 8


def messages(operation, algorithm, nodes, sampled=True, part=1):
    """How many a call has at least, where it grows with the square of the nodes. sampled: how many are simulated at most, or a
    part of them."""
    all_to_all = nodes * (nodes - 1) * ALONG_RINGS.get((operation, algorithm), 1)
    if (operation, algorithm) in SAMPLED:
        return min(all_to_all // part, MOST_SAMPLED) if sampled else all_to_all
    return all_to_all * (2 if operation == "Allreduce" else 1) if (operation, algorithm) in EACH_TO_EACH else 0


def work_of(operation, algorithm, nodes, size, part):
    """The messages of a call; of an exchange by few messages, in which ranks copy half of all blocks in every round, as many as
    take as long as these copies, where their work space has room for all blocks."""
    if (operation, algorithm) in ALL_COPIED and nodes * size <= WORK_SPACE:
        return nodes * nodes * math.ceil(math.log2(nodes)) // 8
    return messages(operation, algorithm, nodes, part=part)


def along_cycles(ranks, physical):
    """Shapes of two axes with the one along x, a and b first: see docs/explanation/k-computer.md."""
    axes = ranks.split("x")
    return "x".join(reversed(axes)) if len(axes) == 2 and int(axes[0]) != 6 * int(physical.split("x")[0]) else ranks


def with_axes(name, shape):
    """tree and rings: as many as the shape has axes."""
    return name + shape[0] if name in ("tree", "rings") else name


# ---- The fit ----


def fit(found, cells):
    def rate(row, constants):
        cell = row["cell"]
        setting = {
            "segment": f"{constants['segment']} B",
            "message_overhead": f"{constants['message_overhead_us']} us",
            **({"reduction_rate": f"{constants['reduction_rate_gib']} GiB/s"} if "reduction_rate_gib" in constants else {}),
        }
        where = (cell["nodes"], cell["shape"], cell["size"])
        return cells.rate(
            cell["operation"], *where, cells.time(cell["operation"], cell["algorithm"], *where, cell.get("work"), setting)
        )

    pipeline, tried = fitting.pipeline(found, found.fits[0], rate)
    for one in tried:
        print(told(one), flush=True)
    reduction = fitting.reduction_rate(
        found, found.fits[1], lambda row, constants: rate(row, {**pipeline.constants, **constants})
    )
    print("chosen:", told(pipeline))
    print("chosen:", told(reduction))


def told(one):
    rates = ", ".join(f"{name}: {rate:.3f} GiB/s" for name, rate in one.rates.items())
    return f"{one.constants}: {rates}; misses by {one.miss:.1%}"


# ---- The table ----


def find(found, cells, table, row):
    """What evidence.judge takes for a row."""
    cell = row["cell"]
    operation, work = cell["operation"], cell.get("work")
    if table == "throughput":
        where = (cell["nodes"], cell["shape"], cell["size"])
        return cells.rate(operation, *where, cells.time(operation, cell.get("algorithm", ""), *where, work))
    if table == "ratio":
        where = (cell["nodes"], cell["shape"], cell["size"])
        faster, slower = (cells.best(operation, row[side], *where) for side in ("faster", "slower"))
        return slower / faster if faster and slower else None
    if table == "switch":
        return {nodes: switch(cells, row, nodes) for nodes in cell["nodes"]}
    if "work" in row:
        where = (cell["nodes"], cell["shape"], cell["size"])
        return [cells.rate(operation, *where, cells.time(operation, cell["algorithm"], *where, one)) for one in row["work"]]
    times = {
        shape: cells.time(operation, with_axes(cell["algorithm"], shape), cell["nodes"], shape, cell["size"], patient=True)
        for shape in row["ascending"]
    }
    return [cells.rate(operation, cell["nodes"], shape, cell["size"], time) for shape, time in times.items()]


def switch(cells, row, nodes):
    """From the published size on outwards, as far as the switch may be: up to where the second algorithm leads, down to where
    it does not. Sizes are left out that take too long."""
    operation, shape = row["cell"]["operation"], row["cell"]["shape"]
    low, high = row["published"]
    slower, faster = ({}, {})

    def leads(size):
        times, least = {}, math.inf
        for side in sorted(("before", "after"), key=lambda side: len(row[side])):
            try:
                times[side] = cells.best(operation, row[side], nodes, shape, size, beyond=least)
            except TooLong:
                return None
            if not times[side]:
                return None
            least = times[side]
        slower[size], faster[size] = times["before"], times["after"]
        return times["after"] < times["before"]

    outwards = [1 << n for n in range(low.bit_length() - 1, high.bit_length() + 4)]
    if cells.quick:
        outwards = [size for size in outwards if size <= LONGEST_QUICKLY]
    inwards = [1 << n for n in range(low.bit_length() - 1, max(2, low.bit_length() - 6), -1)]
    if leads(inwards[0]):
        next((size for size in inwards[1:] if leads(size) is False), None)
    else:
        next((size for size in outwards[1:] if leads(size)), None)
    if not slower:
        raise TooLong
    return evidence.crossing(slower, faster)


def verdicts(found, cells, most_nodes, tables, names):
    for table in tables:
        for row in found.rows[table]:
            if names and not row["name"].startswith(tuple(names)):
                continue
            nodes = row["cell"]["nodes"]
            largest = max(nodes) if isinstance(nodes, list) else nodes
            try:
                yield evidence.judge(table, row, find(found, cells, table, row) if largest <= most_nodes else None)
            except TooLong:
                yield evidence.judge(table, row, None)


def beside(found, path, most_nodes):
    """The rows of several calls: each way of calling beside the measurement."""
    ways = [Cells(found, path.with_name(f"cells-{way}.json"), way) for way in CALLS]
    yield f"| what | paper | {' | '.join(NAMES[way] for way in CALLS)} |\n|---|---|{'---|' * len(CALLS)}"
    for row in found.rows["throughput"]:
        if row["cell"]["nodes"] <= most_nodes and found.calls(row["cell"]["size"]) > 1:
            rates = [find(found, cells, "throughput", row) for cells in ways]
            yield f"| {row['name']} | {row['published']} | {' | '.join(f'{rate:.2f}' for rate in rates)} |"


def table_text(all_verdicts):
    lines = ["| what | paper | simulated | miss | use |", "|---|---|---|---|---|"]
    for one in all_verdicts:
        mark = {True: "", False: " **missed**", None: ""}[one.held]
        lines.append(f"| {one.row['name']} | {one.published} | {one.simulated or '-'} | {one.miss}{mark} | {one.row['use']} |")
    return "\n".join(lines) + "\n"


def counts_text(all_verdicts):
    lines = ["| use | rows | within the goal | outside | not simulated |", "|---|---|---|---|---|"]
    for use in evidence.USES:
        mine = [one.held for one in all_verdicts if one.row["use"] == use]
        lines.append(f"| {use} | {len(mine)} | {mine.count(True)} | {mine.count(False)} | {mine.count(None)} |")
    return "\n".join(lines) + "\n"


# ---- What nobody measured ----

ALL_NODES = 82944
PREDICTED = (
    ("Bcast", "tree3", (16 << 10, MIB)),
    ("Reduce", "tree3", (16 << 10, MIB)),
    ("Allreduce", "tree3", (16 << 10, MIB)),
    ("Gather", "axes", (8, 1 << 10)),
)


def predictions(cells):
    """The largest measured machine beside the whole one."""
    yield f"| what | 18,432 nodes, us | GiB/s | {ALL_NODES:,} nodes, us | GiB/s |\n|---|---|---|---|---|"
    for operation, algorithm, chosen in PREDICTED:
        for size in chosen:
            columns = []
            for nodes in (18432, ALL_NODES):
                time = cells.time(operation, algorithm, nodes, "3-D", size)
                rate = cells.rate(operation, nodes, "3-D", size, time)
                columns += [f"{time:,.1f}", f"{rate:.3g}"] if time else ["more work space", "-"]
            yield f"| {operation} `{algorithm}`, {sizes.text(size)} | {' | '.join(columns)} |"


# ---- The figures ----


def curves(found, cells, operation, nodes, chosen):
    """{shape: {size: GiB/s}}: of the fastest candidate."""
    names = CANDIDATES.get(operation, ("",))
    drawn = {}
    for shape in found.shapes[str(nodes)]:
        if shape == "3Db" and operation not in ("Alltoall", "Alltoallv"):
            continue
        for size in chosen:
            if not fits(operation, nodes, size):
                continue
            try:
                time = cells.best(operation, [with_axes(name, shape) for name in names], nodes, shape, size)
            except TooLong:
                continue
            rate = cells.rate(operation, nodes, shape, size, time)
            if rate:
                drawn.setdefault(shape, {})[size] = rate
    return drawn


def fits(operation, nodes, size):
    """Into the 6 GiB that IMB was given: a block for each rank, sent or received, once or twice."""
    per_rank = operations.OPERATIONS[operation].messages == operations.RANKS
    return not per_rank or size * nodes * (2 if operation.startswith("Alltoall") else 1) <= 6 << 30


def pyplot():
    """Matplotlib, so that figures have the same bytes each time. Ends the program where there is none."""
    try:
        import matplotlib
    except ModuleNotFoundError:
        instead = "tools/setup python, then .venv/bin/python bench/simulate_k.py; or --figures without names: the table alone"
        sys.exit(f"figures take Matplotlib, which {sys.executable} has not: {instead}")
    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "kumihimo", "font.size": 8})
    return importlib.import_module("matplotlib.pyplot")


def draw(plots, found, cells, operation, node_counts, chosen, path):
    figure, axes = plots.subplots(1, len(node_counts), figsize=(3.4 * len(node_counts), 2.6), squeeze=False)
    for nodes, axis in zip(node_counts, axes[0]):
        for (shape, points), style in zip(curves(found, cells, operation, nodes, chosen).items(), ("-o", "--s", "-.^", ":d")):
            axis.semilogx(
                list(points), list(points.values()), style, markersize=3, label=f"{shape} ({found.shape(nodes, shape)[0]})"
            )
        for row in found.rows["throughput"]:
            cell = row["cell"]
            if (cell["operation"], cell["nodes"]) == (operation, nodes):
                axis.plot(
                    cell["size"],
                    row["published"],
                    "k*",
                    markersize=9,
                    label="paper" if "paper" not in axis.get_legend_handles_labels()[1] else None,
                )
        predicted = ", predicted" if nodes == ALL_NODES else ""
        axis.set(title=f"{operation}, {nodes} nodes{predicted}", xlim=(1, 1e9), xlabel="bytes")
        axis.set_ylim(0, HEIGHTS.get(operation))
        axis.grid(alpha=0.3)
        axis.legend(fontsize=6)
    axes[0][0].set_ylabel("GiB/s")
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    plots.close(figure)


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="five sizes of each curve, nothing that takes long")
    parser.add_argument("--fit", action="store_true", help="chooses constants; prints all that was tried")
    parser.add_argument("--predict", action="store_true", help="82,944 nodes, which were never measured")
    parser.add_argument("--calls", choices=CALLS, default="single", help="how calls are made; default single")
    parser.add_argument("--beside", action="store_true", help="all ways of calling beside each other, where IMB made several")
    parser.add_argument("--most-nodes", type=int, help="rows and curves of more nodes are left out")
    parser.add_argument(
        "--tables", nargs="*", default=evidence.TABLES, choices=evidence.TABLES, help="rows of these tables only"
    )
    parser.add_argument("--rows", nargs="*", metavar="NAME", help="rows whose names begin so only")
    parser.add_argument("--figures", nargs="*", default=PAPER, choices=PAPER, help="curves of these functions only")
    parser.add_argument("--output", type=Path, default=OUTPUT, metavar="DIRECTORY")
    parser.add_argument("--build", help="the build directory; default KUMIHIMO_BUILD, else build")
    return parser.parse_args()


def main():
    options = parse_options()
    options.output.mkdir(parents=True, exist_ok=True)
    found = evidence.load()
    if options.beside:
        for line in beside(found, options.output / "cells.json", options.most_nodes or 1 << 20):
            print(line, flush=True)
        return 0
    cells = Cells(
        found,
        options.output / f"cells-{options.calls}.json",
        options.calls,
        options.quick,
    )
    if options.predict:
        for line in predictions(cells):
            print(line, flush=True)
        return 0
    if options.fit:
        return fit(found, cells)
    plots = pyplot() if options.figures else None  # before anything is computed
    most_nodes = options.most_nodes or (18432 if options.quick else 1 << 20)
    judged = []
    for one in verdicts(found, cells, most_nodes, options.tables, options.rows):
        judged.append(one)
        print(f"{one.row['name']}: paper {one.published}, simulated {one.simulated}, {one.miss}", file=sys.stderr, flush=True)
    text = f"{table_text(judged)}\n{counts_text(judged)}"
    (options.output / "table.md").write_text(text)
    print(text)
    if options.quick:
        cells.most = MOST_QUICKLY // 2
    if options.figures:
        for operation in options.figures:
            quick = options.quick and operation in CANDIDATES
            chosen = [8, 1 << 10, 16 << 10, 128 << 10, MIB] if quick else sizes.powers(4, 256 * MIB)
            node_counts = [nodes for nodes in (384, 3072, 18432, ALL_NODES) if nodes <= most_nodes]
            number = FIGURES.get(operation)
            name = f"k-figure-{number}-{operation.lower()}" if number else f"k-{operation.lower()}"
            draw(plots, found, cells, operation, node_counts, chosen, options.output / f"{name}.svg")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("interrupted; what was computed is kept: the same command goes on")
