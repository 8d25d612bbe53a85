"""NAS Integer Sort and Conjugate Gradient with coarrays (bench/kernels/is, cg) against the same algorithms in hand-written MPI.

    python3 bench/coarray_kernels.py [--launches 9] [--nodes 2] [--classes W A] [--kernels is cg-get cg-put]

A/A is the hand-written program against itself. The share is that of the seconds in which image 0 communicates or waits, as in
table 3 of the paper. Every launch must pass the official verification.
"""

from developers import runner
from kumihimo import configuration
from kumihimo.bench.suite.runner import BUILD, SOURCES, Ratio, Start, Time

# name: (folder, definitions of the XMP program)
KERNELS = {"is": ("is", []), "cg-get": ("cg", []), "cg-put": ("cg", ["-DPUT"])}


class Share:
    """A column: how much of a variant's time is communication."""

    def __init__(self, variant):
        self.variant, self.head = variant, f"share of communication, {variant}"

    def cell(self, found, case):
        shares = found.ratios(self.variant, self.variant, (f"{case[0]} communication", 0), case)
        return f"{100 * sorted(shares)[len(shares) // 2]:.1f} %" if shares else "-"


COLUMNS = [
    Time("XMP", "s", ".3f"),
    Time("MPI", "s", ".3f"),
    Ratio("XMP", "MPI"),
    Ratio("MPI again", "MPI", "A/A"),
    Share("XMP"),
    Share("MPI"),
]


def starts(kernel, size, family, ranks):
    folder, extra = KERNELS[kernel]
    words = [f"-DCLASS='{size}'", f"-DNODES={ranks}", "-O3"]
    for variant, compiler in (
        ("XMP", f"{BUILD / 'bin' / 'xmpcc'} --mpi={family}"),
        ("MPI", configuration.FAMILIES[family]["c"]["wrapper"]),
    ):
        source = SOURCES / "kernels" / folder / f"{variant.lower()}.c"
        program = runner.compiled(f"{kernel}.{size}.{ranks}.{variant}", compiler, *words, *extra, source)
        subject = f"{kernel} {size}"
        one = Start(f"{subject} {variant}", [program], family=family, ranks=ranks, variant=variant, subject=subject)
        yield one
        if variant == "MPI":
            yield one.again()


def main():
    parser = runner.parser(__doc__, launches=9, quick={"launches": 2, "classes": ["W"], "kernels": ["is", "cg-put"]})
    parser.add_argument("--classes", nargs="+", default=["W", "A"], choices=["S", "W", "A"])
    parser.add_argument("--kernels", nargs="+", default=list(KERNELS), choices=KERNELS)
    options = parser.parse_args()
    with runner.Report("coarray_kernels", "NAS kernels with coarrays", options) as report:
        for ranks in options.nodes:
            measurement = report.measurement(ranks)
            for kernel in options.kernels:
                for size in options.classes:
                    measurement.take_turns(list(starts(kernel, size, options.family, ranks)))
            cases = [case for case in measurement.found().cases() if not case[0].endswith("communication")]
            report.table(measurement, COLUMNS, cases, head="kernel, class")


if __name__ == "__main__":
    main()
