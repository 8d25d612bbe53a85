"""Distributed loops with pragmas of OpenMP and gcc, against the same loops compiled by plain gcc."""

import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from named_cases import assert_same_cases, on_nodes  # noqa: E402
from pragma_matrix import program  # noqa: E402


def output_of(*command, directory):
    done = subprocess.run(
        [str(word) for word in command], cwd=directory, capture_output=True, text=True, timeout=200, check=False
    )
    assert done.returncode == 0, f"{command}: exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
    assert done.stderr == "", "neither gcc nor a node has anything to say"
    return done.stdout.splitlines()


@pytest.fixture(scope="module")
def compiled(build, tmp_path_factory):
    directory = tmp_path_factory.mktemp("pragmas")
    (directory / "pragmas.c").write_text(program())
    output_of("gcc", "-w", "-o", "serial", "pragmas.c", directory=directory)
    xmpcc = (build / "bin" / "xmpcc", "-O0", "-fopenmp", "-Wall", "-Wextra")
    output_of(*xmpcc, "-o", "parallel", "pragmas.c", directory=directory)
    return directory, output_of("./serial", directory=directory)


@pytest.mark.parametrize("nodes", [2, 7])
def test_every_loop_with_every_pragma(compiled, nodes, monkeypatch):
    directory, expected = compiled
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    monkeypatch.setenv("OMP_WAIT_POLICY", "passive")  # there are more threads than cores
    parallel = output_of(ROOT / "cmake" / "mpirun-test", "openmpi", nodes, "./parallel", directory=directory)
    assert_same_cases(expected, parallel, on_nodes(nodes))
