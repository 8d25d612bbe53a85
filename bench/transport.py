"""Compares each transport with its library used by hand (bench/transport.cpp) over several launches of 2 processes.

    python3 bench/transport.py [mpi armci gasnet-smp ...] [--launches 7] [--family openmpi] [--seconds 0.05] [--build build]

The launch is the unit of statistics: each gives one ratio for each case; the table shows the median ratio and the range of
all launches. A/A is the hand-written operation against itself in the same launch. Ratios below 1: the transport is faster.
Without names: every transport whose program has been built (target `benchmarks`).
"""

import argparse
import collections
import os
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LAUNCHERS = {"openmpi": ["mpiexec.openmpi", "--bind-to", "core"], "mpich": ["mpiexec.mpich", "-bind-to", "core"]}


def programs(options):
    """{transport: program} of those that are built."""
    found = {}
    for path in sorted((Path(options.build) / "bench").glob(f"bench_transport_*_{options.family}")):
        found[path.name.removeprefix("bench_transport_").removesuffix(f"_{options.family}")] = path
    return {name: path for name, path in found.items() if not options.transports or name in options.transports}


def launch(options, name, program):
    """{case: {variant: microseconds}} of one launch."""
    command = [*LAUNCHERS[options.family], "-n", "2", program, name, str(options.seconds)]
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment, timeout=600).stdout
    cases = collections.defaultdict(dict)
    for line in output.splitlines():
        fields = line.split("\t")
        if len(fields) == 3:
            case, variant, time = fields
            cases[case][variant] = float(time)
    return cases


def ratio(launches, case, variant, over):
    values = [one[case][variant] / one[case][over] for one in launches]
    return f"{statistics.median(values):.2f} ({min(values):.2f} .. {max(values):.2f})"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("transports", nargs="*")
    parser.add_argument("--launches", type=int, default=7)
    parser.add_argument("--family", default="openmpi")
    parser.add_argument("--seconds", type=float, default=0.05, help="for each case of a launch")
    parser.add_argument("--build", default=str(ROOT / "build"))
    options = parser.parse_args()
    found = programs(options)
    if not found:
        sys.exit("transport.py: no program found; build the target `benchmarks`")
    print(f"{options.family}, {options.launches} launches\n")
    print("| transport | operation | by hand, us | transport / by hand | A/A |")
    print("|---|---|---|---|---|")
    for name, program in found.items():
        launches = [launch(options, name, program) for _ in range(options.launches)]
        for case in launches[0]:
            time = statistics.median(one[case]["by hand"] for one in launches)
            over = ratio(launches, case, "transport", "by hand")
            print(f"| {name} | {case} | {time:.3g} | {over} | {ratio(launches, case, 'again', 'by hand')} |")


if __name__ == "__main__":
    main()
