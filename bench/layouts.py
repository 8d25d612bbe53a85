"""Compares XMP-IO with MPI-IO by hand and with gathering, and xmpnc with PnetCDF, over layouts (bench/layouts.cpp).

    python3 bench/layouts.py [--family openmpi] [--nodes 1 2 4] [--elements 8000000] [--launches 5] [--repetitions 5]

by hand: MPI-IO of the MPI library with a darray view; A/A is it against itself in the same launch. gathered: one node collects
the array and moves the file alone. Ratios below 1: XMP-IO is faster. Times include opening and closing the file.
"""

import tempfile

from developers import runner
from kumihimo import configuration
from kumihimo.bench.suite.runner import Ratio, Start, Time

LAYOUTS = ["block", "cyclic", "cyclic4", "gblock", "plane", "box"]
COLUMNS = [
    Time("by hand", "ms", ".1f"),
    Time("xmp", "ms", ".1f"),
    Time("gathered", "ms", ".1f"),
    Ratio("xmp", "by hand"),
    Ratio("by hand again", "by hand", "A/A"),
    Ratio("xmp by MPI", "by hand"),
    Ratio("xmp", "gathered"),
]
NETCDF_COLUMNS = [
    Time("PnetCDF", "ms", ".1f"),
    Time("xmpnc", "ms", ".1f"),
    Ratio("xmpnc", "PnetCDF"),
    Ratio("xmpnc on the engine", "PnetCDF"),
    Ratio("PnetCDF again", "PnetCDF", "A/A"),
]


def main():
    quick = {"launches": 2, "repetitions": 2, "nodes": [2], "elements": 100_000}
    parser = runner.parser(__doc__, launches=5, nodes=(1, 2, 4), quick=quick)
    parser.add_argument("--layouts", nargs="+", default=LAYOUTS, choices=LAYOUTS)
    parser.add_argument("--elements", type=int, default=8_000_000, help="doubles of the array, about")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--directory", help="where the files are (default: a temporary one)")
    options = parser.parse_args()
    program = runner.program("layouts", options.family)
    with tempfile.TemporaryDirectory(dir=options.directory) as directory:

        def starts(ranks):
            for layout in options.layouts:
                words = [program, layout, options.elements, options.repetitions, directory]
                yield Start(layout, words, family=options.family, ranks=ranks, subject=layout)

        netcdf = not configuration.FAMILIES[options.family]["netcdf_missing"]
        runner.compare("layouts", "XMP-IO over layouts", options, starts, COLUMNS + NETCDF_COLUMNS * netcdf)


if __name__ == "__main__":
    main()
