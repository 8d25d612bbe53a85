"""The NAS kernels MG, FT and BT in XMP/Fortran (bench/kernels/mg, ft, bt) against NPB's own MPI versions.

    python3 bench/nas_fortran.py --npb DIRECTORY [--launches 9] [--nodes 1 2] [--classes W A] [--kernels mg ft bt]

DIRECTORY has the programs of NPB3-MPI by their own names, such as mg.A.2, built with the same MPI family and -O3. Those that
it lacks are left out: BT needs a square number of ranks. A/A is NPB's program against itself. Every launch, of either, must
pass the official verification. NPB tells its time in hundredths of a second.
"""

import json
import re
from pathlib import Path

from developers import runner
from kumihimo.bench.suite import launch
from kumihimo.bench.suite.runner import BUILD, PROGRAMS, SOURCES, Ratio, Start, Time

KERNELS = ("mg", "ft", "bt")
COLUMNS = [Time("XMP", "s", ".3f"), Time("NPB", "s", ".3f"), Ratio("XMP", "NPB"), Ratio("NPB again", "NPB", "A/A")]


class Published(Start):
    """A program of NPB: what it prints becomes records."""

    def run(self, path, limit, *more):
        super().run(path, limit, *more, records=False)
        text = Path(path).read_text()
        seconds = re.search(r"Time in seconds *= *([0-9.]+)", text)
        if seconds is None or not re.search(r"Verification *= *SUCCESSFUL", text):
            raise launch.Failed("not verified")
        cell = {"kind": "cell", "operation": "", "bytes": 0, "slowest_us": [1e6 * float(seconds[1])]}
        Path(path).write_text("".join(f"{json.dumps(line)}\n" for line in (cell, {"kind": "end"})))


def compiled(kernel, family):
    source = SOURCES / "kernels" / kernel / "xmp.f90"
    compiler = BUILD / "bin" / "xmpf90"
    return runner.compiled(f"{kernel}.fortran", compiler, f"--mpi={family}", "-O3", "-J", PROGRAMS, source)


def starts(kernel, program, size, options, ranks):
    published = Path(options.npb) / f"{kernel}.{size}.{ranks}"
    if not published.exists():
        return
    about = {"family": options.family, "ranks": ranks, "subject": f"{kernel} {size}"}
    yield Start(f"{kernel} {size} XMP", [program, size], variant="XMP", **about)
    peer = Published(f"{kernel} {size} NPB", [published], variant="NPB", **about)
    yield from (peer, peer.again())


def main():
    parser = runner.parser(__doc__, launches=9, nodes=(1, 2), quick={"launches": 2, "classes": ["W"]})
    parser.add_argument("--npb", required=True, metavar="DIRECTORY", help="where the programs of NPB3-MPI are")
    parser.add_argument("--classes", nargs="+", default=["W", "A"], choices=["S", "W", "A"])
    parser.add_argument("--kernels", nargs="+", default=list(KERNELS), choices=KERNELS)
    options = parser.parse_args()
    with runner.Report("nas_fortran", "NAS kernels in Fortran", options) as report:
        programs = {kernel: compiled(kernel, options.family) for kernel in options.kernels}
        for ranks in options.nodes:
            measurement = report.measurement(ranks)
            for kernel, program in programs.items():
                for size in options.classes:
                    if turns := list(starts(kernel, program, size, options, ranks)):
                        measurement.take_turns(turns)
            report.table(measurement, COLUMNS, head="kernel, class")


if __name__ == "__main__":
    main()
