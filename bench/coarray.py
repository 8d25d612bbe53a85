"""Compares coarrays between two images with plain shared memory and MPI RMA (bench/coarray.cpp) over several launches.

    python3 bench/coarray.py [--launches 7] [--family openmpi] [--seconds 0.2] [--build build] [--peer]

The launch is the unit of statistics: each gives one ratio for each case; the table shows the median ratio and the range of
all launches. The limit is a memcpy, a loop or a store on the same memory. A/A is the limit against itself in the same launch.
Ratios below 1: coarrays are faster. --peer: also OpenCoarrays (bench/coarray_fortran.f90), launched in turn with ours; it
needs gfortran and Debian's libcoarrays-openmpi-dev.
"""

import os
import subprocess
import tempfile
from pathlib import Path

from launches import launch, options_parser, program, ratio, time

PEER = Path(__file__).resolve().parent / "coarray_fortran.f90"


def size_text(size):
    for unit, bytes_ in (("MiB", 1 << 20), ("KiB", 1 << 10)):
        if size >= bytes_:
            return f"{size // bytes_} {unit}"
    return f"{size} B"


def build_peer(directory):
    """The Fortran program over OpenCoarrays."""
    path = Path(directory) / "coarray_fortran"
    subprocess.run(["gfortran", "-O3", "-fcoarray=lib", PEER, "-o", path, "-lcaf_openmpi"], check=True)
    return path


def measure(options, peer):
    """One launch of ours, and of the peer right after it: the cases of both in one table."""
    cases = launch(options, 2, program(options, "coarray"))
    for case, variants in launch(options, 2, peer).items() if peer else ():
        cases[case].update(variants)
    return cases


def main():
    parser = options_parser(__doc__, 0.2)
    parser.add_argument("--peer", action="store_true", help="measure OpenCoarrays too")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        peer = build_peer(directory) if options.peer else None
        launches = [measure(options, peer) for _ in range(options.launches)]
    print(f"{options.family}, {options.launches} launches, load {os.getloadavg()[0]:.1f}; medians (range)\n")
    print(
        "| operation | size | coarray, us | over the limit | A/A of the limit | A/A of coarrays | over MPI RMA "
        "| over OpenCoarrays |"
    )
    print("|---" * 8 + "|")
    for case in launches[0]:
        ratios = [
            ratio(launches, case, "coarray", "limit"),
            ratio(launches, case, "limit again", "limit"),
            ratio(launches, case, "coarray again", "coarray"),
            ratio(launches, case, "coarray", "MPI RMA"),
            ratio(launches, case, "coarray", "OpenCoarrays"),
        ]
        cells = [case[0], size_text(int(case[1])), time(launches, case, "coarray", ".3f"), *ratios]
        print("| " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
