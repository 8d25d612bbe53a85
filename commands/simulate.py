"""`kumihimo simulate`: collective operations on models of machines. The work is done in simulator/."""

import functools

from .bench import add_database
from .command_line import Command, Group, add_json, member, performed_by, positive

NOTES = """
What there is:      kumihimo simulate list && kumihimo simulate show k-computer
One operation:      kumihimo simulate run Bcast --machine k-computer --shape 8x6x8 --nodes 4x2x4 --algorithm all --sizes 1M
What if?            kumihimo simulate run ... --set link_rate='10 GB/s' --compare
                    kumihimo simulate run ... --json > a && kumihimo simulate run ... --machine torus --json > b
                    kumihimo simulate compare a b
"""


_parser = functools.partial(member, "kumihimo simulate")


def _list():
    parser = _parser("list", "Machines, operations and algorithms that can be simulated.", epilog=LIST_NOTES)
    add_json(parser)
    return parser


def _show():
    text = "Prints a machine: its network, and every constant with its unit, kind and source."
    parser = _parser("show MACHINE", text, epilog=SHOW_NOTES)
    parser.add_argument("machine", metavar="MACHINE", help="a name of `kumihimo simulate list`, or a file")
    add_json(parser)
    return parser


LIST_NOTES = """
kumihimo simulate list
kumihimo simulate list --json | jq -r '.programs[] | select(.operation == "Bcast") | .algorithm'
"""
SHOW_NOTES = """
kumihimo simulate show k-computer
kumihimo simulate show ./mine.toml --json
"""


def _run():
    parser = _parser("run OPERATION ...", "Predicts how long operations take on a machine.", epilog=RUN_NOTES)
    add = parser.add_argument
    add("operations", nargs="+", metavar="OPERATION", help="names of `kumihimo simulate list`")
    _job(add)
    add("--algorithm", metavar="NAME,...", help="how collective operations are done; all: every one that can")
    add("--sizes", default="8,1K,16K,1M", help="bytes, as 0,4-256M or 1K,1M; default 8,1K,16K,1M")
    add("--calls", type=positive, default=1, help="so many calls one after the other, as IMB times them; default 1")
    add("--root", choices=("first", "turn"), default="first", help="rank 0, or the ranks in turn; default first")
    add("--start", choices=("window", "barrier", "loop"), default="loop", help=START)
    add(
        "--blocks",
        metavar="equal|random:SEED",
        default="equal",
        help="of v forms; drawn ones are up to twice as long; default equal",
    )
    add("--skew", metavar="KIND:TIME", help="how late ranks begin a call: uniform:20us (at most), exponential:5us (on average)")
    add(
        "--noise",
        metavar="LENGTH/INTERVAL|RECORD",
        help="interruptions of processors, on average: 25us/1ms, or as a record of kumihimo bench shows them",
    )
    add("--seed", type=int, default=1, help="the first of those for skew and noise; default 1")
    add("--seeds", type=positive, default=20, help="so many of them, of which median and tenths are told; default 20")
    add("--full", action="store_true", help="simulate all of a call that repeats itself")
    add("--sharing", choices=("reservation", "flows"), default="reservation", help=SHARING)
    add("--segment", metavar="BYTES", help="of pipelines; default: the machine's")
    add("--ahead", type=positive, metavar="STEPS", help="that a rank has in view; default: as many as the algorithm asks for")
    add("--slow-link", action="append", default=[], metavar="LINK:FACTOR", help="so many times its rate: x3y2z5a0b0c0+y:0.5")
    add("--fail-node", action="append", default=[], metavar="NODE", help=FAIL_NODE)
    add("--fail-link", action="append", default=[], metavar="LINK", help="a link that failed; a cable has one each way")
    add("--background", action="append", default=[], metavar="FROM,TO:RATE|random:COUNT:RATE[:SEED]", help=BACKGROUND)
    add("--mapping", metavar="FILE|random:SEED|order:zyx", help=MAPPING)
    add("--resume", metavar="FILE", help="cells of a result (--json) that are done already: goes on where it was interrupted")
    add("--links-times", type=positive, metavar="N", help="so many times as many links, of the same rate each")
    add("--ring", metavar="AXIS,...", help="axes of a torus whose ends are connected here, as x,z")
    add("--compare", action="store_true", help=COMPARE)
    add("--sensitivity", metavar="NAME,...", help=SENSITIVITY)
    add("--path", action="store_true", help="the critical path of each cell, as a list of steps")
    add("--pairs", action="store_true", help="what each pair of ranks sent, and how long it was under way; in --json only")
    add("--links", metavar="N|all", default="3", help="so many of the busiest links; in --json only, default 3")
    add("-o", "--output", metavar="FILE", help="a report: one HTML file with curves, links in the course of time, and the path")
    add("--frames", metavar="DIRECTORY", help="the load of a torus in the course of time: one SVG picture for each slice")
    _constants(add)
    add_json(parser)
    add_database(parser)
    return parser


def _job(add):
    add("--machine", required=True, help="a name of `kumihimo simulate list`, or a file")
    add("--shape", required=True, help="ranks, as 384 or 8x6x8: the first axis is the fastest")
    add("--nodes", help="length of the machine's axes that the job decides, as 4x2x4; the K computer's x, y and z")


def _constants(add):
    add("--work", metavar="BYTES", help="work space of a rank; default: the machine's")
    add("--set", action="append", default=[], metavar="NAME=VALUE", help="another value of a constant, with its unit")
    add("--memory", metavar="BYTES", help="most that a simulation may take; default: half of what is free")


FAIL_NODE = "a node that failed, with its links; messages make detours or are refused, as the machine's file says"
BACKGROUND = "what other jobs send all the time: from one node to another, or between nodes that are drawn"
MAPPING = "whose place each rank takes: a file with numbers of ranks, drawn, or numbered along the axes in another order"
COMPARE = "two columns: the machine as it is, and with the changes that other options make; and why they differ"
SENSITIVITY = "the time with half and twice these constants, too; those joined by + together: hop_latency+message_latency"
START = "calls begin on all ranks together, when a barrier is left, or when the one before is done; default loop"
SHARING = "how messages share the network: one after the other on each link (default), or fairly at the same time (slow)"
RUN_NOTES = """
A time is that of the slowest rank. With several calls it is the mean over them.

kumihimo simulate run Allreduce --machine k-computer --shape 8x6x8 --nodes 4x2x4 --algorithm tree3,ring --sizes 1K-16M
kumihimo simulate run Alltoall --machine fat-tree --shape 64 --algorithm all --set message_overhead='0.5 us'
kumihimo simulate run Bcast --machine fat-tree --shape 64 --algorithm all --set ranks_of_node=4
kumihimo simulate run Sendrecv --machine k-computer --shape 8x6x8 --nodes 4x2x4 --links-times 2 --compare
"""


def _tune():
    parser = _parser("tune", "Prints a table for KUMIHIMO_COLL_TABLE, by simulation.", epilog=TUNE_NOTES)
    add = parser.add_argument
    add("operations", nargs="*", metavar="OPERATION", help="collective operations; default: those that depend on the network")
    _job(add)
    add("--sizes", default="64,1K,16K,256K", help="bytes, each up to the next one; default 64,1K,16K,256K")
    add("--segments", metavar="BYTES,...", help="lengths of segments to choose from; default: the machine's")
    add("--margin", type=positive, default=10, metavar="PERCENT", help="what gains less is no rule; default 10")
    errors = "what `kumihimo simulate fit --json` printed of this machine: a rule gains more than it errs there, too"
    add("--errors", metavar="FILE", help=errors)
    _constants(add)
    add_json(parser)
    return parser


TUNE_NOTES = """
kumihimo simulate tune --machine k-computer --shape 8x6x8 --nodes 4x2x4 > table
KUMIHIMO_COLL_TABLE=table KUMIHIMO_COLL_SHAPE=8x6x8 mpiexec ...
"""


def _compare():
    text = "Two results beside each other, with the bound that explains the difference."
    parser = _parser("compare A B", text, epilog=COMPARE_NOTES)
    for name in ("a", "b"):
        parser.add_argument(name, metavar=name.upper(), help="what `kumihimo simulate run --json` printed")
    add_json(parser)
    return parser


COMPARE_NOTES = """
kumihimo simulate run Bcast --machine fat-tree --shape 384 --algorithm binomial --json > a
kumihimo simulate run Bcast --machine dragonfly --shape 384 --algorithm binomial --json > b
kumihimo simulate compare a b
"""


def _fit():
    text = "Makes a machine from a record of kumihimo bench, and tells how well its collective operations are predicted."
    parser = _parser("fit RECORD", text, epilog=FIT_NOTES)
    parser.add_argument("record", metavar="RECORD", help="a record, or DIRECTORY[:VARIANT] of a campaign")
    parser.add_argument("-o", "--output", required=True, metavar="FILE", help="the machine's file")
    parser.add_argument("--control", metavar="RECORD", help="another record of the same machine: its errors beside those")
    parser.add_argument(
        "--local",
        metavar="FILE",
        help="what kumihimo-local printed on that machine, for copies and reductions; default: measured now",
    )
    add_json(parser)
    add_database(parser)
    return parser


FIT_NOTES = """
Only point-to-point cells are fitted, piecewise in size. Collective cells are held out: they test the machine.

kumihimo bench run p2p collective --sizes 0-4M --output monday && kumihimo simulate fit monday -o mine.toml
kumihimo simulate run Allreduce --machine mine.toml --shape 2 --algorithm all
"""
PARSERS = {"list": _list, "show": _show, "run": _run, "compare": _compare, "tune": _tune, "fit": _fit}
COMMAND = Group(
    "kumihimo simulate",
    "Predicts how long collective operations take on machines that one does not have.",
    {
        name: functools.partial(Command, parser, performed_by("simulator.suite.commands", name))
        for name, parser in PARSERS.items()
    },
    NOTES,
)
