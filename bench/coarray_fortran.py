"""Measures coarrays of standard Fortran (bench/coarray_fortran.f90) through libkumihimo_caf, which gfortran -fcoarray calls.

    python3 bench/coarray_fortran.py [--launches 7] [--seconds 0.2] [--peer] [--far]

xmpf90 makes loads and stores of elements instead of calls. The limit is the same copy within one image. A/A is ours against
itself. Ratios below 1: ours is faster. --peer: the same program linked with OpenCoarrays, too, which is Debian's
libcoarrays-openmpi-dev. --far: ours takes each image as a machine.
"""

from pathlib import Path

from developers import runner
from kumihimo import configuration
from kumihimo.bench.suite.runner import BUILD, Ratio, Start, Time

COLUMNS = [
    Time("kumihimo", layout=".4f"),
    Time("OpenCoarrays", layout=".3f"),
    Ratio("kumihimo", "OpenCoarrays", "over OpenCoarrays"),
    Ratio("kumihimo", "limit", "over the limit"),
    Ratio("xmpf90", "kumihimo", "xmpf90 over the library"),
    Ratio("kumihimo again", "kumihimo", "A/A"),
]
SOURCE = Path(__file__).resolve().with_suffix(".f90")


def main():
    parser = runner.parser(__doc__, seconds=0.2, quick={"launches": 3, "seconds": 0.005})
    parser.add_argument("--peer", action="store_true", help="measure OpenCoarrays too")
    parser.add_argument("--far", action="store_true", help="the images are on machines of their own")
    options = parser.parse_args()
    fortran = configuration.FAMILIES[options.family]["fortran"]["wrapper"]
    ours = runner.library("kumihimo_caf", options.family)
    libraries = {"kumihimo": [ours, ours.with_name("libkumihimo.so"), f"-Wl,-rpath,{ours.parent}"]}
    if options.peer:
        libraries["OpenCoarrays"] = ["-lcaf_openmpi"]
    flags = ["-O3", "-fcoarray=lib", SOURCE]
    programs = {name: runner.compiled(f"coarray_fortran_{name}", fortran, *flags, *words) for name, words in libraries.items()}
    xmpf90 = [BUILD / "bin" / "xmpf90", f"--mpi={options.family}", "-O3", SOURCE]
    programs["xmpf90"] = runner.compiled("coarray_fortran_xmpf90", *xmpf90)
    settings = {"KUMIHIMO_SHM": "off"} if options.far else {}

    def starts(ranks):
        common = {"family": options.family, "ranks": ranks, "bound": True, "settings": settings}
        for name, program in programs.items():
            yield Start(name, [program, options.seconds, *(["limit"] if name == "kumihimo" else [])], **common)
        yield Start("kumihimo", [programs["kumihimo"], options.seconds], **common).again()

    runner.compare("coarray_fortran", "Coarray Fortran", options, starts, COLUMNS)


if __name__ == "__main__":
    main()
