"""Coarray programs of tests, compiled by plain gfortran -fcoarray=lib and linked with libkumihimo_caf of both MPI families."""

import subprocess

import pytest


class Job:
    """xmprun of a program of one family: what it writes, and how it ends."""

    def __init__(self, build, program):
        self.family = program.name
        self._start = [build / "bin" / "xmprun", f"--mpi={self.family}"]
        self._program = program

    def run(self, images, *arguments, **options):
        words = [*self._start, "-n", images, f"./{self._program.name}", *arguments]
        return _run(words, self._program.parent, **options)


def _run(words, cwd, **options):
    return subprocess.run(
        [str(word) for word in words], cwd=cwd, timeout=120, capture_output=True, text=True, check=False, **options
    )


@pytest.fixture(scope="session")
def jobs(build):
    """A function that compiles a source in a directory, and gives a job for each family."""
    families = sorted(path.parent.name for path in (build / "lib").glob("*/libkumihimo_caf.so"))
    if not families:
        pytest.skip("this build found no gfortran")

    def make(source, directory, compiler="gfortran"):
        words = [compiler, "-O1", "-g", "-Wall", "-fcoarray=lib", "-c", source, "-o", "program.o"]
        compiled = _run(words, directory)
        assert compiled.returncode == 0, compiled.stderr
        for family in families:
            libraries = build / "lib" / family
            link = [f"-L{libraries}", f"-Wl,-rpath,{libraries}", "-lkumihimo_caf", "-lkumihimo"]
            linked = _run([compiler, "-o", family, "program.o", *link], directory)
            assert linked.returncode == 0, linked.stderr
        return [Job(build, directory / family) for family in families]

    return make
