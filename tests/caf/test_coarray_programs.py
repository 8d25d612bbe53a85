"""Coarray programs compare what they find with what they compute by themselves.

Each prints a line for each comparison: its name and T or F."""

import os
import pathlib

import pytest

PROGRAMS = sorted((pathlib.Path(__file__).resolve().parent / "programs").glob("*.f90"))
# How many images, and how many of them share a machine: all, none, three.
SHARED, FAR, MIXED = {}, {"KUMIHIMO_SHM": "off"}, {"KUMIHIMO_NODES_PER_MACHINE": "3"}
LONG = [(1, SHARED), (2, SHARED), (3, FAR), (4, MIXED), (7, SHARED), (8, MIXED)]
RUNS = LONG if os.environ.get("KUMIHIMO_TEST_LONG") else [(2, FAR), (7, SHARED)]


@pytest.mark.parametrize("source", PROGRAMS, ids=lambda path: path.stem)
def test_program(source, jobs, tmp_path):
    for job in jobs(source, tmp_path):
        for images, machines in RUNS:
            done = job.run(images, env={**os.environ, **machines})
            assert done.returncode == 0, f"{images} images of {job.family}: {done.stdout}\n{done.stderr}"
            lines = [line for line in done.stdout.splitlines() if line.strip()]
            wrong = [line for line in lines if not line.endswith(" T")]
            assert lines and not wrong, f"{images} images of {job.family}: {wrong}"
