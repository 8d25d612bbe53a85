"""Compares reflect with hand-written MPI halo exchanges (bench/reflect.cpp) over several launches.

    python3 bench/reflect.py [--launches 7] [--nodes 2] [--family openmpi] [--seconds 0.1] [--build build]

The launch is the unit of statistics: each gives one ratio for each case; the table shows the median ratio and the range
of all launches. A/A is reflect against itself in the same launch. Ratios below 1: reflect is faster.
"""

from launches import launch, options_parser, program, ratio, time


def main():
    parser = options_parser(__doc__, 0.1)
    parser.add_argument("--nodes", type=int, default=2)
    parser.add_argument("--program", help="instead of the one in the build directory")
    options = parser.parse_args()
    words = [options.program or program(options, "reflect")]
    launches = [launch(options, options.nodes, *words) for _ in range(options.launches)]
    print(f"{options.family}, {options.nodes} nodes, {options.launches} launches; microseconds, then ratios: median (range)\n")
    print("| halo | bytes | reflect | datatype | packing | reflect / datatype | reflect / packing | A/A |")
    print("|---|---|---|---|---|---|---|---|")
    for case in launches[0]:
        times = [time(launches, case, variant) for variant in ("reflect", "datatype", "packing")]
        ratios = [ratio(launches, case, "reflect", variant) for variant in ("datatype", "packing", "reflect again")]
        print(f"| {case[0]}, {case[1]} | {case[2]} | " + " | ".join(times + ratios) + " |")


if __name__ == "__main__":
    main()
