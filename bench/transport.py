"""Compares each transport with its library used by hand (bench/transport.cpp).

    python3 bench/transport.py [mpi armci gasnet-smp ...] [--launches 7] [--family openmpi] [--seconds 0.05]

A/A is the hand-written operation against itself in the same launch. Ratios below 1: the transport is faster. Without names:
every transport that this build has.
"""

from developers import runner
from kumihimo.bench.suite.runner import PROGRAMS, Ratio, Start, Time

COLUMNS = [
    Time("by hand", layout=".3g"),
    Ratio("transport", "by hand"),
    Ratio("by hand again", "by hand", "A/A"),
    Time("two-sided by hand", layout=".3g"),
    Ratio("transport", "two-sided by hand"),
]


def programs(options):
    """{transport: program} of those that are built."""
    runner.build(f"bench_transports_{options.family}")
    found = {}
    for path in sorted(PROGRAMS.glob(f"bench_transport_*_{options.family}")):
        found[path.name.removeprefix("bench_transport_").removesuffix(f"_{options.family}")] = path
    return {name: path for name, path in found.items() if not options.transports or name in options.transports}


def main():
    parser = runner.parser(__doc__, seconds=0.05, quick={"launches": 3, "seconds": 0.01})
    parser.add_argument("transports", nargs="*")
    options = parser.parse_args()

    def starts(ranks):
        for name, program in programs(options).items():
            words = [program, name, options.seconds]
            yield Start(name, words, family=options.family, ranks=ranks, subject=name, bound=True)

    runner.compare("transport", "Transports", options, starts, COLUMNS)


if __name__ == "__main__":
    main()
