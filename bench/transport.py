"""Compares each transport with its library used by hand (bench/transport.cpp) over several launches of 2 processes.

    python3 bench/transport.py [mpi armci gasnet-smp ...] [--launches 7] [--family openmpi] [--seconds 0.05] [--build build]

The launch is the unit of statistics: each gives one ratio for each case; the table shows the median ratio and the range of
all launches. A/A is the hand-written operation against itself in the same launch. Ratios below 1: the transport is faster.
Without names: every transport whose program has been built (target `benchmarks`).
"""

import sys
from pathlib import Path

from launches import launch, options_parser, ratio, time


def programs(options):
    """{transport: program} of those that are built."""
    found = {}
    for path in sorted((Path(options.build) / "bench").glob(f"bench_transport_*_{options.family}")):
        found[path.name.removeprefix("bench_transport_").removesuffix(f"_{options.family}")] = path
    return {name: path for name, path in found.items() if not options.transports or name in options.transports}


def main():
    parser = options_parser(__doc__, 0.05)
    parser.add_argument("transports", nargs="*")
    options = parser.parse_args()
    found = programs(options)
    if not found:
        sys.exit("transport.py: no program found; build the target `benchmarks`")
    print(f"{options.family}, {options.launches} launches\n")
    print("| transport | operation | by hand, us | transport / by hand | A/A |")
    print("|---|---|---|---|---|")
    for name, program in found.items():
        launches = [launch(options, 2, program, name) for _ in range(options.launches)]
        for case in launches[0]:
            over = ratio(launches, case, "transport", "by hand")
            again = ratio(launches, case, "again", "by hand")
            print(f"| {name} | {case[0]} | {time(launches, case, 'by hand', '.3g')} | {over} | {again} |")


if __name__ == "__main__":
    main()
