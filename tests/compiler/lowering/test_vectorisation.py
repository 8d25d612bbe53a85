"""Distributed loops become vector code under gcc -O3, which --opt-info confirms for each line."""

import pathlib
import re
import subprocess

import pytest
from long_form import LONG_FORM

HERE = pathlib.Path(__file__).resolve().parent


def test_loops_are_vectorised(build, tmp_path):
    source = HERE / "vectorise.c"
    wanted = {number for number, line in enumerate(source.read_text().splitlines(), 1) if "//" in line}
    assert len(wanted) == 6
    command = [build / "bin" / "xmpcc", "-O3", "-fopt-info-vec", "-c", source, "-o", tmp_path / "vectorise.o"]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True)
    found = {int(line) for line in re.findall(r"vectorise\.c:(\d+):\d+: optimized: loop vectorized", done.stderr)}
    assert found >= wanted, done.stderr


def test_arrays_of_a_matrix_product_are_told_apart(build, tmp_path):
    """gcc keeps elements of the product in registers for two iterations of the loop over k (-floop-unroll-and-jam)."""
    source = HERE.parents[2] / "bench" / "kernels" / "gemm" / "xmp.c"
    line = next(n for n, text in enumerate(source.read_text().splitlines(), 1) if "for (int k" in text)
    command = [build / "bin" / "xmpcc", "-O3", "-fopt-info-loop", "-c", source, "-o", tmp_path / "gemm.o"]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True)
    assert re.search(rf"xmp\.c:{line}:\d+: optimized: applying unroll and jam", done.stderr), done.stderr


@pytest.mark.parametrize("level", ["-O0", "-O1", "-O2", "-Os"] if LONG_FORM else ["-O1"])
def test_gcc_has_nothing_to_say_of_copies(build, tmp_path, level):
    """Of -O0 and -O3 test_programs.py knows it."""
    command = [build / "bin" / "xmpcc", level, "-Wall", "-Wextra", "-Wno-unknown-pragmas", "-Werror", "-c"]
    done = subprocess.run([str(word) for word in (*command, HERE / "programs" / "copies.c")], cwd=tmp_path, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()


def test_copies_become_memcpy(build, tmp_path):
    """A block of whole rows is one memcpy; a copy inside one array, between types or in another order stays a loop."""
    source = HERE / "programs" / "copies.c"
    command = [build / "bin" / "xmpcc", "--save-temps", "-c", source, "-o", tmp_path / "copies.o"]
    subprocess.run([str(word) for word in command], cwd=tmp_path, capture_output=True, text=True, check=True)
    calls = re.findall(r"__builtin_memcpy\((.*?)\);", (tmp_path / "copies.xmp.c").read_text())
    assert calls == [
        "&v[j_first], &u[j_first], (size_t)(j_end - j_first) * sizeof *v",
        "&v[j][0], &u[j][0], (size_t)(0 < n ? n : 0) * sizeof v[j][0]",
        "&u[j][2], &v[j][3], (size_t)((M - 1) - 2) * sizeof u[j][0]",
        "&u[j][4], &v[j][4], (size_t)(4 < none ? none - 4 : 0) * sizeof u[j][0]",
        "&u[j][6], &v[j][6], (size_t)(6 < 4 ? 4 - 6 : 0) * sizeof u[j][0]",
        "&a[j][0], &b[j][0], (size_t)M * sizeof a[j][0]",
        "&b[j][0], &a[j][0], (size_t)((M - 1) + 1) * sizeof b[j][0]",
        "&u[j][n / 2], &v[j][n / 2], (size_t)(n / 2 < n ? n - (n / 2) : 0) * sizeof u[j][0]",
        "&x[j_first], &y[j_first], (size_t)(j_end - j_first) * sizeof *x",
        "&z[3][j_first], &x[j_first], (size_t)(j_end - j_first) * sizeof z[3][0]",
        "&items[j_first], &others[j_first], (size_t)(j_end - j_first) * sizeof *items",
    ]
