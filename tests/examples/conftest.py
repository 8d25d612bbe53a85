"""Compiles and runs the examples."""

import os
import pathlib
import subprocess

import pytest
from long_form import LONG_FORM

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
HERE = pathlib.Path(__file__).resolve().parent
YIELDING_WAIT = HERE.parent / "yielding_wait.c"  # MPICH's programs on more nodes than processors
# Of the small examples, {MPI family: numbers of nodes}. What they compute does not depend on the family.
RUNS = {"openmpi": [2, 7], "mpich": [1, 3]} if LONG_FORM else {"openmpi": [7], "mpich": [2]}


def run(*command, cwd=None, timeout=240, expect=0):
    """The output of a program that ends as expected."""
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=cwd, timeout=timeout, capture_output=True, text=True, check=False)
    assert done.returncode == expect, f"{' '.join(words)}: exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture
def elsewhere(build, monkeypatch):
    """What puts another machine before a path: this one, behind a connection without ssh."""
    monkeypatch.setenv("KUMIHIMO_STAMPI_COMMAND", f"{build / 'lib' / 'kumihimo-iod'} --stdio")
    return lambda path: f"stampi://elsewhere{path}"


@pytest.fixture(scope="session")
def families(build):
    """MPI families of this build."""
    return sorted(path.name for path in (build / "lib").iterdir() if (path / "libkumihimo.so").exists())


@pytest.fixture(scope="session")
def topography(build):
    path = pathlib.Path(os.environ.get("KUMIHIMO_DATA") or EXAMPLES.parent / "build" / "data") / "etopo5.cdf"
    if not path.exists():
        pytest.fail(f"{path} is missing: run tools/setup data")
    return path
