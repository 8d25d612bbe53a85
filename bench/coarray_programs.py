"""Programs in coarray Fortran (bench/kernels/is, cg, halo) against the same algorithms in hand-written MPI.

    python3 bench/coarray_programs.py [--npb DIRECTORY] [--peer] [--launches 9] [--nodes 2] [--programs cg halo] [--classes W A]

They are compiled by xmpf90, and by gfortran with libkumihimo_caf ("library"). MPI is the program of that name in the same
folder, and A/A that program against itself. --npb: the directory has NPB's programs by their own names, such as cg.A.2, built
with the same MPI family and -O3; they tell their time in hundredths of a second. --peer: the same programs with OpenCoarrays,
too, which is Debian's libcoarrays-openmpi-dev. NAS programs must pass the official verification in every launch; halo's time is
that of one step.
"""

from pathlib import Path

import nas_fortran
from developers import runner
from kumihimo import configuration
from kumihimo.bench.suite.runner import BUILD, PROGRAMS, SOURCES, Ratio, Start, Time

HALO = (64, 256, 1024)  # points in each dimension
HAND = "MPI"
COLUMNS = [
    Time("xmpf90", "ms", "#.4g"),
    Time("library", "ms", "#.4g"),
    Time(HAND, "ms", "#.4g"),
    Ratio("xmpf90", HAND),
    Ratio("library", HAND),
    Ratio("MPI again", HAND, "A/A"),
    Ratio("xmpf90", "NPB"),
    Ratio("library", "NPB"),
    Ratio("xmpf90", "OpenCoarrays"),
    Ratio("library", "OpenCoarrays"),
]


def coarray_compilers(options):
    """{variant: the words before and after the source}."""
    fortran = configuration.FAMILIES[options.family]["fortran"]["wrapper"]
    ours = runner.library("kumihimo_caf", options.family)
    libraries = [ours, ours.with_name("libkumihimo.so"), f"-Wl,-rpath,{ours.parent}"]
    found = {
        "xmpf90": ([BUILD / "bin" / "xmpf90", f"--mpi={options.family}"], []),
        "library": ([fortran, "-fcoarray=lib"], libraries),
    }
    if options.peer:
        found["OpenCoarrays"] = ([fortran, "-fcoarray=lib"], ["-lcaf_openmpi"])
    return found


def compiled(name, options):
    """{variant: program}."""
    folder = SOURCES / "kernels" / name
    fortran = ["-O3", "-J", PROGRAMS]
    programs = {
        variant: runner.compiled(f"{name}.{variant}", before[0], *before[1:], *fortran, folder / "coarray.f90", *after)
        for variant, (before, after) in coarray_compilers(options).items()
    }
    if name == "halo":
        wrapper = configuration.FAMILIES[options.family]["fortran"]["wrapper"]
        programs[HAND] = runner.compiled("halo.MPI", wrapper, *fortran, folder / "mpi.f90")
    return programs


def by_hand(kernel, size, options, ranks):
    """The program in C, which class and ranks are compiled into."""
    words = [f"-DCLASS='{size}'", f"-DNODES={ranks}", "-O3", SOURCES / "kernels" / kernel / "mpi.c"]
    return runner.compiled(f"{kernel}.{size}.{ranks}.MPI", configuration.FAMILIES[options.family]["c"]["wrapper"], *words)


def launches(subject, programs, words, options, ranks):
    about = {"family": options.family, "ranks": ranks, "subject": subject}
    for variant, program in programs.items():
        one = Start(f"{subject} {variant}", [program, *words], variant=variant, **about)
        yield one
        if variant == HAND:
            yield one.again()


def nas(kernel, programs, size, options, ranks):
    subject = f"{kernel} {size}"
    yield from launches(subject, {**programs, HAND: by_hand(kernel, size, options, ranks)}, [size], options, ranks)
    published = Path(options.npb or "") / f"{kernel}.{size}.{ranks}"
    if options.npb and published.exists():
        about = {"family": options.family, "ranks": ranks, "subject": subject}
        yield nas_fortran.Published(f"{subject} NPB", [published], variant="NPB", **about)


def halo(programs, options, ranks):
    """A step of each size; with two ranks also that whose borders are columns, which lie in one piece."""
    for points in HALO:
        steps = max(100, 2**27 // points**2 // (10 if options.quick else 1))
        shapes = {"rows": ranks, "columns": 1} if ranks == 2 else {"rows and columns": ""}
        for border, across in shapes.items():
            subject = f"halo {points} x {points}, borders are {border}"
            yield list(launches(subject, programs, [points, steps, *([across] if across else [])], options, ranks))


def main():
    parser = runner.parser(__doc__, launches=9, quick={"launches": 2, "classes": ["W"]})
    parser.add_argument("--npb", metavar="DIRECTORY", help="where the programs of NPB3-MPI are")
    parser.add_argument("--peer", action="store_true", help="measure OpenCoarrays too")
    parser.add_argument("--programs", nargs="+", default=["is", "cg", "halo"], choices=["is", "cg", "halo"])
    parser.add_argument("--classes", nargs="+", default=["W", "A"], choices=["S", "W", "A"])
    options = parser.parse_args()
    with runner.Report("coarray_programs", "Programs in coarray Fortran", options) as report:
        programs = {name: compiled(name, options) for name in options.programs}
        for ranks in options.nodes:
            measurement = report.measurement(ranks)
            for name, variants in programs.items():
                if name == "halo":
                    subjects = halo(variants, options, ranks)
                else:
                    subjects = (list(nas(name, variants, size, options, ranks)) for size in options.classes)
                for starts in subjects:
                    measurement.take_turns(starts)
            cases = [case for case in measurement.found().cases() if not case[0].endswith("communication")]
            report.table(measurement, COLUMNS, cases, head="program")


if __name__ == "__main__":
    main()
