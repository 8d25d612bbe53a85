"""Compares libkumihimo_caf, which gfortran -fcoarray=lib calls, with OpenCoarrays (bench/coarray_fortran.f90).

    python3 bench/coarray_fortran.py [--launches 7] [--seconds 0.2] [--far]

One program, linked with each. xmpf90 makes loads and stores of elements instead of calls. The limit is the same copy within one
image. A/A is ours against itself. Ratios below 1: ours is faster. --far: the images count as being on two machines.
OpenCoarrays is Debian's libcoarrays-openmpi-dev.
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
    parser.add_argument("--far", action="store_true", help="the images are on machines of their own")
    options = parser.parse_args()
    fortran = configuration.FAMILIES[options.family]["fortran"]["wrapper"]
    ours = runner.library("kumihimo_caf", options.family)
    libraries = {
        "kumihimo": [ours, ours.with_name("libkumihimo.so"), f"-Wl,-rpath,{ours.parent}"],
        "OpenCoarrays": ["-lcaf_openmpi"],
    }
    flags = ["-O3", "-fcoarray=lib", SOURCE]
    programs = {name: runner.compiled(f"coarray_fortran_{name}", fortran, *flags, *words) for name, words in libraries.items()}
    xmpf90 = [BUILD / "bin" / "xmpf90", f"--mpi={options.family}", "-O3", SOURCE]
    programs["xmpf90"] = runner.compiled("coarray_fortran_xmpf90", *xmpf90)
    settings = {"KUMIHIMO_SHM": "off"} if options.far else {}

    def starts(ranks):
        common = {"family": options.family, "ranks": ranks, "bound": True, "settings": settings}
        mine = Start("kumihimo", [programs["kumihimo"], options.seconds], **common)
        yield Start("kumihimo", [programs["kumihimo"], options.seconds, "limit"], **common)
        yield Start("xmpf90", [programs["xmpf90"], options.seconds], **common)
        yield Start("OpenCoarrays", [programs["OpenCoarrays"], options.seconds], **common)
        yield mine.again()

    runner.compare("coarray_fortran", "Coarray Fortran", options, starts, COLUMNS)


if __name__ == "__main__":
    main()
