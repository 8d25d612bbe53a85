"""The gallery (examples/README.md): every example is in it, with as many lines as it says, and every command works in a copy of
the directory."""

import os
import re
import shutil
import subprocess

import numpy as np
import pytest
from conftest import EXAMPLES, run
from PIL import Image

ROW = re.compile(r"^\| \[(?P<name>\w+)\]\((?P<source>\S+)\) \| .+ \| (?P<lines>\d+) \| `(?P<command>.+)` \|$", re.M)
ROWS = [match.groupdict() for match in ROW.finditer((EXAMPLES / "README.md").read_text())]
TEXTS = {".c", ".h", ".f90", ".cpp"}


def searched(build):
    """The environment in which a reader has put Kumihimo's commands into PATH."""
    return {**os.environ, "PATH": f"{build / 'bin'}:{os.environ['PATH']}"}


def test_every_example_is_in_the_gallery():
    directories = {path.name for path in EXAMPLES.iterdir() if path.is_dir() and any(path.iterdir())}
    assert {row["name"] for row in ROWS} == directories - {"tsunami"}  # it has a section of its own


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["source"])
def test_lines(row):
    """A program in one file: its lines; one in several: those of all of them."""
    source = EXAMPLES / row["source"]
    several = "make" in row["command"]
    files = [path for path in source.parent.iterdir() if path.suffix in TEXTS or path.name in ("Makefile", "CMakeLists.txt")]
    assert int(row["lines"]) == sum(len(path.read_text().splitlines()) for path in (files if several else [source]))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["source"])
def test_command(row, build, tmp_path):
    if row["name"] in ("heat2d", "netcdf") and not (build / "lib" / "openmpi" / "libkumihimo_nc.so").exists():
        pytest.skip("xmpnc is missing in this build: no PnetCDF for Open MPI")
    shutil.copytree(EXAMPLES / row["name"], tmp_path / row["name"])
    command = row["command"].replace(" laplace.c", " -DN=32 laplace.c")  # thousands of iterations less
    source = tmp_path / row["source"]
    fewer = source.read_text().replace("n = 256", "n = 32").replace("STEPS 2000", "STEPS 20")  # laplace.f90, coarray_halo.c
    source.write_text(fewer)
    words = ["bash", "-ec", command]
    done = subprocess.run(
        words, cwd=tmp_path / row["name"], env=searched(build), capture_output=True, text=True, timeout=240, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.strip()


def test_cmake_builds_cpp_main(build, tmp_path):
    shutil.copytree(EXAMPLES / "cpp_main", tmp_path / "cpp_main")
    compilers = [f"-DCMAKE_{language}_COMPILER={build / 'bin' / 'xmpcc'}" for language in ("C", "CXX")]
    run("cmake", "-S", tmp_path / "cpp_main", "-B", tmp_path / "build", *compilers)
    run("cmake", "--build", tmp_path / "build")
    assert "bell: integral 1.772453851" in run(build / "bin" / "xmprun", "-n", 2, tmp_path / "build" / "tables")


def test_pictures_are_current(build, tmp_path):
    images = EXAMPLES.parent / "docs" / "images"
    subprocess.run(
        [os.sys.executable, images / "examples.py", tmp_path], env=searched(build), check=True, timeout=240, capture_output=True
    )
    drawn = sorted(path.name for path in tmp_path.iterdir())
    assert drawn == sorted(path.name for path in images.glob("example-*.png"))
    for name in drawn:
        now, shown = (np.asarray(Image.open(path / name).convert("RGB"), int) for path in (tmp_path, images))
        assert now.shape == shown.shape and np.abs(now - shown).mean() < 1, name
