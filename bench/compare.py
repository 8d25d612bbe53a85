"""Compares the kernels of bench/kernels in time or instructions: XMP/C against hand-written MPI, serial C and XMP/Fortran,
where there are such programs.

    python3 bench/compare.py [KERNEL ...] [--launches 20] [--nodes 1 2]
    python3 bench/compare.py [KERNEL ...] --instructions

A/A is the hand-written program against itself. gfortran is the program in XMP/Fortran without its directives, with arrays that
another procedure has allocated, as it is with global arrays. All programs of a kernel must compute the same. Instructions are
counted by cachegrind as the difference of two runs with different numbers of repetitions on one node, so that start-up does not
count.
"""

import os
import subprocess
import tempfile

from developers import runner
from kumihimo import configuration
from kumihimo.bench.suite.runner import BUILD, SOURCES, Ratio, Start, Time

COLUMNS = [
    Time("XMP", "s", ".4f"),
    Ratio("XMP", "MPI"),
    Ratio("MPI again", "MPI", "A/A"),
    Ratio("XMP", "serial"),
    Ratio("Fortran", "XMP"),
    Ratio("Fortran", "gfortran"),
]
SERIAL = ("serial", "gfortran")  # variants without directives and MPI
# name: (folder, definitions of all programs, definitions of those in XMP, of the hand-written one)
SMALL = ["-DN=20000", "-DREPEAT=20000"]
KERNELS = {
    "triad": ("triad", [], [], []),
    "triad-cyclic": ("triad", SMALL, ["-DFORMAT=cyclic"], ["-DCYCLIC"]),
    "triad-cyclic4": ("triad", SMALL, ["-DFORMAT=cyclic(4)"], ["-DBLOCK=4"]),
    "index-cyclic": ("triad", ["-DINDEX", *SMALL], ["-DFORMAT=cyclic"], ["-DCYCLIC"]),
    "index-cyclic4": ("triad", ["-DINDEX", *SMALL], ["-DFORMAT=cyclic(4)"], ["-DBLOCK=4"]),
    "reflect": ("reflect", [], [], []),
    "gmove": ("gmove", [], [], []),
    "gmove-row": ("gmove", ["-DROW"], [], []),
    "laplace": ("laplace", [], [], []),
    "stencil19": ("stencil19", [], [], []),
    "tsunami": ("tsunami", [], [], []),
    **{
        name: (name, [], [], [])
        for name in ("stream", "random_access", "lu", "gemm", "atax", "floyd_warshall", "fdtd2d", "heat3d")
    },
}
# Those with array sections or coarrays, which are no plain C, and those that do nothing without directives.
PARALLEL_ONLY = ("random_access", "gemm", "floyd_warshall", "reflect", "gmove", "gmove-row")
# Folders of those whose repetitions are short beside what two starts of one program differ by: by 30,000 instructions.
SHORT = ("triad", "reflect", "gmove")
SHORTEST = ("reflect", "gmove-row")


def compiled(kernel, family, *extra):
    """{variant: program}."""
    folder, common, xmp, hand = KERNELS[kernel]
    source = SOURCES / "kernels" / folder
    mpi = configuration.FAMILIES[family]["c"]
    words = ["-O3", *common, *extra]
    made = {"XMP": runner.compiled(f"{kernel}.xmp", BUILD / "bin" / "xmpcc", f"--mpi={family}", *words, *xmp, source / "xmp.c")}
    if (source / "mpi.c").exists():
        made["MPI"] = runner.compiled(f"{kernel}.mpi", mpi["wrapper"], *words, *hand, source / "mpi.c")
    if (source / "xmp.F90").exists():
        compiler = [BUILD / "bin" / "xmpf90", f"--mpi={family}", "-J", runner.PROGRAMS]
        made["Fortran"] = runner.compiled(f"{kernel}.fortran", *compiler, *words, *xmp, source / "xmp.F90")
        if "ALLOCATED" in (source / "xmp.F90").read_text():
            plain = ["gfortran", "-DALLOCATED", "-fno-inline", "-J", runner.PROGRAMS]
            made["gfortran"] = runner.compiled(f"{kernel}.gfortran", *plain, *words, source / "xmp.F90")
    if kernel not in PARALLEL_ONLY:
        made["serial"] = runner.compiled(f"{kernel}.serial", mpi["compiler"], "-Wno-unknown-pragmas", *words, source / "xmp.c")
    return made


def starts(kernel, programs, family, ranks):
    for variant, program in programs.items():
        serial = variant in SERIAL
        if serial and ranks > 1:
            continue
        one = Start(f"{kernel} {variant}", [program], family=None if serial else family, ranks=ranks, variant=variant)
        one.subject = kernel
        yield one
        if variant == "MPI":
            yield one.again()


def instructions(program, family):
    with tempfile.NamedTemporaryFile() as counts:
        command = ["valgrind", "--tool=cachegrind", "--cache-sim=no", f"--cachegrind-out-file={counts.name}", program]
        serial = program.suffix[1:] in SERIAL
        words, settings = Start("", command, family=None if serial else family, ranks=1).command()
        text = subprocess.run(words, env={**os.environ, **settings}, capture_output=True, text=True)
    line = next(line for line in text.stderr.splitlines() if "I   refs" in line or "I refs" in line)
    return int(line.split()[-1].replace(",", ""))


def instruction_table(kernels, family):
    """Instructions for each repetition."""
    variants = ("XMP", "MPI", "serial", "Fortran", "gfortran")
    ratios = (("XMP", "MPI"), ("XMP", "serial"), ("Fortran", "XMP"), ("Fortran", "gfortran"))
    lines = []
    for kernel in kernels:
        each = instructions_of(kernel, family)
        counts = [f"{each[variant]:,.0f}" if variant in each else "-" for variant in variants]
        compared = [f"{each[one] / each[over]:.3f}" if one in each and over in each else "-" for one, over in ratios]
        lines.append([kernel, *counts, *compared])
    heads = [f"instructions, {variants[0]}", *variants[1:], *(" / ".join(pair) for pair in ratios)]
    return runner.rows(["kernel", *heads], lines)


def instructions_of(kernel, family):
    """{variant: instructions of one repetition}."""
    folder = KERNELS[kernel][0]
    small = ["-UN", "-DN=20000"] if folder == "triad" else []
    first, last = (1000, 11000) if kernel in SHORTEST else (500, 1500) if folder in SHORT else (20, 60)
    few, many = (
        {variant: instructions(program, family) for variant, program in compiled(kernel, family, *small, *repeat).items()}
        for repeat in (["-UREPEAT", f"-DREPEAT={times}"] for times in (first, last))
    )
    return {variant: (many[variant] - few[variant]) / (last - first) for variant in few}


def main():
    parser = runner.parser(__doc__, launches=20, nodes=(1, 2), quick={"launches": 2, "nodes": [2]})
    parser.add_argument(
        "kernels", nargs="*", choices=[*KERNELS, []], metavar="KERNEL", help=f"default: all; {' '.join(KERNELS)}"
    )
    parser.add_argument("--instructions", action="store_true", help="count instructions with cachegrind, and measure no times")
    options = parser.parse_args()
    kernels = options.kernels or (["triad", "laplace"] if options.quick else list(KERNELS))
    with runner.Report("compare", "Kernels", options) as report:
        if options.instructions:
            report.add(instruction_table(kernels, options.family))
            return
        programs = {kernel: compiled(kernel, options.family) for kernel in kernels}
        for ranks in options.nodes:
            measurement = report.measurement(ranks)
            for kernel in kernels:
                measurement.take_turns(list(starts(kernel, programs[kernel], options.family, ranks)))
            report.table(measurement, COLUMNS, head="kernel")


if __name__ == "__main__":
    main()
