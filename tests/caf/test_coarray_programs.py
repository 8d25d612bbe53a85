"""Coarray programs compare what they find with what they compute by themselves.

Each prints a line for each comparison: its name and T or F."""

import os
import pathlib

import pytest

PROGRAMS = sorted((pathlib.Path(__file__).resolve().parent / "programs").glob("*.f90"))
IMAGES = (1, 2, 3, 4, 7, 8) if os.environ.get("KUMIHIMO_TEST_LONG") else (2, 7)


@pytest.mark.parametrize("source", PROGRAMS, ids=lambda path: path.stem)
def test_program(source, jobs, tmp_path):
    for job in jobs(source, tmp_path):
        for images in IMAGES:
            done = job.run(images)
            assert done.returncode == 0, f"{images} images of {job.family}: {done.stdout}\n{done.stderr}"
            lines = [line for line in done.stdout.splitlines() if line.strip()]
            wrong = [line for line in lines if not line.endswith(" T")]
            assert lines and not wrong, f"{images} images of {job.family}: {wrong}"
