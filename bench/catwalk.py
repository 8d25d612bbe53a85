"""Repeats the evaluation of the paper on Catwalk (section 4): IOR's patterns and BT-IO, the paper's five methods over sizes of
the sort buffer, against the MPI libraries' own files and a sequential dd with fsync on the same mount.

    python3 bench/catwalk.py [--nodes 4 16] [--directory DIR] [--rounds 7] [--scale 1] [--plots DIR] [PATTERN ...]

Patterns: 1M 4M 32K/64K 4K/16K bt-simple bt-full (figures 5 to 9 of the paper), 160B (what a small write call takes).
--directory is on the file system to measure: ext4, GlusterFS (figures 10 and 11). --scale multiplies files, --compute
gives each time step of BT-IO so many milliseconds of computing, which do not count. Times go from open to durable close.
`of X`: how many times as fast as X. A/A is the first variant of Catwalk against itself. Memory is the largest resident size of
an I/O process.

A whole evaluation takes hours. --keep has a directory keep all records: later runs, of any patterns, methods and buffers, add
to them, and tables and plots show all of the patterns of the run. --rounds 0 measures nothing and shows what is kept.
"""

import collections
import json
import subprocess
import tempfile
import threading
import time
from pathlib import Path

from developers import launch, runner
from kumihimo.bench.suite import quantiles
from kumihimo.bench.suite.runner import Start

from mpiio import LIBRARIES, served

PATTERNS = ["1M", "4M", "32K/64K", "4K/16K", "bt-simple", "bt-full", "160B"]
# The paper's names: (M) merges adjacent records.
METHODS = {
    "automatic": ("automatic", "true"),
    "immediate": ("immediate", "false"),
    "journal": ("journal", "false"),
    "journal(M)": ("journal", "true"),
    "sort": ("sort", "false"),
    "sort(M)": ("sort", "true"),
}


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


class Writer(Start):
    """A launch of bench/catwalk.cpp; adds a record of the I/O processes' memory."""

    def __init__(self, variant, pattern, ranks, options, file):
        family, settings = environment_of(variant, options)
        words = [runner.program("catwalk", family), pattern, file, options.scale, options.compute]
        name = f"{pattern} {variant}"
        super().__init__(name, words, family=family, ranks=ranks, variant=variant, settings=settings)
        self.file = Path(file)

    def run(self, path, limit):
        with Memory() as memory:
            try:
                super().run(path, limit)
            finally:
                self.file.unlink(missing_ok=True)
        with open(path, "a") as records:
            print(json.dumps({"kind": "memory", "operation": self.words[1], "bytes": memory.peak}), file=records)


class Sequential(Start):
    """dd with fsync: what the disk can do. It writes as much as the launches before it."""

    def __init__(self, pattern, ranks, measurement, file):
        super().__init__(f"{pattern} dd", [], family=None, ranks=ranks, variant="dd")
        self.pattern, self.measurement, self.file = pattern, measurement, Path(file)

    def run(self, path, limit):
        cells = (line for _, _, line in self.measurement.records("cell"))
        size = next((line["bytes"] for line in cells if line["operation"] == self.pattern), None)
        if size is None:
            raise launch.Failed("has no size: nothing else was measured")
        command = ["dd", "if=/dev/zero", f"of={self.file}", "bs=1M", f"count={size}"]
        start = time.monotonic()
        subprocess.run([*command, "iflag=count_bytes,fullblock", "conv=fsync"], check=True, stderr=subprocess.DEVNULL)
        microseconds = 1e6 * (time.monotonic() - start)
        self.file.unlink()
        cell = {"kind": "cell", "operation": self.pattern, "bytes": size, "slowest_us": [microseconds]}
        Path(path).write_text(f"{json.dumps(cell)}\n")


def environment_of(variant, options):
    """(MPI family, environment of every rank)"""
    name, _, buffer = variant.partition(" ")
    if name in LIBRARIES:
        return LIBRARIES[name]
    if name == "direct":
        return options.family, served(options.family, "direct")
    method, merge = METHODS[name]
    catwalk = {
        "METHOD": method,
        "MERGE": merge,
        "SORT_BUFFER": buffer,
        "TOPOLOGY": options.topology,
        "SERVERS": options.servers,
    }
    settings = {f"KUMIHIMO_CATWALK_{setting}": str(value) for setting, value in catwalk.items()}
    return options.family, {**served(options.family, "catwalk"), **settings, "KUMIHIMO_CATWALK_HOSTS": str(options.io_nodes)}


def starts(variants, pattern, measurement, options, file):
    ranks = measurement.ranks
    writers = [Writer(variant, pattern, ranks, options, file) for variant in variants]
    return [*writers, writers[0].again(), Sequential(pattern, ranks, measurement, file)]


def size_of(buffer):
    """For sorting: 16M before 256M."""
    units = {"k": 10, "M": 20, "G": 30}
    return int(buffer[:-1]) << units[buffer[-1]] if buffer[-1:] in units else int(buffer or 0)


def buffer_size(text):
    """For arguments: the text itself, if it is one."""
    size_of(text)
    return text


def in_order(found, case):
    """dd and the variants that there are results of: methods in the paper's order, buffers from small to large, the others."""
    names = ["dd", *METHODS, *LIBRARIES, "direct"]
    shown = [variant for variant in found.records if found.times(variant, case) and not variant.endswith(" again")]
    return sorted(shown, key=lambda variant: (names.index(variant.split()[0]), size_of(variant.partition(" ")[2])))


def bandwidth(found, variant, case):
    """MiB/s."""
    return case[1] / 2**20 / (found.median(variant, case) / 1e6)


def table(found, case, memory):
    pattern, size = case
    variants = in_order(found, case)
    others = [variant for variant in variants if variant in LIBRARIES or variant == "direct"]
    parts = {"ns of a call": ("call", 1e-3, ".0f"), **{f"{part}, ms": (part, 1e3, ".2f") for part in ("open", "sync", "close")}}
    lines = []
    for variant in variants:
        cells = [variant, f"{bandwidth(found, variant, case):.1f}"]
        cells += [runner.interval(found.ratios(over, variant, case)) for over in ("dd", *others)]
        for part, unit, layout in parts.values():
            time_ = found.median(variant, (f"{pattern} {part}", size))
            cells.append("-" if time_ is None else format(time_ / unit, layout))
        peaks = memory.get(variant)
        lines.append([*cells, f"{quantiles.median(peaks) / 2**20:.1f}" if peaks else "-"])
    heads = ["variant", "MiB/s", *(f"of {over}" for over in ("dd", *others)), *parts, "memory, MiB"]
    same = [f"{name} {ratio}" for name in variants if (ratio := a_a(found, name, case)) != "-"]
    return f"{pattern}, A/A of {', '.join(same)}\n\n{runner.rows(heads, lines)}"


def a_a(found, variant, case):
    return runner.interval(found.ratios(f"{variant} again", variant, case))


def plot(found, case, ranks, options):
    """As figures 5 to 11: bandwidth over the size of the sort buffer; what has none is a horizontal line."""
    import matplotlib

    Path(options.plots).mkdir(parents=True, exist_ok=True)
    matplotlib.use("svg")
    from matplotlib import pyplot

    pyplot.rcParams["svg.fonttype"] = "none"
    figure, axes = pyplot.subplots(figsize=(6, 4))
    lines = collections.defaultdict(list)
    for variant in in_order(found, case):
        name, _, buffer = variant.partition(" ")
        value = bandwidth(found, variant, case)
        if buffer and name != "immediate":
            lines[name].append((buffer, value))
        else:
            axes.axhline(value, linestyle="--", linewidth=1, color=f"C{len(axes.lines)}", label=name)
    buffers = sorted({buffer for points in lines.values() for buffer, _ in points}, key=size_of)
    for name, points in lines.items():
        places, values = [buffers.index(buffer) for buffer, _ in points], [value for _, value in points]
        axes.plot(places, values, marker="o", color=f"C{len(axes.lines)}", label=name)
    axes.set_xticks(range(len(buffers)), buffers)
    axes.set(title=f"{case[0]}, {ranks} ranks, {options.directory}", xlabel="sort buffer", ylabel="MiB/s")
    axes.set_ylim(bottom=0)
    axes.legend(fontsize="small")
    figure.savefig(Path(options.plots) / f"catwalk-{case[0].replace('/', '-')}-{ranks}.svg", bbox_inches="tight")
    pyplot.close(figure)


def parse_options():
    quick = {"launches": 2, "nodes": [4], "methods": ["automatic"], "buffers": ["64M"], "others": ["romio"], "scale": 0.2}
    quick["patterns"] = ["4K/16K", "bt-simple"]
    parser = runner.parser(__doc__, nodes=(4, 16), limit=300, quick=quick)
    add = parser.add_argument
    add("patterns", nargs="*", metavar="PATTERN", help="default: all")
    add("--others", nargs="*", default=["ompio", "romio"], choices=[*LIBRARIES, "direct"])
    add("--methods", nargs="+", default=list(METHODS), choices=list(METHODS))
    add("--buffers", type=buffer_size, nargs="+", default=["16M", "64M", "256M"], help="sizes of the sort buffer")
    add("--io-nodes", type=int, default=1, help="nodes that the ranks of this machine are taken for")
    add("--topology", default="ring", choices=["ring", "tree", "star"], help="of I/O nodes")
    add("--servers", type=int, default=1, help="I/O nodes that write to the file")
    add("--directory", default=".", help="on the file system to measure")
    add("--scale", type=float, default=1)
    add("--compute", type=int, default=0, metavar="MS")
    add("--plots", metavar="DIR", help="SVG figures; needs Matplotlib")
    options = parser.parse_args()
    if unknown := [pattern for pattern in options.patterns if pattern not in PATTERNS]:
        parser.error(f"no pattern {', '.join(unknown)}; there are: {', '.join(PATTERNS)}")
    return options


def main():
    options = parse_options()
    # What has no sort buffer is measured once.
    variants = [
        f"{name} {buffer}" for name in options.methods for buffer in options.buffers[: 1 if name == "immediate" else None]
    ]
    patterns = options.patterns or PATTERNS
    with tempfile.TemporaryDirectory(dir=options.directory) as directory, runner.Report("catwalk", "Catwalk", options) as one:
        for ranks in options.nodes:
            measurement = one.measurement(ranks)
            for pattern in patterns:
                measurement.take_turns(starts([*variants, *options.others], pattern, measurement, options, f"{directory}/file"))
            found, memory = measurement.found(), collections.defaultdict(lambda: collections.defaultdict(list))
            for _, head, line in measurement.records("memory"):
                memory[line["operation"]][head["variant"]].append(line["bytes"])
            for case in (case for case in found.cases() if case[0] in patterns):
                one.add(f"{ranks} ranks, {table(found, case, memory[case[0]])}")
                if options.plots:
                    plot(found, case, ranks, options)


if __name__ == "__main__":
    main()
