"""Coarray programs of tests, compiled by plain gfortran -fcoarray=lib and linked with libkumihimo_caf of both MPI families."""

import subprocess

import pytest


class Job:
    """xmprun of a program of one family: what it writes, and how it ends."""

    def __init__(self, build, program):
        self.family = program.name
        self._start = [build / "bin" / "xmprun", f"--mpi={self.family}"]
        self._program = program

    def run(self, images, *arguments, start=(), **options):
        words = [*self._start, *start, "-n", images, f"./{self._program.name}", *arguments]
        return _run(words, self._program.parent, **options)


def _run(words, cwd, **options):
    words = [str(word) for word in words]
    try:
        return subprocess.run(words, cwd=cwd, timeout=120, capture_output=True, text=True, check=False, **options)
    except subprocess.TimeoutExpired as late:
        written = [(stream or b"").decode(errors="replace") for stream in (late.stdout, late.stderr)]
        return subprocess.CompletedProcess(words, f"none, it was ended after {late.timeout} seconds", *written)


@pytest.fixture(scope="session")
def jobs(build):
    """A function that compiles a source, others, and the one in C beside it in a directory, and gives a job for each family."""
    families = sorted(path.parent.name for path in (build / "lib").glob("*/libkumihimo_caf.so"))
    if not families:
        pytest.skip("this build found no gfortran")

    def must(words, directory):
        done = _run(words, directory)
        assert done.returncode == 0, done.stderr

    def make(source, directory, *others, compiler="gfortran"):
        coarrays = [] if source.suffix == ".c" else ["-fcoarray=lib"]
        compiled = []
        for one in (*others, source):
            compiled.append(f"{one.stem}.o")
            must([compiler, "-O1", "-g", "-Wall", *coarrays, "-c", one, "-o", compiled[-1]], directory)
        in_c = source.with_suffix(".c") if coarrays else directory / "none.c"
        for family in families:
            objects = list(compiled)
            if in_c.exists():
                objects.append(f"{family}.o")
                must([f"mpicc.{family}", "-O1", "-c", in_c, "-o", objects[-1]], directory)
            libraries = build / "lib" / family
            link = [f"-L{libraries}", f"-Wl,-rpath,{libraries}", "-lkumihimo_caf", "-lkumihimo"]
            if in_c.exists():
                link.append("-lmpi" if family == "openmpi" else "-lmpich")
            must([compiler, "-o", family, *objects, *link], directory)
        return [Job(build, directory / family) for family in families]

    return make
