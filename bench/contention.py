"""The simulator beside real networks: hosts of namespaces with cables of 50 Mbit/s (tests/cluster/wires.py; takes root), MPICH
over TCP, libkumihimo_coll.

    python3 bench/contention.py [torus-2x2x2 star-8 torus-4x2x2 star-16] [--rate 50mbit] [--samples 3]
                                [--longest 2] [--sizes 64K,...] [--sharing flows] [--seconds 0] [--keep DIRECTORY]

Rate, latency and overhead are fitted to messages there and back, and to two at a time that share a link. Everything else is
held out: all algorithms of all operations. Messages of one connection leave in turn, those of several share links. A cell that
should take more than --longest seconds is left out. Measurements are kept in DIRECTORY: the same command goes on where
--seconds ended it, and the tables show what there is."""

import argparse
import json
import math
import pathlib
import statistics
import sys
import tempfile
import time
import typing

from developers import runner
from kumihimo.bench.suite import launch, quantiles, sizes
from kumihimo.simulator.suite import engine
from predicted import Cell, algorithms, chosen, errors, every_cell, pairs, row, share, simulated

sys.path.insert(0, str(runner.SOURCES.parent / "tests" / "cluster"))
import wires
from hosts import Hosts

NETWORKS = {
    "torus-2x2x2": ((2, 2, 2), wires.Torus((2, 2, 2))),
    "star-8": ((8,), wires.Star(8)),
    "torus-4x2x2": ((4, 2, 2), wires.Torus((4, 2, 2))),
    "star-16": ((16,), wires.Star(16)),
}
OPERATIONS = ("Bcast", "Reduce", "Allreduce", "Reduce_scatter", "Allgather", "Gather", "Scatter", "Alltoall")
# Data go by TCP alone, over the cables; messages leave at once, as the model's do. Who waits gives its processor away.
SETTINGS = {
    "UCX_TLS": "tcp",
    "UCX_NET_DEVICES": "data",
    "UCX_RNDV_THRESH": "inf",
    "KUMIHIMO_SHM": "off",
    "KUMIHIMO_SPIN": "0",
    "KUMIHIMO_COLL_TABLE": "none",
}
FRAME, HEADERS = 1514, 66  # of Ethernet: its head and those of IP and TCP with time stamps
NATIVE = "native"  # the MPI library
LIMIT = 200  # seconds of a launch
SAMPLES_OF_MESSAGES = 15  # all else follows from them


# ---- Launches ----


class Bench:
    """Hosts with their cables, and what was measured there. Lives as long as its directory."""

    def __init__(self, name, options):
        self.shape, self.network = NETWORKS[name]
        self.ranks = math.prod(self.shape)
        self.options = options
        self.directory = pathlib.Path(options.keep) / name
        self.directory.mkdir(parents=True, exist_ok=True)
        self._hosts = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self._hosts:
            self._hosts.down()

    def measured(self, name, rules, *words, samples=None):
        """{(operation, bytes): [microseconds, ...]} of one launch; None where there is no time for it."""
        path = self.directory / f"{name}.jsonl"
        if not path.exists():
            if time.monotonic() > self.options.end:
                return None
            self._launch(path, rules, [samples or self.options.samples, *words])
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        return {(line["operation"], line["bytes"]): line["slowest_us"] for line in lines if line["kind"] == "cell"}

    def _launch(self, path, rules, words):
        settings = {**SETTINGS, "KUMIHIMO_COLL_TUNE": rules} if rules else dict(SETTINGS)
        settings["KUMIHIMO_COLL_SHAPE"] = "x".join(map(str, self.shape))
        settings["LD_PRELOAD"] = str(runner.library("kumihimo_coll", "mpich"))
        settings["KUMIHIMO_LOG"] = "info"
        program = runner.program("contention", "mpich")
        command = ["env", *(f"{key}={value}" for key, value in settings.items()), program, *words]
        print(f"{path.parent.name} {path.stem}", file=sys.stderr, flush=True)
        done = self.hosts().mpiexec("mpich", *command, ranks=self.ranks, capture_output=True, text=True, timeout=LIMIT)
        if done.returncode or '"end"' not in done.stdout:
            raise launch.Failed(done.stdout + done.stderr)
        if rules and f" by {rules.split('@')[1]}" not in done.stderr:
            raise launch.Failed(f"{rules} did not serve\n{done.stderr}")
        path.write_text(done.stdout)

    def hosts(self):
        if self._hosts is None:
            self._hosts = Hosts([1] * self.ranks + [0] * (self.network.hosts - self.ranks))
            self._hosts.up()
            wires.connect(self._hosts, self.network, self.options.rate)
        return self._hosts


# ---- The fit ----


MESSAGES = (16384, 65536, 262144, 1048576)  # bytes


class Ways(typing.NamedTuple):
    """Of messages, as the program takes them: to a neighbour, and to the farthest; two at a time that share a link."""

    near: str
    hops: int
    far: str
    most_hops: int
    two: str


def ways(bench):
    hops = {to: len(bench.network.way(0, to)) - 1 for to in range(1, bench.ranks)}
    near, far = min(hops, key=hops.get), max(hops, key=hops.get)
    one, other = wires.shared(bench.network, bench.ranks)
    return Ways(f"0>{near}", hops[near], f"0>{far}", hops[far], "{}>{}+{}>{}".format(*one, *other))


def fit(bench):
    """Constants of a machine, from messages; None where these have not been measured."""
    way = ways(bench)
    words = ("messages", ",".join(map(str, MESSAGES)), ",".join(dict.fromkeys((way.near, way.far, way.two))))
    found = bench.measured("messages", "", *words, samples=SAMPLES_OF_MESSAGES)
    return found and constants(way, {cell: quantiles.median(times) for cell, times in found.items()})


def constants(way, us):
    """us: {(way, bytes): microseconds}. On a star all are equally far: what a hop takes is part of the latency there."""
    *shorter, large = MESSAGES
    middle = shorter[-1]
    alone = (us[way.near, large] - us[way.near, middle]) / (large - middle)
    shared = (us[way.two, large] - us[way.two, middle]) / (large - middle) / 2
    takes = math.sqrt(alone * shared)  # microseconds for a byte
    rate = 1 / takes * FRAME / (FRAME - HEADERS)
    farther = [us[way.far, size] - us[way.near, size] for size in shorter]
    hop = max(0.0, statistics.median(farther) / (way.most_hops - way.hops)) if way.most_hops > way.hops else 0.0
    overhead = us[f"burst {way.near}", 8]
    left = [us[way.near, size] - 2 * overhead - hop * way.hops - size * takes for size in shorter]
    latency = max(0.0, statistics.median(left))
    return {"rate": rate, "hop": hop, "overhead": overhead, "latency": latency, "alone": 1 / alone, "shared": 1 / shared}


def machine_text(bench, fitted, rates):
    star = len(bench.shape) == 1
    if star:
        network = 'kind = "fat-tree"'
        extra = {"radix": (f"{2 * bench.ranks}", "1"), "levels": ("1", "1"), "taper": ("1", "1")}
    else:
        names = "abc"[: len(bench.shape)]
        axes = [
            f'{{name = "{name}", extent = {extent}, ring = {"true" if extent > 2 else "false"}}}'
            for name, extent in zip(names, bench.shape)
        ]
        network = f'kind = "torus"\nrouting = "{names}"\naxes = [{", ".join(axes)}]'
        extra = {}
    constants = {
        **extra,
        "link_rate": (fitted["rate"], "MB/s"),
        "node_rate": (1e6, "MB/s"),
        "packet": (FRAME, "B"),
        "packet_header": (HEADERS, "B"),
        "hop_latency": (fitted["hop"], "us"),
        "message_latency": (fitted["latency"], "us"),
        "message_overhead": (fitted["overhead"], "us"),
        "interfaces": (16, "1"),
        "interface_gap": (0, "us"),
        "eager_limit": (1, "GiB"),
        "copy_rate": (rates["copy_gb_s"], "GB/s"),
        "copy_overhead": (0, "us"),
        "reduction_rate": (rates["reduction_gb_s"], "GB/s"),
        "reduction_overhead": (0, "us"),
        "segment": (16, "KiB"),
        "work_space": (6, "MiB"),
    }
    network += '\nplacement = "order"\nmessages_to_one_node = "in turn"'
    lines = [f'name = "hosts"\nexplanation = "hosts of namespaces"\n\n[network]\n{network}\n\n[constants]']
    for name, (value, unit) in constants.items():
        lines.append(f'{name} = {{value = {value}, unit = "{unit}", kind = "measured", source = "bench/contention.py"}}')
    return "\n".join([*lines, ""])


# ---- Cells ----


def held_out(one, machine, bench):
    """All cells that there are, and the MPI library's own {(operation, bytes): microseconds}."""
    found, native = [], {}
    known = algorithms(one)
    question = {"machine": machine, "shape": "x".join(map(str, bench.shape)), "sharing": bench.options.sharing}
    for operation in OPERATIONS:
        times = {
            algorithm: {size: simulated(one, question, operation, algorithm, size) for size in bench.options.sizes}
            for algorithm in known[operation]
        }
        times = {
            name: {size: us for size, us in one.items() if us and us < 1e6 * bench.options.longest}
            for name, one in times.items()
        }
        for algorithm, of_sizes in times.items():
            if of_sizes:
                words = (operation, ",".join(map(str, of_sizes)))
                measured = bench.measured(f"{operation}-{algorithm}", f"{operation.lower()}:@{algorithm}", *words)
                for size, us in of_sizes.items():
                    if times_us := (measured or {}).get((operation, size)):
                        found.append(Cell(operation, size, algorithm, us, times_us))
        common = [size for size in bench.options.sizes if any(size in of_sizes for of_sizes in times.values())]
        measured = common and bench.measured(f"{operation}-{NATIVE}", "", operation, ",".join(map(str, common)))
        for cell, of_cell in (measured or {}).items():
            native[cell] = quantiles.median(of_cell)
    return found, native


# ---- What comes of it ----


def summary(bench, fitted, cells, native):
    """All that the tables show."""
    right, clear = pairs(cells)
    rules = chosen(cells, native)
    return {
        "network": bench.directory.name,
        "fitted": fitted,
        **errors(cells),
        "operations": {
            operation: errors([one for one in cells if one.operation == operation])
            for operation in dict.fromkeys(one.operation for one in cells)
        },
        "pairs": clear,
        "faster_right": right / clear if clear else 1.0,
        "choices": len(rules),
        "best_within_10_percent": sum(one[3] <= 1.10 for one in rules) / len(rules),
        "worst_choice": max(one[3] for one in rules),
        "beside_the_library": [one[4] for one in rules if one[5] and one[4]],
    }


def tables(found):
    fitted = found["fitted"]
    rates = f"a message alone {fitted['alone']:.2f} MB/s, two together {fitted['shared']:.2f} MB/s"
    links = f"links {fitted['rate'] * 8:.2f} Mbit/s, a hop {fitted['hop']:.0f} us"
    times = f"overhead {fitted['overhead']:.1f} us, latency {fitted['latency']:.0f} us"
    yield f"\n## {found['network']}\n\nfitted: {links}, {times}; {rates}"
    yield "\n| operation | cells | median error | median, signed | within 25 % | worst |\n|---|---|---|---|---|---|"
    for operation, one in found["operations"].items():
        yield row(operation, one)
    yield row("**all**", found)
    yield f"\nfaster of two right: {share(found['faster_right'], found['pairs'])}"
    yield f"simulated best within 1.10 of the best measured: {share(found['best_within_10_percent'], found['choices'])}"
    yield f"the worst: {found['worst_choice']:.2f} of the best"
    beside = found["beside_the_library"]
    if beside:
        yield f"rules: {len(beside)}; time / the MPI library's: {', '.join(f'{one:.2f}' for one in beside)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("networks", nargs="*", help=f"default: {' '.join(NETWORKS)}")
    parser.add_argument("--rate", default="50mbit", help="of a cable each way, as tc has it; default 50mbit")
    parser.add_argument("--samples", type=int, default=3, help="of each cell; default 3")
    parser.add_argument("--longest", type=float, default=2, help="seconds of a cell; default 2")
    parser.add_argument("--sizes", type=sizes.parse, default="64K,256K,1M,4M", help="default 64K,256K,1M,4M")
    parser.add_argument("--sharing", choices=("flows", "reservation"), default="flows", help="default flows")
    parser.add_argument("--seconds", type=float, default=0, help="after so many no launch begins")
    parser.add_argument("--keep", metavar="DIRECTORY", help="of measurements; default: a new one")
    parser.add_argument("--cells", action="store_true", help="print every cell")
    parser.add_argument("--json", action="store_true", help="print what the tables show as one JSON object a network")
    parser.add_argument("--build", help="build directory")
    options = parser.parse_args()
    if unknown := set(options.networks) - set(NETWORKS):
        parser.error(f"no such network: {', '.join(sorted(unknown))}")
    options.end = time.monotonic() + options.seconds if options.seconds else math.inf
    with tempfile.TemporaryDirectory() as scratch, engine.Engine() as one:
        options.keep = options.keep or scratch
        rates = one.ask("rates")
        for name in options.networks or NETWORKS:
            with Bench(name, options) as bench:
                fitted = fit(bench)
                if fitted is None:
                    continue
                machine = pathlib.Path(scratch) / f"{name}.toml"
                machine.write_text(machine_text(bench, fitted, rates))
                cells, native = held_out(one, str(machine), bench)
                if not cells:
                    continue
                found = summary(bench, fitted, cells, native)
                lines = [json.dumps(found)] if options.json else tables(found)
                print("\n".join([*lines, *(every_cell(cells, native) if options.cells else ())]))


if __name__ == "__main__":
    main()
