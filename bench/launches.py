"""What the scripts that compare variants inside one program share: launches, options and ratios.

Each launch of a benchmark prints lines `case fields ... <tab> variant <tab> microseconds`. The launch is the unit of
statistics: each gives one ratio for each case; tables show the median ratio and the range of all launches."""

import argparse
import collections
import os
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# One processor for each node, and no yielding: MPI at its fastest.
LAUNCHERS = {"openmpi": ["mpiexec.openmpi", "--bind-to", "core"], "mpich": ["mpiexec.mpich", "-bind-to", "core"]}


def options_parser(documentation, seconds):
    """The options that all have; seconds: how long each case of a launch runs if the user does not say."""
    parser = argparse.ArgumentParser(description=documentation, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--launches", type=int, default=7)
    parser.add_argument("--family", default="openmpi", choices=LAUNCHERS)
    parser.add_argument("--seconds", type=float, default=seconds, help="for each case of a launch")
    parser.add_argument("--build", default=str(ROOT / "build"))
    return parser


def program(options, name):
    """The benchmark of the chosen MPI family in the build directory."""
    return Path(options.build) / "bench" / f"bench_{name}_{options.family}"


def launch(options, nodes, *words):
    """{(field, ...) of a case: {variant: microseconds}} of one launch. words: the program and what precedes the seconds."""
    command = [*LAUNCHERS[options.family], "-n", str(nodes), *words, str(options.seconds)]
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment, timeout=600).stdout
    cases = collections.defaultdict(dict)
    for line in output.splitlines():
        fields = line.split("\t")
        if len(fields) >= 3:
            *case, variant, time = fields
            cases[tuple(case)][variant] = float(time)
    if not cases:
        sys.exit(f"{words[0]} printed no measurements")
    return cases


def time(launches, case, variant, layout=".2f"):
    """Median microseconds of a variant, or `-` where it was not measured."""
    values = [one[case][variant] for one in launches if variant in one[case]]
    return format(statistics.median(values), layout) if values else "-"


def ratio(launches, case, variant, over):
    """Median and range of one variant's time over another's, or `-`."""
    values = [one[case][variant] / one[case][over] for one in launches if {variant, over} <= one[case].keys()]
    return f"{statistics.median(values):.2f} ({min(values):.2f} .. {max(values):.2f})" if values else "-"
