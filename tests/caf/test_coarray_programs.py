"""Coarray programs compare what they find with what they compute by themselves.

Each prints a line for each comparison: its name and T or F. Those of programs/ are subroutines, which one job calls in turn:
starting it takes longer than what they do."""

import os
import pathlib
import shutil

import pytest
from long_form import LONG_FORM

HERE = pathlib.Path(__file__).resolve().parent
# The first one looks at initial values before it synchronises.
NAMES = ("objects", "components", "collectives", "conversions", "sections", "teams", "words")
assert {path.stem for path in (HERE / "programs").glob("*.f90")} == set(NAMES)
# How many images, and how many of them share a machine: all, none, three.
SHARED, FAR, MIXED = {}, {"KUMIHIMO_SHM": "off"}, {"KUMIHIMO_NODES_PER_MACHINE": "3"}
LONG = [(1, SHARED), (2, SHARED), (3, FAR), (4, MIXED), (7, SHARED), (8, MIXED)]


def runs(jobs, few=2):
    """Jobs, images and machines; but in the long form one of each family."""
    if LONG_FORM:
        return [(job, *images) for job in jobs for images in LONG]
    return [(job, *images) for job, images in zip([jobs[0], jobs[-1]], [(few, FAR), (7, SHARED)])]


def compile_programs(jobs, directory, names, **options):
    """One program that calls them."""
    calls = [f"  call {name}\n  if (this_image() == 1) print *, '{name} ended', .true.\n" for name in names]
    main = directory / "main.f90"
    main.write_text(f"program main\n{''.join(calls)}end program\n")
    return jobs(main, directory, *(HERE / "programs" / f"{name}.f90" for name in names), **options)


def check(job, images, machines, ended=()):
    done = job.run(images, env={**os.environ, **machines})
    told = f"{images} images of {job.family} {machines}, exit code {done.returncode}:\n{done.stdout}\n{done.stderr}"
    assert done.returncode == 0, told
    lines = [line for line in done.stdout.splitlines() if line.strip()]
    wrong = [line for line in lines if not line.endswith(" T")]
    assert lines and not wrong, f"{wrong} of {told}"
    assert all(f"{name} ended" in done.stdout for name in ended), told


def test_programs(jobs, tmp_path):
    for job, images, machines in runs(compile_programs(jobs, tmp_path, NAMES)):
        check(job, images, machines, NAMES)


def test_images_that_fail(jobs, tmp_path):
    """Three images between machines: the others tell of one."""
    for job, images, machines in runs(jobs(HERE / "failing.f90", tmp_path), few=3):
        check(job, images, machines)


def test_accessors_of_gfortran_15(jobs, tmp_path):
    """By hand: that compiler is not here."""
    for job, images, machines in runs(jobs(HERE / "accessors.c", tmp_path)):
        check(job, images, machines)


@pytest.mark.skipif(shutil.which("gfortran-11") is None, reason="no gfortran-11 here")
def test_texts_by_gfortran_11(jobs, tmp_path):
    """It does not set the length of one of deferred length."""
    names = ("conversions",)
    check(compile_programs(jobs, tmp_path, names, compiler="gfortran-11")[0], 2, SHARED, names)
