"""Compares Kumihimo with what its users have without it, between hosts in a box (tests/cluster/hosts.py; takes root).

    python3 bench/between_hosts.py [transport reflect gmove halos collectives bounds] [--rate 10gbit] [--shapes 2x2 4x2 2x4]
                                   [--launches 5] [--family openmpi] [--seconds 0.05] [--output DIRECTORY]
                                   [--operations NAME...] [--sizes BYTES...] [--calls N] [--without-rules]

transport: the transport of messages against one-sided MPI and messages by hand, always on 2x1. reflect, gmove: against MPI by
hand. halos: one message for each rank against one for each host, both by hand. collectives: libkumihimo_coll without any
setting against the MPI library; with --without-rules its mere presence, too. bounds: both against what two levels cannot go
below: the operation on one rank for each host, with the bytes of all ranks of a host, and inside a host. A/A is one side
against itself. All hosts share this machine's processors, which they do not know: more ranks than processors give them away at
once, also those of MPI by hand (KUMIHIMO_SPIN=0, mpi_yield_when_idle; MPICH, which has no such setting, by
tests/yielding_wait.c).
"""

import argparse
import functools
import math
import os
import sys

from developers import runner
from kumihimo.bench.suite import quantiles, significance
from kumihimo.bench.suite.runner import SOURCES, Ratio, Report, Start, Time, rows

sys.path.insert(0, str(SOURCES.parent / "tests" / "cluster"))
from hosts import shape as ranks_of_hosts

TESTS = SOURCES.parent / "tests"
HOSTS = TESTS / "cluster" / "hosts.py"
# Of each operation: how many of its blocks a host sends or gets for each of its ranks, as a power of their number.
OPERATIONS = {"Bcast": 0, "Reduce": 0, "Allreduce": 0, "Reduce_scatter": 1, "Allgather": 1, "Allgatherv": 1, "Gather": 1}
OPERATIONS |= {"Gatherv": 1, "Scatter": 1, "Scatterv": 1, "Alltoall": 2, "Alltoallv": 2, "Barrier": 0}
SIZES = [8, 512, 4096, 16384, 32768, 131072]
SHORT = 64 << 10  # below: what the counts are of
CLEARLY = 1.05  # times as fast in the median: more than most cases of the control differ
# Open MPI 4.1 has one-sided communication between hosts only without this component (docs/explanation/transports.md).
SETTINGS = {"OMPI_MCA_osc": "^rdma"}
WITHOUT_RULES = "without rules"


class OnHosts(Start):
    """A launch on hosts of their own. one_processor: all its ranks share one."""

    def __init__(self, name, words, *, shape, rate, one_processor=False, **how):
        super().__init__(name, words, **how)
        self.shape, self.rate = shape, rate
        processors = sorted(os.sched_getaffinity(0))
        if one_processor:
            processors = processors[:1]
            self.words = ["taskset", "-c", str(processors[0]), *self.words]
        if self.ranks > len(processors):
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


def in_one_program(name, options, *words, **how):
    """A program in which all variants take turns."""
    return [OnHosts("program", [runner.program(name, options.family), *words], settings=SETTINGS, **how)]


def transport(options, **how):
    return in_one_program("transport_mpi", options, "messages", options.seconds, *options.operations, **how)


def reflect(options, **how):
    return in_one_program("reflect", options, options.seconds, **how)


def gmove(options, **how):
    return in_one_program("gmove", options, options.seconds, **how)


def halos(options, **how):
    return in_one_program("host_halo", options, options.seconds, **how)


def collective_program(options, name, **how):
    """Each launch has all operations."""
    program = runner.library("kumihimo_coll", options.family).parent / "kumihimo-bench"
    words = f"--operations {','.join(options.operations or OPERATIONS)} --shape {how['ranks']} --memory {64 << 20}"
    words += f" --seconds {options.seconds} --repetitions {options.calls} --start loop --root turn --output /dev/stdout"
    sizes = sorted({0, *how.pop("sizes", options.sizes)})
    return OnHosts(name, [program, *words.split(), "--sizes", ",".join(map(str, sizes))], settings=SETTINGS, **how)


def collectives(options, **how):
    """The MPI library twice, with libkumihimo_coll, and perhaps with that which may do nothing."""
    native = collective_program(options, "native", **how)
    idle = [preloaded(native, WITHOUT_RULES, KUMIHIMO_COLL_TABLE="none")] if options.without_rules else []
    return [native, preloaded(native, "ours"), native.again(), *idle]


def preloaded(native, name, **settings):
    ours = native.again()
    ours.name = ours.variant = name
    ours.settings = preload({**native.settings, **settings}, runner.library("kumihimo_coll", native.family))
    return ours


def bounds(options, **how):
    """The MPI library and libkumihimo_coll; the MPI library on a rank for each host; both inside a host, whose ranks share a
    processor."""
    native, ours, *_ = collectives(options, **how)
    hosts, of_a_host = map(int, how["shape"].split("x"))
    sizes = {size * of_a_host**power for size in options.sizes for power in set(OPERATIONS.values())}
    between = {**how, "shape": f"{hosts}x1", "ranks": hosts, "sizes": sizes}
    inside = {**how, "shape": f"1x{of_a_host}", "ranks": of_a_host, "rate": None, "one_processor": True}
    native_inside = collective_program(options, "inside", **inside)
    return [
        native,
        ours,
        collective_program(options, "between", **between),
        native_inside,
        preloaded(native_inside, "ours inside"),
    ]


def against(peer, variant):
    return [Time(variant), Time(peer), Ratio(variant, peer), Ratio(f"{variant} again", variant, "A/A")]


def beyond(found, variant, over, cases):
    """How many times as fast a variant is as another, in the geometric mean of cases: (median, whether all of its interval is
    on one side of 1)."""
    sides = [[found.times(name, case) for case in cases] for name in (over, variant)]
    launches = sorted(set.intersection(*(set(times) for side in sides for times in side)))
    values = [math.exp(sum(math.log(a[one] / b[one]) for a, b in zip(*sides)) / len(cases)) for one in launches]
    if not values:
        return math.nan, False
    median, low, high = significance.paired(values) if len(values) > 1 else (*values, 0.0, math.inf)
    return median, low > 1 or high < 1


def tested_together(found, variant, cases):
    """How many cases are faster and slower than the library's, where chance alone names any of all these in 5 % of tables."""
    both = [[list(found.times(name, case).values()) for name in ("native", variant)] for case in cases]
    test = significance.Test([[*native, *other] for native, other in both], len(both[0][0]))
    sure = [value for value, p in zip(test.observed, test.p_values(0.05)) if p is not None and p <= 0.05]
    return [sum(value < 0 for value in sure), sum(value > 0 for value in sure)]


def counted(found, options):
    """Cases: Barrier has no size, others have not the size 0."""
    return [case for case in found.cases() if (case[1] in options.sizes) != (case == ("Barrier", 0))]


def by_size(found, options, cell, **columns):
    """Each operation in a line. columns: of an operation, behind those of its sizes."""
    cases = counted(found, options)
    sizes = sorted({size for _, size in cases})
    lines = [
        [
            operation,
            *(cell((operation, size)) if (operation, size) in cases else "" for size in sizes),
            *(column(operation) for column in columns.values()),
        ]
        for operation in dict.fromkeys(operation for operation, _ in cases)
    ]
    return rows(["", *(f"{size:,}" for size in sizes), *columns], lines)


def counts(found, variant, groups):
    """How many groups of cases are faster and slower than the library's beyond their interval."""
    sure = [times for times, sure in (beyond(found, variant, "native", cases) for cases in groups) if sure]
    return f"{sum(times > 1 for times in sure)} faster, {sum(times < 1 for times in sure)} slower"


def clearly(found, variant, cases):
    """The same in the median of launches, by CLEARLY and more."""
    medians = [beyond(found, variant, "native", [case])[0] for case in cases]
    return f"{sum(times >= CLEARLY for times in medians)} faster, {sum(times <= 1 / CLEARLY for times in medians)} slower"


def overview(found, options, variant="ours"):
    """How many times faster each case is, and what all of them below 64 KiB come to; of one launch nothing is said."""

    def cell(*cases):
        times, sure = beyond(found, variant, "native", cases)
        return f"**{times:.2f}**" if sure else f"{times:.2f}"

    def mean(operation):
        return cell(*operations[operation]) if operation in operations else ""

    short = [case for case in counted(found, options) if case[1] < SHORT]
    operations = {operation: [case for case in short if case[0] == operation] for operation, _ in short}
    text = by_size(found, options, cell, mean=mean)
    told = []
    for one in (variant, "native again") if short else ():
        faster, slower = tested_together(found, one, short)
        told.append(
            f"{one}: {counts(found, one, [[case] for case in short])}; tested together: {faster} faster, {slower} slower;"
            f" by {CLEARLY:.2f} in the median: {clearly(found, one, short)};"
            f" of {len(operations)} operations: {counts(found, one, operations.values())}"
        )
    head = f"Times faster, {variant}; mean: of sizes below 64 KiB"
    return f"\n{head}:\n\n{text}\nBelow 64 KiB, of {len(short)}, beyond their interval: {'. '.join(told)}\n"


def distances(found, options, shape):
    """How many times as long as the bound the MPI library takes, and how many libkumihimo_coll does."""
    hosts, of_a_host = map(int, shape.split("x"))
    hosts_of_a_processor = max(1, hosts / len(os.sched_getaffinity(0)))

    def cell(case):
        operation, size = case
        between = found.times("between", (operation, size * of_a_host ** OPERATIONS[operation]))
        inside = [found.times(variant, case) for variant in ("inside", "ours inside")]
        bound = {one: time + hosts_of_a_processor * min(times[one] for times in inside) for one, time in between.items()}
        taken = [found.times(variant, case) for variant in ("native", "ours")]
        return " ".join(f"{quantiles.median([times[one] / bound[one] for one in bound]):.2f}" for times in taken)

    return f"\nTimes as long as the bound, native and ours:\n\n{by_size(found, options, cell)}"


SUBJECTS = {
    "transport": (
        transport,
        [
            *(Time("by hand"), Ratio("transport", "by hand"), Ratio("by hand again", "by hand", "A/A")),
            *(Time("two-sided by hand"), Ratio("transport", "two-sided by hand")),
        ],
    ),
    "reflect": (reflect, against("datatype", "reflect")),
    "gmove": (gmove, against("alltoallv", "gmove")),
    "halos": (
        halos,
        [Time("directly"), Ratio("directly", "by the leader"), Ratio("directly again", "directly", "A/A")],
    ),
    "collectives": (
        collectives,
        [
            *(Time("native"), Ratio("ours", "native"), Ratio("native again", "native", "A/A")),
            Ratio(WITHOUT_RULES, "native"),
        ],
    ),
    "bounds": (bounds, [Time("native"), Time("ours"), Time("between"), Time("inside"), Time("ours inside")]),
}


def measure(subject, shape, options):
    starts, columns = SUBJECTS[subject]
    name = f"{subject}-{shape}-{options.rate or 'unlimited'}-{options.family}"
    keep = options.keep and f"{options.keep}/{name}"
    with Report(name, name, argparse.Namespace(**{**vars(options), "keep": keep}), script="between_hosts") as report:
        ranks = sum(ranks_of_hosts(shape))
        measurement = report.measurement(ranks)
        how = {"family": options.family, "ranks": ranks, "shape": shape, "rate": options.rate}
        measurement.take_turns(starts(options, **how))
        report.add(f"{name}: ")
        found = report.table(measurement, columns)
        if subject == "collectives":
            for variant in ("ours", *([WITHOUT_RULES] if options.without_rules else [])):
                report.add(overview(found, options, variant))
        if subject == "bounds":
            report.add(distances(found, options, shape))


def main():
    parser = runner.parser(__doc__, launches=5, seconds=0.05, quick={"launches": 1, "seconds": 0.005})
    parser.add_argument("subjects", nargs="*", metavar="subject", help=f"default: {' '.join(SUBJECTS)}")
    parser.add_argument("--rate", default="10gbit", help="of each link, as tc has it; '' for unlimited; default 10gbit")
    shapes = "default 2x2 4x2 2x4; of collectives also hosts of different numbers of ranks: 3,1"
    parser.add_argument("--shapes", nargs="+", default=["2x2", "4x2", "2x4"], help=shapes)
    operations = "these alone, of transport or collectives as their tables name them; default all"
    parser.add_argument("--operations", nargs="+", default=[], metavar="NAME", help=operations)
    parser.add_argument("--sizes", nargs="+", type=int, default=SIZES, metavar="BYTES", help="of collectives and bounds")
    calls = "of each case of collectives in a launch: all variants make as many where --seconds allows; default 1000"
    parser.add_argument("--calls", type=int, default=1000, metavar="N", help=calls)
    idle = "of collectives: also the library preloaded without rules, which leaves everything to the MPI library"
    parser.add_argument("--without-rules", action="store_true", help=idle)
    options = parser.parse_args()
    unknown = set(options.subjects) - set(SUBJECTS)
    if unknown:
        parser.error(f"no such subject: {', '.join(sorted(unknown))}")
    for subject in options.subjects or SUBJECTS:
        for shape in ["2x1"] if subject == "transport" else options.shapes:
            measure(subject, shape, options)


if __name__ == "__main__":
    main()
