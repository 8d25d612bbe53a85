"""Compares MPI-IO through libkumihimo_io with the MPI libraries' own, pattern by pattern (bench/mpiio.cpp).

    python3 bench/mpiio.py [--nodes 2 4] [--directory DIR] [--launches 9] [--repetitions 3] [PATTERN ...]

Variants: Open MPI's own library (OMPIO, and ROMIO by OMPI_MCA_io=romio321), MPICH's, and Kumihimo under --family. `best` is the
library with the least median in all rounds: the fastest of each round would be luckier than any of them. Above 1 Kumihimo is
faster. A/A is Kumihimo against itself. Times include opening and closing the file, not fsync.
"""

import tempfile

from developers import runner
from kumihimo import configuration
from kumihimo.bench.suite.runner import Ratio, Start, Time

LIBRARIES = {
    "ompio": ("openmpi", {"OMPI_MCA_io": "ompio"}),
    "romio": ("openmpi", {"OMPI_MCA_io": "romio321"}),
    "mpich": ("mpich", {}),
}


class Best:
    """A column: the best of the other libraries over Kumihimo."""

    head = "best / kumihimo"

    def __init__(self, others):
        self.others = others

    def cell(self, found, case):
        medians = {name: found.median(name, case) for name in self.others if found.median(name, case)}
        return Ratio(min(medians, key=medians.get), "kumihimo").cell(found, case) if medians else "-"


def served(family, engine="kumihimo"):
    """The environment of ranks whose files Kumihimo serves."""
    return {"LD_PRELOAD": str(runner.library("kumihimo_io", family)), "KUMIHIMO_IO": f"**={engine}"}


def starts(options, ranks, directory):
    variants = {name: LIBRARIES[name] for name in options.others} | {"kumihimo": (options.family, served(options.family))}
    for name, (family, settings) in variants.items():
        words = [runner.program("mpiio", family), directory, options.repetitions, *options.patterns]
        one = Start(name, words, family=family, ranks=ranks, settings=settings)
        yield one
        if name == "kumihimo":
            yield one.again()


def main():
    quick = {"launches": 2, "repetitions": 1, "nodes": [2], "patterns": ["1M alone", "4K/16K together", "16K view"]}
    parser = runner.parser(__doc__, launches=9, nodes=(2, 4), limit=300, quick=quick)
    libraries = [name for name, (family, _) in LIBRARIES.items() if family in configuration.FAMILIES]
    parser.add_argument("patterns", nargs="*", metavar="PATTERN", help="default: all")
    parser.add_argument("--others", nargs="+", default=libraries, choices=libraries)
    parser.add_argument("--directory", default=".", help="on the file system to measure; default: the current one")
    parser.add_argument("--repetitions", type=int, default=3)
    options = parser.parse_args()
    columns = [Time(name, "ms") for name in (*options.others, "kumihimo")]
    columns += [Best(options.others), Ratio("kumihimo again", "kumihimo", "A/A")]
    with tempfile.TemporaryDirectory(dir=options.directory) as directory:
        runner.compare("mpiio", "MPI-IO", options, lambda ranks: starts(options, ranks, directory), columns)


if __name__ == "__main__":
    main()
