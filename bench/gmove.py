"""Compares gmove with hand-written redistributions by MPI_Alltoallv (bench/gmove.cpp) over several launches.

    python3 bench/gmove.py [--launches 7] [--nodes 2] [--family openmpi] [--seconds 0.2] [--build build]

The launch is the unit of statistics: each gives one ratio for each case; the table shows the median ratio and the range
of all launches. A/A is gmove against itself in the same launch. Ratios below 1: gmove is faster.
"""

from launches import launch, options_parser, program, ratio, time


def main():
    parser = options_parser(__doc__, 0.2)
    parser.add_argument("--nodes", type=int, default=2)
    options = parser.parse_args()
    launches = [launch(options, options.nodes, program(options, "gmove")) for _ in range(options.launches)]
    print(f"{options.family}, {options.nodes} nodes, {options.launches} launches; microseconds, then ratios: median (range)\n")
    print("| redistribution | bytes | gmove | Alltoallv | gmove / Alltoallv | A/A |\n|---|---|---|---|---|---|")
    for case in launches[0]:
        times = [time(launches, case, variant) for variant in ("gmove", "alltoallv")]
        ratios = [ratio(launches, case, "gmove", variant) for variant in ("alltoallv", "gmove again")]
        print(f"| {case[0]} | {case[1]} | " + " | ".join(times + ratios) + " |")


if __name__ == "__main__":
    main()
