"""Compares Kumihimo with what its users have without it, between hosts in a box (tests/cluster/hosts.py; takes root).

    python3 bench/between_hosts.py [transport reflect gmove collectives] [--rate 10gbit] [--shapes 2x2 4x2 2x4]
                                   [--launches 5] [--family openmpi] [--seconds 0.05] [--output DIRECTORY]

transport: the transport of messages against one-sided MPI and messages by hand, always on 2x1. reflect, gmove: against MPI by
hand. collectives: libkumihimo_coll without any setting against the MPI library. A/A is one side against itself. All hosts share
this machine's processors, which they do not know: more ranks than processors give them away at once, also those of MPI by hand
(KUMIHIMO_SPIN=0, mpi_yield_when_idle; MPICH, which has no such setting, by tests/yielding_wait.c).
"""

import argparse
import functools
import math
import os
import sys

from developers import runner
from kumihimo.bench.suite import significance
from kumihimo.bench.suite.runner import SOURCES, Ratio, Report, Start, Time, rows

TESTS = SOURCES.parent / "tests"
HOSTS = TESTS / "cluster" / "hosts.py"
OPERATIONS = (
    "Bcast,Reduce,Allreduce,Reduce_scatter,Allgather,Allgatherv,Gather,Gatherv,Scatter,Scatterv,Alltoall,Alltoallv,Barrier"
)
SIZES = "8,512,4096,16384,32768,131072"
# Open MPI 4.1 has one-sided communication between hosts only without this component (docs/explanation/transports.md).
SETTINGS = {"OMPI_MCA_osc": "^rdma"}


class OnHosts(Start):
    """A launch on hosts of their own."""

    def __init__(self, name, words, *, shape, rate, **how):
        super().__init__(name, words, **how)
        self.shape, self.rate = shape, rate
        if self.ranks > len(os.sched_getaffinity(0)):
            self.settings = {**self.settings, "KUMIHIMO_SPIN": "0", "OMPI_MCA_mpi_yield_when_idle": "1"}
            if self.family == "mpich":
                self.settings = preload(self.settings, yielding_wait())

    def command(self, *more):
        pairs = [f"{name}={value}" for name, value in self.settings.items()]
        rate = ["--rate", self.rate] if self.rate else []
        hosts = [sys.executable, HOSTS, *rate, "--mpi", self.family, self.shape]
        return [str(word) for word in (*hosts, "env", *pairs, *self.words, *more)], {}


def preload(settings, library):
    before = settings.get("LD_PRELOAD")
    return {**settings, "LD_PRELOAD": f"{before}:{library}" if before else str(library)}


@functools.cache
def yielding_wait():
    options = ["-O2", "-shared", "-fPIC"]
    return runner.compiled("yielding_wait.so", "cc", *options, TESTS / "yielding_wait.c")


def ranks_of(shape):
    hosts, ranks = map(int, shape.split("x"))
    return hosts * ranks


def in_one_program(name, *words):
    """Starts of a program in which all variants take turns."""

    def starts(options, **how):
        program = runner.program(name, options.family)
        return [OnHosts("program", [program, *words, options.seconds], settings=SETTINGS, **how)]

    return starts


def collectives(options, **how):
    """The MPI library twice, and with libkumihimo_coll: each launch of the bench has all operations."""
    library = runner.library("kumihimo_coll", options.family)
    program = library.parent / "kumihimo-bench"
    words = f"--operations {OPERATIONS} --sizes 0,{SIZES} --shape {how['ranks']} --memory {64 << 20}"
    words += f" --seconds {options.seconds} --repetitions 1000 --start loop --root turn --output /dev/stdout"
    native = OnHosts("native", [program, *words.split()], settings=SETTINGS, **how)
    ours = OnHosts("ours", native.words, settings=preload(SETTINGS, library), **how)
    return [native, ours, native.again()]


def against(peer, variant):
    return [Time(variant), Time(peer), Ratio(variant, peer), Ratio(f"{variant} again", variant, "A/A")]


def beyond(found, variant, over, case):
    """How many times as fast a variant is as another: (median, whether all of its interval is on one side of 1)."""
    values = found.ratios(over, variant, case)
    if not values:
        return math.nan, False
    median, low, high = significance.paired(values) if len(values) > 1 else (*values, 0.0, math.inf)
    return median, low > 1 or high < 1


def overview(found):
    """Each operation in a line, and what all of them below 64 KiB come to; of one launch nothing is said."""
    cases = [case for case in found.cases() if case[1] > 0 or case[0] == "Barrier"]
    sizes = sorted({size for _, size in cases})
    lines, counts = [], {"ours": [0, 0], "native again": [0, 0]}
    for operation in dict.fromkeys(operation for operation, _ in cases):
        cells = []
        for size in sizes:
            if (operation, size) not in cases:
                cells.append("")
                continue
            for variant, count in counts.items():
                times, sure = beyond(found, variant, "native", (operation, size))
                if size < 64 << 10:
                    count[times < 1] += sure
                if variant == "ours":
                    cells.append(f"**{times:.2f}**" if sure else f"{times:.2f}")
        lines.append([operation, *cells])
    total = sum(size < 64 << 10 for _, size in cases)
    told = [f"{variant}: {faster} faster, {slower} slower" for variant, (faster, slower) in counts.items()]
    heads = ["times faster", *(f"{size:,}" for size in sizes)]
    return f"\n{rows(heads, lines)}\nBelow 64 KiB, of {total}, beyond their interval: {'; '.join(told)}\n"


SUBJECTS = {
    "transport": (
        in_one_program("transport_mpi", "messages"),
        [
            *(Time("by hand"), Ratio("transport", "by hand"), Ratio("by hand again", "by hand", "A/A")),
            *(Time("two-sided by hand"), Ratio("transport", "two-sided by hand")),
        ],
    ),
    "reflect": (in_one_program("reflect"), against("datatype", "reflect")),
    "gmove": (in_one_program("gmove"), against("alltoallv", "gmove")),
    "collectives": (collectives, [Time("native"), Ratio("ours", "native"), Ratio("native again", "native", "A/A")]),
}


def measure(subject, shape, options):
    starts, columns = SUBJECTS[subject]
    name = f"{subject}-{shape}-{options.rate or 'unlimited'}-{options.family}"
    keep = options.keep and f"{options.keep}/{name}"
    with Report(name, name, argparse.Namespace(**{**vars(options), "keep": keep}), script="between_hosts") as report:
        measurement = report.measurement(ranks_of(shape))
        how = {"family": options.family, "ranks": ranks_of(shape), "shape": shape, "rate": options.rate}
        measurement.take_turns(starts(options, **how))
        report.add(f"{name}: ")
        found = report.table(measurement, columns)
        if subject == "collectives":
            report.add(overview(found))


def main():
    parser = runner.parser(__doc__, launches=5, seconds=0.05, quick={"launches": 1, "seconds": 0.005})
    parser.add_argument("subjects", nargs="*", metavar="subject", help=f"default: {' '.join(SUBJECTS)}")
    parser.add_argument("--rate", default="10gbit", help="of each link, as tc has it; '' for unlimited; default 10gbit")
    parser.add_argument("--shapes", nargs="+", default=["2x2", "4x2", "2x4"], help="default 2x2 4x2 2x4")
    options = parser.parse_args()
    unknown = set(options.subjects) - set(SUBJECTS)
    if unknown:
        parser.error(f"no such subject: {', '.join(sorted(unknown))}")
    for subject in options.subjects or SUBJECTS:
        for shape in ["2x1"] if subject == "transport" else options.shapes:
            measure(subject, shape, options)


if __name__ == "__main__":
    main()
