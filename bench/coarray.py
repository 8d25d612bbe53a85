"""Compares coarrays between two images with plain shared memory and MPI RMA (bench/coarray.cpp) over several launches.

    python3 bench/coarray.py [--launches 7] [--family openmpi] [--seconds 0.2] [--build build]

The launch is the unit of statistics: each gives one ratio for each case; the table shows the median ratio and the range of
all launches. The limit is a memcpy, a loop or a store on the same memory. A/A is the limit against itself in the same launch.
Ratios below 1: coarrays are faster.
"""

import os

from launches import launch, options_parser, program, ratio, time


def size_text(size):
    for unit, bytes_ in (("MiB", 1 << 20), ("KiB", 1 << 10)):
        if size >= bytes_:
            return f"{size // bytes_} {unit}"
    return f"{size} B"


def main():
    options = options_parser(__doc__, 0.2).parse_args()
    launches = [launch(options, 2, program(options, "coarray")) for _ in range(options.launches)]
    print(f"{options.family}, {options.launches} launches, load {os.getloadavg()[0]:.1f}; medians (range)\n")
    print("| operation | size | coarray, us | over the limit | A/A of the limit | A/A of coarrays | over MPI RMA |")
    print("|---|---|---|---|---|---|---|")
    for case in launches[0]:
        ratios = [
            ratio(launches, case, "coarray", "limit"),
            ratio(launches, case, "limit again", "limit"),
            ratio(launches, case, "coarray again", "coarray"),
            ratio(launches, case, "coarray", "MPI RMA"),
        ]
        cells = [case[0], size_text(int(case[1])), time(launches, case, "coarray", ".3f"), *ratios]
        print("| " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
