"""`kumihimo bench`: measures MPI communication, keeps records, compares and reports. The work is done in bench/suite."""

import argparse
import functools

from .. import configuration
from .command_line import Command, Group, add_json, member, performed_by, positive

NOTES = """
A first look:      kumihimo bench run --quick
A reference:       kumihimo bench run -n 4 --output monday && kumihimo bench record monday
Is it slower now?  kumihimo bench run -n 4 --output friday && kumihimo bench compare monday friday
"""


_parser = functools.partial(member, "kumihimo bench")


def _list():
    parser = _parser("list", "Operations that can be measured, and records of the reference database. Needs no MPI.")
    add_json(parser)
    add_database(parser)
    return parser


def _run():
    text = (
        "Measures in launches that take turns, and keeps every sample.\n\nLeaves a directory with all samples and the result."
    )
    parser = _parser("run [OPERATION ...]", text, epilog=RUN_NOTES)
    add = parser.add_argument
    add("operations", nargs="*", metavar="OPERATION", help="names or groups of `kumihimo bench list`; all if none are given")
    add("-n", dest="ranks", type=positive, help="number of ranks; default: the shape's, else one for each processor")
    add("--shape", help="node shape, as 8x6x8: the first axis is the fastest")
    add("--sizes", help="bytes, as 0,4-256M or 1K,1M; default: 0,4-256M")
    add("--launches", type=positive, help="of each variant; default 20, statistics begin at 10")
    add("--quick", action="store_true", help="a first look in less than 60 s: few launches and sizes")
    add("--mpi", type=_families, default=[configuration.DEFAULT_FAMILY], metavar="FAMILY,...", help="MPI families, in turn")
    add("--set", action="append", default=[], metavar="NAME=VALUE", help="environment of the ranks; part of the record's key")
    add("--variant", action="append", metavar="NAME:FAMILY,NAME=VALUE,...", help="several settings in turn in one campaign")
    add("--collectives", action="store_true", help="every variant also with libkumihimo_coll, as NAME-kumihimo")
    add("--start", choices=("window", "barrier", "loop"), default="window", help="how calls begin (see below)")
    add("--root", choices=("first", "turn"), default="first", help="rank 0, or the ranks in turn, as IMB has it; default first")
    add("--seconds", type=float, help="of samples for each operation and size in a launch; default 0.05")
    add("--repetitions", type=positive, default=200, help="at most so many samples for each; default 200")
    add("--memory", help="for the buffers of a rank; default: half of what is free, at most 6G")
    add("--machine", help="name of this machine in records; default: its processor")
    add("--launcher-options", default="", metavar="WORDS", help="for mpiexec or srun, as '--bind-to core'")
    add("--limit", type=positive, metavar="SECONDS", help="a launch that takes longer is ended; default 1800, quick 60")
    add("--output", metavar="DIRECTORY", help="where everything goes; default: kumihimo-bench-DATE-TIME")
    add("--resume", metavar="DIRECTORY", help="goes on with a campaign that was interrupted")
    return parser


RUN_NOTES = """
--start window   each call begins on all ranks at a time agreed on before; where that is impossible, as with barrier
--start barrier  each call begins when a barrier has been left
--start loop     calls follow each other without a pause, as in IMB and OSU

The data of every operation and size is checked, always. Ctrl-C loses one launch at most.
"""


def _show():
    parser = _parser("show RESULT", "Prints the result of a campaign as text, json, csv, imb or osu.")
    parser.add_argument("result", metavar="RESULT", help="a campaign's directory, or a result.json")
    parser.add_argument("--format", choices=("text", "json", "csv", "imb", "osu"), default="text", help="default: text")
    parser.add_argument("--variant", help="imb and osu show one; default: the first")
    return parser


def _record():
    parser = _parser("record RESULT", "Keeps a campaign's result in the reference database; records are never changed.")
    result = "a campaign's directory, a result.json, or what `kumihimo simulate run --json` printed"
    parser.add_argument("result", metavar="RESULT", help=result)
    parser.add_argument("--name", help="default: the directory's; with several variants NAME/VARIANT")
    parser.add_argument("--note", default="", help="what somebody should know who compares with it")
    add_database(parser)
    return parser


def _compare():
    text = "Tells which operations of B are slower or faster than those of A, beyond what launches differ anyway."
    parser = _parser("compare A B", text, epilog=COMPARE_NOTES)
    for name in ("a", "b"):
        parser.add_argument(
            name,
            metavar=name.upper(),
            help="a record, DIRECTORY[:VARIANT] of a campaign, or a file of kumihimo simulate run --json",
        )
    parser.add_argument("--tolerance", type=float, default=1.0, metavar="PERCENT", help="smaller changes are none; default 1")
    parser.add_argument("--anyway", action="store_true", help="also if ranks, shape, machine or start differ")
    add_json(parser)
    add_database(parser)
    return parser


COMPARE_NOTES = """
exit code: 0 nothing is slower, 1 something is, 2 the two cannot be compared

If nothing has changed, at most one comparison in 1,000 says that something has. For each operation the comparison says
which change it would have found.
"""


def _report():
    parser = _parser("report RESULT", "Writes one HTML file with curves and a verdict for each operation, complete in itself.")
    parser.add_argument("result", metavar="RESULT", help="a record, or DIRECTORY[:VARIANT] of a campaign")
    parser.add_argument("--reference", metavar="RESULT", help="a record or campaign to compare with")
    parser.add_argument("-o", "--output", default="report.html", metavar="FILE", help="default: report.html")
    add_database(parser)
    return parser


PARSERS = {"list": _list, "run": _run, "show": _show, "record": _record, "compare": _compare, "report": _report}
COMMAND = Group(
    "kumihimo bench",
    "Measures MPI communication, keeps records, compares and reports.",
    {name: functools.partial(Command, parser, performed_by("bench.suite.commands", name)) for name, parser in PARSERS.items()},
    NOTES,
)


def add_database(parser):
    parser.add_argument("--database", metavar="FILE", help="default: KUMIHIMO_BENCH_DATABASE, else in the home directory")


def _families(text):
    for name in text.split(","):
        if name not in configuration.FAMILIES:
            raise argparse.ArgumentTypeError(f"unknown MPI family '{name}'; there are: {', '.join(configuration.FAMILIES)}")
    return text.split(",")
