"""Messages of programs with a beginner's mistake on two nodes, golden: running/x.c or x.f90 beside the message that ends it.
Where all nodes fail alike any of them may speak.

KUMIHIMO_REGENERATE=1 writes the .expected files again; read the differences before committing them."""

import os
import pathlib
import re
import subprocess

import pytest

HERE = pathlib.Path(__file__).resolve().parent / "running"
ROOT = HERE.parents[3]
PROGRAMS = sorted([*HERE.glob("*.c"), *HERE.glob("*.f90")])
# Where only one node meets the mistake it is this one, by the language's count.
ONLY_NODE = {
    "element_of_another_node": "0",
    "missing_reflect": "1",
    "coarray_subscript": "0",
    "coarray_rows": "1",
    "missing_image": "0",
}


def message_of(errors):
    """Our message: its first line and those that are indented below."""
    found = re.search(r"^kumihimo: error: .*\n(?:  .*\n)*", errors, re.M)
    assert found, errors
    return found.group()


@pytest.mark.parametrize("source", PROGRAMS, ids=lambda path: path.stem)
def test_golden(build, tmp_path, source):
    compiler = build / "bin" / ("xmpcc" if source.suffix == ".c" else "xmpf90")
    options = re.search(r"options: (\S+)", source.read_text())
    words = [compiler, "-w", *(options.groups() if options else ()), source.name, "-o", tmp_path / "program"]
    compiled = subprocess.run(words, cwd=HERE, capture_output=True, text=True, timeout=120, check=False)
    assert (compiled.returncode, compiled.stderr) == (0, "")
    words = [ROOT / "cmake" / "mpirun-test", "openmpi", "2", tmp_path / "program"]
    done = subprocess.run(words, env={**os.environ, "KUMIHIMO_MPI": "openmpi"}, capture_output=True, text=True, timeout=120)
    assert done.returncode != 0
    message = message_of(done.stderr)
    node = re.search(r"^  on node (\d) of 2$", message, re.M).group(1)
    assert node in (ONLY_NODE.get(source.stem) or ("01" if source.suffix == ".c" else "12"))
    message = message.replace(f"  on node {node} of 2\n", "  on node N of 2\n")
    expected = source.with_suffix(".expected")
    if os.environ.get("KUMIHIMO_REGENERATE"):
        expected.write_text(message)
    assert message == expected.read_text()
