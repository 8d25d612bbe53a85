"""Coarray programs, compiled by plain gfortran -fcoarray=lib and linked with libkumihimo_caf, on both MPI families.

A program compares what it finds with what it computes by itself and prints a line for each comparison: its name and T or F."""

import os
import pathlib
import subprocess

import pytest

PROGRAMS = sorted((pathlib.Path(__file__).resolve().parent / "programs").glob("*.f90"))
IMAGES = (1, 2, 3, 4, 7, 8) if os.environ.get("KUMIHIMO_TEST_LONG") else (2, 7)


def run(*words, cwd):
    done = subprocess.run([str(word) for word in words], cwd=cwd, timeout=120, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{words}: exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def families(build):
    found = sorted(path.parent.name for path in (build / "lib").glob("*/libkumihimo_caf.so"))
    if not found:
        pytest.skip("this build found no gfortran")
    return found


@pytest.mark.parametrize("source", PROGRAMS, ids=lambda path: path.stem)
def test_program(source, build, families, tmp_path):
    run("gfortran", "-O1", "-g", "-Wall", "-fcoarray=lib", "-c", source, "-o", "program.o", cwd=tmp_path)
    for family in families:
        libraries = build / "lib" / family
        link = [f"-L{libraries}", f"-Wl,-rpath,{libraries}", "-lkumihimo_caf", "-lkumihimo"]
        run("gfortran", "-o", family, "program.o", *link, cwd=tmp_path)
        for images in IMAGES:
            told = run(build / "bin" / "xmprun", f"--mpi={family}", "-n", images, f"./{family}", cwd=tmp_path)
            lines = [line for line in told.splitlines() if line.strip()]
            wrong = [line for line in lines if not line.endswith(" T")]
            assert lines and not wrong, f"{images} images of {family}: {wrong}"
