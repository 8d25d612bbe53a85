"""Whether `kumihimo bench` and Intel MPI Benchmarks agree on the same functions of the same MPI library.

    python3 bench/imb.py --imb DIRECTORY/IMB-MPI1 [--family openmpi] [--nodes 2] [--launches 10]
                        [--preload LIBRARY] [--root turn]

IMB must be there already, built with that MPI library. Each round starts IMB, the measuring program of `kumihimo bench` and IMB
again. IMB lets point-to-point calls follow each other and begins collective calls at a barrier, so ours is told to do the same,
and means of as many calls are compared with means; a library preloaded into IMB has its buffers begin with a page, as ours do
(--anywhere leaves them where malloc puts them). A function and size agrees if its median ratio is within the range of IMB's
over IMB's; IMB of the next round, taken for ours, shows how many agree if nothing differs. Exit code 1 if ours agree in a tenth
of all cases less. With --preload the MPI functions of both come from that library.
"""

import json
import re
import statistics
import sys
from pathlib import Path

from developers import launch, runner
from kumihimo.bench.suite import summary
from kumihimo.bench.suite.runner import Ratio, Start, Time

TOGETHER = ("PingPong", "PingPing", "Sendrecv", "Exchange")
APART = ("Bcast", "Allreduce", "Reduce", "Allgather", "Allgatherv")
APART += ("Gather", "Gatherv", "Scatter", "Scatterv", "Alltoall", "Alltoallv")
SIZES = [8, 64, 512, 4096, 32768, 262144, 1 << 20]
CALLS = 300
COLUMNS = [Time("imb"), Time("ours"), Ratio("ours", "imb"), Ratio("imb again", "imb")]


def cell(operation, size, time):
    return {"kind": "cell", "operation": operation, "bytes": int(size), "slowest_us": [time]}


def write(path, cells):
    Path(path).write_text("".join(f"{json.dumps(line)}\n" for line in cells))


class Imb(Start):
    """What IMB prints, as records; the size of Barrier is 0."""

    root = "first"

    def run(self, path, limit):
        lengths = Path(f"{path}.sizes")
        lengths.write_text("".join(f"{size}\n" for size in SIZES))
        shift = "on" if self.root == "turn" else "off"
        words = f"-npmin {self.ranks} -iter {CALLS} -iter_policy off -msglen {lengths} -root_shift {shift} Barrier".split()
        super().run(path, limit, *words, *TOGETHER, *APART, "Reduce_scatter", records=False)
        write(path, self.cells(Path(path).read_text()))
        lengths.unlink()

    @staticmethod
    def cells(text):
        name, columns = None, []
        for line in text.splitlines():
            heading = re.match(r"# Benchmarking (\w+)", line)
            values = line.split()
            if heading:
                name = heading.group(1)
            elif values[:1] in (["#bytes"], ["#repetitions"]):
                columns = values
            elif name and values and values[0].isdigit():
                row = dict(zip(columns, values))
                yield cell(name, row.get("#bytes", 0), float(row.get("t_avg[usec]") or row["t[usec]"]))


class Ours(Start):
    """The same of the program of `kumihimo bench`: means of all calls, of all ranks where IMB has all."""

    root = "first"

    def run(self, path, limit):
        # The size of Reduce_scatter is a rank's part in IMB since 2019, the whole vector in ours and in IMB 3.2.4.
        parts = {size * self.ranks: size for size in SIZES}
        cells = []
        loop, barrier = [("Barrier", [0]), (",".join(TOGETHER), SIZES)], [(",".join(APART), SIZES), ("Reduce_scatter", parts)]
        for start, names, sizes in [("loop", *one) for one in loop] + [("barrier", *one) for one in barrier]:
            words = f"--operations {names} --sizes {','.join(map(str, sizes))} --start {start} --root {self.root}"
            super().run(path, limit, *f"{words} --seconds 10 --repetitions {CALLS} --output /dev/stdout".split())
            for line in (line for line in summary.lines(path) if line["kind"] == "cell"):
                time = statistics.fmean(line["slowest_us" if line["operation"] == "PingPong" else "mean_us"])
                size = parts[line["bytes"]] if line["operation"] == "Reduce_scatter" else line["bytes"]
                cells.append(cell(line["operation"], size, time))
        write(path, cells)


def within(found, case, ratios):
    """Whether their median is within the range of IMB's over IMB's."""
    control = found.ratios("imb again", "imb", case)
    return min(control) <= statistics.median(ratios) <= max(control)


def next_rounds(found, case):
    """IMB over IMB of the round before."""
    times = list(found.times("imb", case).values())
    return [later / one for one, later in zip(times, [*times[1:], times[0]])]


def starts(options, ranks):
    how = {"family": options.family, "ranks": ranks, "bound": True}
    runner.build(f"bench_imb_buffers_{options.family}")
    pages = [] if options.anywhere else [runner.PROGRAMS / f"libbench_imb_buffers_{options.family}.so"]
    preloads = [":".join(map(str, names)) for names in (options.preload + pages, options.preload)]
    theirs, ours = ({"LD_PRELOAD": names} if names else {} for names in preloads)
    imb = Imb("imb", [options.imb], settings=theirs, **how)
    program = Ours("ours", [launch.program(options.family)], settings=ours, **how)
    imb.root = program.root = options.root
    return [imb, program, imb.again()]


def main():
    parser = runner.parser(__doc__, launches=10, quick={"launches": 2})
    parser.add_argument("--imb", required=True)
    parser.add_argument("--preload", action="append", default=[])
    parser.add_argument("--root", choices=("first", "turn"), default="first", help="of both; IMB's own default is first")
    parser.add_argument("--anywhere", action="store_true", help="IMB's buffers as malloc has them")
    options = parser.parse_args()
    with runner.Report("imb", "Beside Intel MPI Benchmarks", options) as report:
        for ranks in options.nodes:
            measurement = report.measurement(ranks)
            measurement.take_turns(starts(options, ranks))
            found = report.table(measurement, COLUMNS)
            cases = found.cases()
            ours = sum(within(found, case, found.ratios("ours", "imb", case)) for case in cases)
            imb = sum(within(found, case, next_rounds(found, case)) for case in cases)
            for variant in ("ours", "imb again"):
                medians = [statistics.median(found.ratios(variant, "imb", case)) for case in cases]
                report.add(f"{variant} / imb over all: {statistics.geometric_mean(medians):.3f} (geometric mean)\n")
            report.add(f"within what IMB's launches differ: {ours} of {len(cases)}; IMB of the next round: {imb}\n")
    sys.exit(1 if ours < imb - len(cases) / 10 else 0)


if __name__ == "__main__":
    main()
