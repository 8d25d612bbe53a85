"""Compares XMP-IO and xmpnc with hand-written MPI-IO and PnetCDF (bench/io.cpp) over several launches.

    python3 bench/io.py [--family openmpi] [--nodes 1 2 4] [--size 2000] [--launches 12] [--repetitions 5] [--build build]

The launch is the unit of statistics: in each the variants take turns, and the ratio of their medians is one value. The table
shows the median ratio and its distribution-free 95 % interval. A/A is the hand-written program against itself.
Ratios below 1: XMP is faster. Times include opening and closing the file.
"""

import argparse
import statistics
import subprocess
import tempfile
from pathlib import Path

from compare import interval

ROOT = Path(__file__).resolve().parent.parent


def launch(options, kind, nodes, directory):
    """{kernel: {variant: milliseconds}} of one launch."""
    program = Path(options.build) / "bench" / f"bench_io_{options.family}"
    command = [
        ROOT / "cmake" / "mpirun-test",
        options.family,
        nodes,
        program,
        kind,
        options.size,
        options.size,
        options.repetitions,
    ]
    output = subprocess.run([str(part) for part in [*command, directory]], check=True, stdout=subprocess.PIPE, text=True).stdout
    results = {}
    for line in output.splitlines():
        kernel, *fields = line.split()
        results[kernel] = dict(zip(fields[::2], map(float, fields[1::2])))
    return results


def row(kernel, nodes, launches):
    times = [statistics.median(one[kernel][variant] for one in launches) for variant in ("hand", "xmp")]
    cells = []
    for variant in ("xmp", "control"):
        middle, low, high = interval([one[kernel][variant] / one[kernel]["hand"] for one in launches])
        cells.append(f"{middle:.2f} [{low:.2f}, {high:.2f}]")
    return f"| {kernel} | {nodes} | {times[0]:.1f} | {times[1]:.1f} | {cells[0]} | {cells[1]} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--family", default="openmpi")
    parser.add_argument("--kinds", nargs="+", default=["flat", "netcdf"], choices=["flat", "netcdf"])
    parser.add_argument("--nodes", nargs="+", type=int, default=[1, 2, 4])
    parser.add_argument("--size", type=int, default=2000, help="rows and columns of the array of doubles")
    parser.add_argument("--launches", type=int, default=12)
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--build", default=str(ROOT / "build"))
    options = parser.parse_args()
    megabytes = options.size**2 * 8 / 1e6
    print(f"{options.family}, {megabytes:.0f} MB, {options.launches} launches of {options.repetitions} repetitions\n")
    print("| kernel | nodes | by hand, ms | XMP, ms | XMP / by hand | A/A |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as directory:
        for kind in options.kinds:
            for nodes in options.nodes:
                launches = [launch(options, kind, nodes, directory) for _ in range(options.launches)]
                for kernel in launches[0]:
                    print(row(kernel, nodes, launches), flush=True)


if __name__ == "__main__":
    main()
