"""Compares gmove with hand-written redistributions by MPI_Alltoallv (bench/gmove.cpp) over several launches.

    python3 bench/gmove.py [--launches 7] [--nodes 2] [--family openmpi] [--seconds 0.2] [--build build]

The launch is the unit of statistics: each gives one ratio for each case; the table shows the median ratio and the range
of all launches. A/A is gmove against itself in the same launch. Ratios below 1: gmove is faster.
"""

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


def launch(options):
    """{(case, bytes): {variant: microseconds}} of one launch."""
    program = Path(options.build) / "bench" / f"bench_gmove_{options.family}"
    command = [*LAUNCHERS[options.family], "-n", str(options.nodes), program, str(options.seconds)]
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment).stdout
    cases = collections.defaultdict(dict)
    for line in output.splitlines():
        fields = line.split("\t")
        if len(fields) == 4:
            case, size, variant, time = fields
            cases[case, int(size)][variant] = float(time)
    return cases


def ratio(launches, case, variant):
    values = [one[case]["gmove"] / one[case][variant] for one in launches]
    return f"{statistics.median(values):.2f} ({min(values):.2f} .. {max(values):.2f})"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--launches", type=int, default=7)
    parser.add_argument("--nodes", type=int, default=2)
    parser.add_argument("--family", default="openmpi", choices=LAUNCHERS)
    parser.add_argument("--seconds", type=float, default=0.2, help="for each case of a launch")
    parser.add_argument("--build", default=str(ROOT / "build"))
    options = parser.parse_args()
    launches = [launch(options) for _ in range(options.launches)]
    if not launches[0]:
        sys.exit("gmove.py: the benchmark printed nothing")
    print(f"{options.family}, {options.nodes} nodes, {options.launches} launches; microseconds, then ratios: median (range)\n")
    print("| redistribution | bytes | gmove | Alltoallv | gmove / Alltoallv | A/A |\n|---|---|---|---|---|---|")
    for case in launches[0]:
        times = [f"{statistics.median(one[case][variant] for one in launches):.2f}" for variant in ("gmove", "alltoallv")]
        ratios = [ratio(launches, case, variant) for variant in ("alltoallv", "gmove again")]
        print(f"| {case[0]} | {case[1]} | " + " | ".join(times + ratios) + " |")


if __name__ == "__main__":
    main()
