"""Compiles the same cases by xmpcc and, without directives, by gcc; runs both and compares what they print. Fortran: by xmpf90
and gfortran."""

import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import fortran_programs  # noqa: E402
from named_cases import differences, on_nodes  # noqa: E402
from programs import Case, program  # noqa: E402

ENVIRONMENT = {"KUMIHIMO_TIMEOUT": "200", **os.environ}  # nodes that wait for each other say where
# -fsanitize=undefined as a whole takes three times as long to compile.
SANITIZED = ("-fsanitize=address,signed-integer-overflow,bounds,shift", "-fsanitize-undefined-trap-on-error")
ROOT = pathlib.Path(__file__).resolve().parents[3]


class Trial:
    """Some cases as one program in a directory of its own, on one MPI family."""

    def __init__(self, build, directory, seed, numbers, options=(), family="openmpi"):
        self.build, self.directory, self.options, self.family = build, pathlib.Path(directory), options, family
        self.cases = self.cases_of(seed, numbers)
        self.directory.mkdir(parents=True, exist_ok=True)

    def cases_of(self, seed, numbers):
        return [Case(seed, number) for number in numbers]

    def parallel(self):
        return program(self.cases, parallel=True)

    def compile(self):
        (self.directory / "parallel.c").write_text(self.parallel())
        (self.directory / "serial.c").write_text(program(self.cases, parallel=False))
        # Signed integers must not overflow, and nothing may be read beyond an array: then the serial meaning is one.
        output_of(["gcc", "-w", *SANITIZED, "-o", "serial", "serial.c"], self.directory)
        self.expected = output_of([self.directory / "serial"], self.directory)
        xmpcc = [self.build / "bin" / "xmpcc", f"--mpi={self.family}", *self.options]
        output_of([*xmpcc, "-o", "parallel", "parallel.c"], self.directory)

    def run(self, nodes):
        """The differences from the serial program. Each node writes a file of lines, when it likes; so lines are sorted."""
        output_of([ROOT / "cmake" / "mpirun-test", self.family, nodes, self.directory / "parallel"], self.directory)
        lines = [line for node in range(nodes) for line in (self.directory / f"lines.{node}").read_text().splitlines()]
        return differences(sorted(self.expected), sorted(lines), on_nodes(nodes))


class FortranTrial(Trial):
    """The parallel program in one of the two forms; the serial one is free."""

    def __init__(self, *given, form="free", **options):
        super().__init__(*given, **options)
        self.form = form

    def cases_of(self, seed, numbers):
        return [fortran_programs.Case(seed, number) for number in numbers]

    def parallel(self):
        return fortran_programs.program(self.cases, True, self.form)

    def compile(self):
        name = f"parallel.{'f90' if self.form == 'free' else 'f'}"
        (self.directory / name).write_text(self.parallel())
        (self.directory / "serial.f90").write_text(fortran_programs.program(self.cases, False))
        output_of(["gfortran", "-w", "-fwrapv", "-fcheck=bounds", "-o", "serial", "serial.f90"], self.directory)
        self.expected = output_of([self.directory / "serial"], self.directory)
        xmpf90 = [self.build / "bin" / "xmpf90", f"--mpi={self.family}", "-w", "-fwrapv", *self.options]
        output_of([*xmpf90, "-o", "parallel", name], self.directory)


def differences_of(trial_of, numbers, nodes):
    """What is wrong with the cases of these numbers on each of some numbers of nodes. Where a program of many cases ends by an
    error, each half of it runs, and so on, to say which cases it was."""
    trial = trial_of(numbers)
    try:
        trial.compile()
        return [line for count in nodes for line in trial.run(count)]
    except Failure as failure:
        if len(numbers) == 1:
            return [f"case {numbers[0]} alone: {failure}"]
        middle = len(numbers) // 2
        halves = [line for half in (numbers[:middle], numbers[middle:]) for line in differences_of(trial_of, half, nodes)]
        return halves or [f"only cases {numbers[0]} to {numbers[-1]} together: {failure}"]


def output_of(command, directory):
    words = [str(word) for word in command]
    try:
        done = subprocess.run(words, cwd=directory, env=ENVIRONMENT, capture_output=True, text=True, timeout=600, check=False)
    except subprocess.TimeoutExpired:
        raise Failure(f"{' '.join(words)}: more than 600 s") from None
    if done.returncode != 0:
        raise Failure(f"{' '.join(words)}: exit code {done.returncode}\n{done.stderr[:4000]}")
    return done.stdout.splitlines()


class Failure(Exception):
    """A program that could not be compiled, or that ended by an error."""


def seed_of_this_run():
    """One seed, so that a change fails for what it changed; KUMIHIMO_TEST_SEED chooses another."""
    return os.environ.get("KUMIHIMO_TEST_SEED") or "1"
