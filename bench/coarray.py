"""Compares coarrays between two images with plain shared memory and MPI RMA (bench/coarray.cpp) over several launches.

    python3 bench/coarray.py [--launches 7] [--family openmpi] [--seconds 0.2] [--build build]

The launch is the unit of statistics: each gives one ratio for each case; the table shows the median ratio and the range of
all launches. The limit is a memcpy, a loop or a store on the same memory. A/A is the limit against itself in the same launch.
Ratios below 1: coarrays are faster.
"""

import argparse
import collections
import os
import statistics
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# One processor for each image, and no yielding: MPI at its fastest.
LAUNCHERS = {"openmpi": ["mpiexec.openmpi", "--bind-to", "core"], "mpich": ["mpiexec.mpich", "-bind-to", "core"]}
UNITS = {8: "8 B", 64: "64 B", 512: "512 B", 4096: "4 KiB", 8192: "8 KiB", 65536: "64 KiB", 524288: "512 KiB", 1048576: "1 MiB"}


def launch(options):
    """{(operation, bytes): {variant: microseconds}} of one launch."""
    program = Path(options.build) / "bench" / f"bench_coarray_{options.family}"
    command = [*LAUNCHERS[options.family], "-n", "2", program, str(options.seconds)]
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment).stdout
    cases = collections.defaultdict(dict)
    for line in output.splitlines():
        fields = line.split("\t")
        if len(fields) == 4:
            operation, size, variant, time = fields
            cases[operation, int(size)][variant] = float(time)
    return cases


def ratio(launches, case, first, second):
    values = [one[case][first] / one[case][second] for one in launches if {first, second} <= one[case].keys()]
    if not values:
        return "-"
    return f"{statistics.median(values):.2f} ({min(values):.2f} .. {max(values):.2f})"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--launches", type=int, default=7)
    parser.add_argument("--family", default="openmpi")
    parser.add_argument("--seconds", type=float, default=0.2, help="for each case of a launch")
    parser.add_argument("--build", default=str(ROOT / "build"))
    options = parser.parse_args()
    launches = [launch(options) for _ in range(options.launches)]
    print(f"{options.family}, {options.launches} launches, load {os.getloadavg()[0]:.1f}; medians (range)\n")
    print("| operation | size | coarray, us | over the limit | A/A of the limit | A/A of coarrays | over MPI RMA |")
    print("|---|---|---|---|---|---|---|")
    for case in launches[0]:
        time = statistics.median(one[case]["coarray"] for one in launches)
        ratios = [
            ratio(launches, case, "coarray", "limit"),
            ratio(launches, case, "limit again", "limit"),
            ratio(launches, case, "coarray again", "coarray"),
            ratio(launches, case, "coarray", "MPI RMA"),
        ]
        print(f"| {case[0]} | {UNITS.get(case[1], '4 MiB')} | {time:.3f} | " + " | ".join(ratios) + " |")


if __name__ == "__main__":
    main()
