"""Repeats the evaluation of the paper on Catwalk (section 4): IOR's patterns and BT-IO, the paper's five methods over sizes of
the sort buffer, against the MPI libraries' own files and a sequential dd with fsync on the same mount.

    python3 bench/catwalk.py [--nodes 4 16] [--directory DIR] [--rounds 7] [--scale 1] [--plots DIR] [PATTERN ...]

Patterns: 1M 4M 32K/64K 4K/16K bt-simple bt-full (figures 5 to 9 of the paper), 160B (what a small write call takes).
--directory is on the file system to measure: ext4, GlusterFS (figures 10 and 11). --scale multiplies files, --compute
gives each time step of BT-IO so many milliseconds of computing, which do not count. Times go from open to durable close.
The launch is the unit of statistics: variants take turns, each round gives one ratio; tables show medians, ratios with
their distribution-free 95 % interval. A/A is the first variant of Catwalk against itself. Memory is the largest resident
size of an I/O process.

A whole evaluation takes hours. --records keeps it in a file of JSON lines, one for each round: runs with the same file, of
any patterns, methods and buffers, add to it, and tables and plots show all that it has of the patterns of this run. --rounds 0
measures nothing and shows the file.
"""

import argparse
import collections
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from compare import interval

ROOT = Path(__file__).resolve().parent.parent
PATTERNS = ["1M", "4M", "32K/64K", "4K/16K", "bt-simple", "bt-full", "160B"]
OTHERS = {"ompio": ("openmpi", ["OMPI_MCA_io=ompio"]), "romio": ("openmpi", ["OMPI_MCA_io=romio321"]), "mpich": ("mpich", [])}
# The paper's names: (M) merges adjacent records.
METHODS = {
    "automatic": ("automatic", "true"),
    "immediate": ("immediate", "false"),
    "journal": ("journal", "false"),
    "journal(M)": ("journal", "true"),
    "sort": ("sort", "false"),
    "sort(M)": ("sort", "true"),
}

Result = collections.namedtuple("Result", "bytes seconds call_ns open sync close memory")


class Memory(threading.Thread):
    """The largest resident size that any I/O process reached while this runs, in bytes."""

    def __init__(self):
        super().__init__(daemon=True)
        self.peak, self.ended = 0, threading.Event()

    def run(self):
        while not self.ended.wait(0.02):
            for process in Path("/proc").glob("[0-9]*"):
                self.peak = max(self.peak, self.of(process))

    @staticmethod
    def of(process):
        try:
            if (process / "comm").read_text().strip() != "kumihimo-iod":
                return 0
            lines = (process / "status").read_text().splitlines()
        except OSError:  # it has ended meanwhile
            return 0
        return next((1024 * int(line.split()[1]) for line in lines if line.startswith("VmHWM")), 0)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.join()


def environment_of(variant, options):
    """(MPI family, words of env(1) in every rank)"""
    name, _, buffer = variant.partition(" ")
    if name in OTHERS:
        return OTHERS[name]
    library = Path(options.build) / "lib" / options.family / "libkumihimo_io.so"
    if not library.exists():
        sys.exit(f"{library} is missing: run make build")
    words = [f"LD_PRELOAD={library}", f"KUMIHIMO_IO=**={'direct' if name == 'direct' else 'catwalk'}"]
    if name != "direct":
        method, merge = METHODS[name]
        words += [f"KUMIHIMO_CATWALK_METHOD={method}", f"KUMIHIMO_CATWALK_MERGE={merge}"]
        words += [f"KUMIHIMO_CATWALK_SORT_BUFFER={buffer}", f"KUMIHIMO_IO_NODES={options.io_nodes}"]
        words += [f"KUMIHIMO_CATWALK_TOPOLOGY={options.topology}", f"KUMIHIMO_CATWALK_SERVERS={options.servers}"]
    return options.family, words


def launch(variant, pattern, nodes, options, file):
    """The Result of one launch, or None if it did not end in time or failed."""
    family, words = environment_of(variant, options)
    program = Path(options.build) / "bench" / f"bench_catwalk_{family}"
    command = [
        ROOT / "cmake" / "mpirun-test",
        family,
        nodes,
        "env",
        *words,
        program,
        pattern,
        file,
        options.scale,
        options.compute,
    ]
    with Memory() as memory:
        try:
            done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, text=True, timeout=options.limit)
        except subprocess.TimeoutExpired:
            print(f"{variant}, {pattern}, {nodes} ranks: no end after {options.limit} s", file=sys.stderr)
            return None
        finally:
            Path(file).unlink(missing_ok=True)
    for line in done.stdout.splitlines():
        fields = line.split("\t")
        if len(fields) == 7 and fields[0] == pattern:
            return Result(int(fields[1]), *map(float, fields[2:]), memory.peak)
    return None


def sequential(size, file):
    """Seconds of dd with fsync: what the disk can do."""
    start = time.monotonic()
    command = ["dd", "if=/dev/zero", f"of={file}", "bs=1M", f"count={size}", "iflag=count_bytes,fullblock", "conv=fsync"]
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    seconds = time.monotonic() - start
    Path(file).unlink()
    return seconds


def conditions(pattern, nodes, options):
    """What results must have in common to stand in one table."""
    place = options.place or str(Path(options.directory).resolve())
    return {
        "pattern": pattern,
        "ranks": nodes,
        "place": place,
        "scale": options.scale,
        "compute": options.compute,
        "io nodes": options.io_nodes,
        "topology": options.topology,
        "servers": options.servers,
    }


def recorded(wanted, options):
    """The rounds of earlier runs under these conditions."""
    if not options.records or not Path(options.records).exists():
        return []
    lines = [json.loads(line) for line in Path(options.records).read_text().splitlines()]
    return [
        {variant: result and Result(*result) for variant, result in line["results"].items()}
        for line in lines
        if all(line.get(name, value) == value for name, value in wanted.items())
    ]


def record(results, wanted, options):
    if options.records:
        with open(options.records, "a") as file:
            print(json.dumps({**wanted, "results": results}), file=file)


def rounds(variants, pattern, nodes, options, file):
    """One {variant: Result} for each round, with `dd`; in another order each time."""
    wanted = conditions(pattern, nodes, options)
    results = recorded(wanted, options)
    for _ in range(options.rounds):
        again = f"{variants[0]} again"
        order = [*variants, again]
        random.shuffle(order)
        one = {name: launch(name.removesuffix(" again"), pattern, nodes, options, file) for name in order}
        sizes = [result.bytes for result in one.values() if result]
        one["dd"] = Result(sizes[0], sequential(sizes[0], file), 0, 0, 0, 0, 0) if sizes else None
        results.append(one)
        record(one, wanted, options)
    return results


def size_of(buffer):
    """For sorting: 16M before 256M."""
    units = {"k": 10, "M": 20, "G": 30}
    return int(buffer[:-1]) << units[buffer[-1]] if buffer[-1:] in units else int(buffer or 0)


def buffer_size(text):
    """For arguments: the text itself, if it is one."""
    size_of(text)
    return text


def in_order(results):
    """The variants that there are results of: methods in the paper's order, buffers from small to large, then the others."""
    found = {variant for one in results for variant in one if variant != "dd" and not variant.endswith(" again")}
    names = [*METHODS, *OTHERS, "direct"]
    return sorted(found, key=lambda variant: (names.index(variant.split()[0]), size_of(variant.partition(" ")[2])))


def ratio(results, variant, over):
    """How many times faster than `over`, with its interval."""
    found = [one[over].seconds / one[variant].seconds for one in results if one.get(variant) and one.get(over)]
    return "{:.2f} [{:.2f}, {:.2f}]".format(*interval(found)) if found else "-"


def median(results, variant, value):
    found = [value(one[variant]) for one in results if one.get(variant)]
    return statistics.median(found) if found else None


def bandwidth(result):
    return result.bytes / result.seconds / 2**20


def show(number, layout):
    return "-" if number is None else format(number, layout)


def table(pattern, nodes, variants, results, others):
    same = [
        f"{name} {ratio(results, name, f'{name} again')}" for name in variants if any(f"{name} again" in one for one in results)
    ]
    print(f"\n{pattern}, {nodes} ranks, {len(results)} rounds, A/A of {', '.join(same)}\n")
    head = [
        "variant",
        "MiB/s",
        "of dd",
        *(f"times {other}" for other in others),
        "ns per call",
        "ms of open",
        "sync",
        "close",
        "memory, MiB",
    ]
    print(f"| {' | '.join(head)} |\n{'|---' * len(head)}|")
    for variant in ["dd", *variants]:
        cells = [variant, show(median(results, variant, bandwidth), ".1f"), ratio(results, variant, "dd")]
        cells += [ratio(results, variant, other) for other in others]
        cells.append(show(median(results, variant, lambda result: result.call_ns), ".0f"))
        cells += [
            show(median(results, variant, lambda result, part=part: getattr(result, part) * 1e3), ".2f")
            for part in ("open", "sync", "close")
        ]
        cells.append(show(median(results, variant, lambda result: result.memory / 2**20), ".1f"))
        print(f"| {' | '.join(cells)} |", flush=True)


def plot(pattern, nodes, variants, results, options):
    """As figures 5 to 11: bandwidth over the size of the sort buffer; what has none is a horizontal line."""
    import matplotlib

    Path(options.plots).mkdir(parents=True, exist_ok=True)

    matplotlib.use("svg")
    from matplotlib import pyplot

    pyplot.rcParams["svg.fonttype"] = "none"
    figure, axes = pyplot.subplots(figsize=(6, 4))
    lines = collections.defaultdict(list)
    for variant in ["dd", *variants]:
        name, _, buffer = variant.partition(" ")
        value = median(results, variant, bandwidth)
        if value is not None and buffer and name != "immediate":
            lines[name].append((buffer, value))
        elif value is not None:
            axes.axhline(value, linestyle="--", linewidth=1, color=f"C{len(axes.lines)}", label=name)
    buffers = sorted({buffer for points in lines.values() for buffer, _ in points}, key=size_of)
    for name, points in lines.items():
        axes.plot(
            [buffers.index(buffer) for buffer, _ in points],
            [value for _, value in points],
            marker="o",
            color=f"C{len(axes.lines)}",
            label=name,
        )
    axes.set_xticks(range(len(buffers)), buffers)
    place = options.place or options.directory
    axes.set(title=f"{pattern}, {nodes} ranks, {place}", xlabel="sort buffer", ylabel="MiB/s")
    axes.set_ylim(bottom=0)
    axes.legend(fontsize="small")
    figure.savefig(Path(options.plots) / f"catwalk-{pattern.replace('/', '-')}-{nodes}.svg", bbox_inches="tight")
    pyplot.close(figure)


def options_of_the_command_line():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("patterns", nargs="*", metavar="PATTERN", help="default: all")
    parser.add_argument("--family", default="openmpi", choices=["openmpi", "mpich"], help="of Kumihimo's runs")
    parser.add_argument("--others", nargs="*", default=["ompio", "romio"], choices=[*OTHERS, "direct"])
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=list(METHODS))
    parser.add_argument(
        "--buffers", type=buffer_size, nargs="+", default=["16M", "64M", "256M"], help="sizes of the sort buffer"
    )
    parser.add_argument("--nodes", nargs="+", type=int, default=[4, 16], help="ranks")
    parser.add_argument("--io-nodes", type=int, default=1, help="nodes that the ranks of this machine are taken for")
    parser.add_argument("--topology", default="ring", choices=["ring", "tree", "star"], help="of I/O nodes")
    parser.add_argument("--servers", type=int, default=1, help="I/O nodes that write to the file")
    parser.add_argument("--directory", default=".", help="on the file system to measure")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--scale", type=float, default=1)
    parser.add_argument("--compute", type=int, default=0, metavar="MS")
    parser.add_argument("--limit", type=float, default=300, help="seconds for a launch")
    parser.add_argument("--plots", metavar="DIR", help="SVG figures; needs Matplotlib")
    parser.add_argument("--records", metavar="FILE", help="results are added to this file, and all of it is shown")
    parser.add_argument("--place", help="name of the file system in the records (default: the directory)")
    parser.add_argument("--build", default=os.environ.get("KUMIHIMO_BUILD", str(ROOT / "build")))
    options = parser.parse_args()
    if unknown := [pattern for pattern in options.patterns if pattern not in PATTERNS]:
        parser.error(f"no pattern {', '.join(unknown)}; there are: {', '.join(PATTERNS)}")
    return options


def main():
    options = options_of_the_command_line()
    # What has no sort buffer is measured once.
    variants = [
        f"{name} {buffer}" for name in options.methods for buffer in options.buffers[: 1 if name == "immediate" else None]
    ]
    variants += options.others
    nodes = f"{options.io_nodes} I/O nodes, {options.topology}, {options.servers} servers"
    print(f"{options.rounds} rounds, scale {options.scale}, {nodes}, load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory(dir=options.directory) as directory:
        for nodes in options.nodes:
            for pattern in options.patterns or PATTERNS:
                results = rounds(variants, pattern, nodes, options, Path(directory) / "file")
                shown = in_order(results)
                if not shown:
                    continue
                table(pattern, nodes, shown, results, [name for name in shown if name in OTHERS or name == "direct"])
                if options.plots:
                    plot(pattern, nodes, shown, results, options)


if __name__ == "__main__":
    main()
