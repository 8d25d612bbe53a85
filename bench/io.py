"""Compares XMP-IO and xmpnc with hand-written MPI-IO and PnetCDF (bench/io.cpp).

    python3 bench/io.py [--family openmpi] [--nodes 1 2 4] [--size 2000] [--launches 12] [--repetitions 5]

A/A is the hand-written program against itself in the same launch. Ratios below 1: XMP is faster. Times include opening and
closing the file.
"""

import tempfile

from developers import runner
from kumihimo import configuration
from kumihimo.bench.suite.runner import Ratio, Start, Time

COLUMNS = [
    Time("by hand", "ms", ".1f"),
    Time("xmp", "ms", ".1f"),
    Ratio("xmp", "by hand"),
    Ratio("by hand again", "by hand", "A/A"),
]


def main():
    quick = {"launches": 3, "repetitions": 3, "nodes": [2], "size": 1000}
    parser = runner.parser(__doc__, launches=12, nodes=(1, 2, 4), quick=quick)
    parser.add_argument("--kinds", nargs="+", default=["flat", "netcdf"], choices=["flat", "netcdf"])
    parser.add_argument("--size", type=int, default=2000, help="rows and columns of the array of doubles")
    parser.add_argument("--repetitions", type=int, default=5)
    options = parser.parse_args()
    missing = configuration.FAMILIES[options.family]["netcdf_missing"]
    kinds = [kind for kind in options.kinds if kind == "flat" or not missing]
    program = runner.program("io", options.family)
    with tempfile.TemporaryDirectory() as directory:

        def starts(ranks):
            for kind in kinds:
                words = [program, kind, options.size, options.size, options.repetitions, directory]
                yield Start(kind, words, family=options.family, ranks=ranks)

        runner.compare("io", "XMP-IO and netCDF", options, starts, COLUMNS)


if __name__ == "__main__":
    main()
