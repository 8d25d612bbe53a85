"""Coarray programs compare what they find with what they compute by themselves.

Each prints a line for each comparison: its name and T or F."""

import os
import pathlib
import shutil

import pytest

PROGRAMS = sorted((pathlib.Path(__file__).resolve().parent / "programs").glob("*.f90"))
# How many images, and how many of them share a machine: all, none, three.
SHARED, FAR, MIXED = {}, {"KUMIHIMO_SHM": "off"}, {"KUMIHIMO_NODES_PER_MACHINE": "3"}
LONG = [(1, SHARED), (2, SHARED), (3, FAR), (4, MIXED), (7, SHARED), (8, MIXED)]
THREE = {"failing"}  # where the others tell of an image


def runs(program):
    if os.environ.get("KUMIHIMO_TEST_LONG"):
        return LONG
    return [(3 if program in THREE else 2, FAR), (7, SHARED)]


def check(job, images, machines):
    done = job.run(images, env={**os.environ, **machines})
    told = f"{images} images of {job.family} {machines}, exit code {done.returncode}:\n{done.stdout}\n{done.stderr}"
    assert done.returncode == 0, told
    lines = [line for line in done.stdout.splitlines() if line.strip()]
    wrong = [line for line in lines if not line.endswith(" T")]
    assert lines and not wrong, f"{wrong} of {told}"


@pytest.mark.parametrize("source", PROGRAMS, ids=lambda path: path.stem)
def test_program(source, jobs, tmp_path):
    for job in jobs(source, tmp_path):
        for images, machines in runs(source.stem):
            check(job, images, machines)


def test_accessors_of_gfortran_15(jobs, tmp_path):
    """By hand: that compiler is not here."""
    source = PROGRAMS[0].parents[1] / "accessors.c"
    for job in jobs(source, tmp_path):
        for images, machines in runs("accessors"):
            check(job, images, machines)


@pytest.mark.skipif(shutil.which("gfortran-11") is None, reason="no gfortran-11 here")
def test_texts_by_gfortran_11(jobs, tmp_path):
    """It does not set the length of one of deferred length."""
    check(jobs(PROGRAMS[0].with_name("conversions.f90"), tmp_path, compiler="gfortran-11")[0], 2, SHARED)
