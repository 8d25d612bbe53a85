"""The old code of the tests (tests/compiler/fortran/coast.f, 1,851 lines, 20 directives) against hand-written MPI.

    python3 bench/old_code.py [--launches 9] [--nodes 1 2] [--steps 1200]

The hand-written version is the same source with its program, STEP and SURVEY replaced by those of bench/kernels/coast/mpi.f.
Both compute the same: the check sums that they print are compared. (With -O3 gfortran takes other functions of mathematics in
loops that it vectorises, and results drift apart.) A/A is the hand-written version against itself. The time is that of all
steps, without the start of the program.
"""

import json
import re
from pathlib import Path

from developers import runner
from kumihimo import configuration
from kumihimo.bench.suite import launch
from kumihimo.bench.suite.runner import BUILD, PROGRAMS, SOURCES, Ratio, Start, Time

COAST = SOURCES.parent / "tests" / "compiler" / "fortran"
HAND = SOURCES / "kernels" / "coast"
COLUMNS = [
    Time("XMP", "s", ".3f"),
    Time("MPI", "s", ".3f"),
    Ratio("XMP", "MPI"),
    Ratio("MPI again", "MPI", "A/A"),
    Ratio("XMP", "serial"),
]
BEGIN = "C     REPORT, THEN ONE STEP, AND AGAIN\n"
END = "   50 CONTINUE\n      END\n"


class Timed(Start):
    """What TIMER prints becomes a record."""

    def run(self, path, limit, *more):
        super().run(path, limit, *more, records=False)
        text = Path(path).read_text()
        seconds = [float(number) for number in re.findall(r"SECONDS: *([0-9.]+)", text)]
        check = re.findall(r"CHECK SUM *(-?\d+)", text)
        if not seconds or not check:
            raise launch.Failed("the program did not come to its end")
        cell = {"kind": "cell", "operation": "", "bytes": 0, "slowest_us": [1e6 * max(seconds)]}
        lines = ({"kind": "check", "value": int(check[-1])}, cell, {"kind": "end"})
        Path(path).write_text("".join(f"{json.dumps(line)}\n" for line in lines))


def sources(steps):
    """(the code with its directives, the one for MPI), each with a timer."""
    text = (COAST / "coast.f").read_text()
    text = _replaced(text, "RUN             60.0", f"RUN {steps:14}.0")
    timer = (HAND / "timer.f").read_text()
    first, behind = text.index("      PROGRAM COAST\n"), text.index("      BLOCK DATA CONSTS\n")
    hand = text[:first] + (HAND / "mpi.f").read_text() + text[behind:] + timer
    timed = _replaced(_replaced(text, BEGIN, BEGIN + "      CALL TIMER(0)\n"), END, "   50 CALL TIMER(1)\n      END\n")
    return timed + timer, hand


def _replaced(text, old, new):
    if text.count(old) != 1:
        raise SystemExit(f"coast.f no longer has this text once: {old!r}")
    return text.replace(old, new)


def compiled(family, steps):
    wrapper = configuration.FAMILIES[family]["fortran"]["wrapper"]
    made = {}
    for variant, text in zip(("XMP", "MPI"), sources(steps)):
        source = PROGRAMS / f"coast_{variant.lower()}.f"
        source.parent.mkdir(parents=True, exist_ok=True)
        source.write_text(text)
        options = ["-O2", "-std=legacy", "-w", f"-I{COAST}", source]
        compiler = [BUILD / "bin" / "xmpf90", f"--mpi={family}"] if variant == "XMP" else [wrapper]
        made[variant] = runner.compiled(f"coast.{variant.lower()}", *compiler, *options)
        if variant == "XMP":
            made["serial"] = runner.compiled("coast.serial", configuration.FAMILIES[family]["fortran"]["compiler"], *options)
    return made


def starts(programs, family, ranks):
    for variant, program in programs.items():
        serial = variant == "serial"
        if serial and ranks > 1:
            continue
        one = Timed(f"coast {variant}", [program], family=None if serial else family, ranks=ranks, variant=variant)
        one.subject = "coast"
        yield one
        if variant == "MPI":
            yield one.again()


def main():
    parser = runner.parser(__doc__, launches=9, nodes=(1, 2), quick={"launches": 2, "steps": 120})
    parser.add_argument("--steps", type=int, default=1200, help="time steps of the sea")
    options = parser.parse_args()
    with runner.Report("old_code", "An old code", options) as report:
        programs = compiled(options.family, options.steps)
        for ranks in options.nodes:
            measurement = report.measurement(ranks)
            measurement.take_turns(list(starts(programs, options.family, ranks)))
            report.table(measurement, COLUMNS)


if __name__ == "__main__":
    main()
