"""Compares coarrays between two images with plain shared memory and MPI RMA (bench/coarray.cpp).

    python3 bench/coarray.py [--launches 7] [--family openmpi] [--seconds 0.2] [--peer]

The limit is a memcpy, a loop or a store on the same memory. A/A is each against itself in the same launch. Ratios below 1:
coarrays are faster. --peer: also OpenCoarrays (bench/coarray_fortran.f90), launched in turn with ours; it needs Debian's
libcoarrays-openmpi-dev.
"""

from pathlib import Path

from developers import runner
from kumihimo import configuration
from kumihimo.bench.suite.runner import Ratio, Start, Time

COLUMNS = [
    Time("coarray", layout=".3f"),
    Ratio("coarray", "limit", "over the limit"),
    Ratio("limit again", "limit", "A/A of the limit"),
    Ratio("coarray again", "coarray", "A/A of coarrays"),
    Ratio("coarray", "MPI RMA", "over MPI RMA"),
    Ratio("coarray", "OpenCoarrays", "over OpenCoarrays"),
]
PEER = Path(__file__).resolve().with_name("coarray_fortran.f90")


def main():
    parser = runner.parser(__doc__, seconds=0.2, quick={"launches": 3, "seconds": 0.005})
    parser.add_argument("--peer", action="store_true", help="measure OpenCoarrays too")
    options = parser.parse_args()
    programs = {"coarray": runner.program("coarray", options.family)}
    if options.peer:
        fortran = configuration.FAMILIES[options.family]["fortran"]["wrapper"]
        flags = ["-O3", "-fcoarray=lib", PEER, "-lcaf_openmpi"]
        programs["OpenCoarrays"] = runner.compiled("coarray_fortran", fortran, *flags)

    def starts(ranks):
        for name, program in programs.items():
            yield Start(name, [program, options.seconds], family=options.family, ranks=ranks, bound=True)

    runner.compare("coarray", "Coarrays", options, starts, COLUMNS)


if __name__ == "__main__":
    main()
