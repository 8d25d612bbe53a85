"""Random programs on several hosts against their serial meaning: 1,000 of each language in the long form
(compiler/random/random_programs.py).

KUMIHIMO_TEST_PROGRAMS=N: so many for each family and language; KUMIHIMO_TEST_SEED chooses others."""

import os
import pathlib
import sys

import pytest
from long_form import LONG_FORM

RANDOM = pathlib.Path(__file__).resolve().parents[1] / "compiler" / "random" / "random_programs.py"
PROGRAMS = int(os.environ.get("KUMIHIMO_TEST_PROGRAMS") or (500 if LONG_FORM else 0))
SHAPES = [[2, 2], [2, 1, 1]]


@pytest.mark.skipif(PROGRAMS == 0, reason="takes its time (KUMIHIMO_TEST_LONG=1)")
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("language", ["c", "fortran"])
@pytest.mark.parametrize("family, ranks", zip(["openmpi", "mpich"], SHAPES))
def test_random_programs(hosts, build, tmp_path, family, ranks, language):
    if not (build / "lib" / family).exists():
        pytest.skip(f"this build has no MPI family {family}")
    seed = os.environ.get("KUMIHIMO_TEST_SEED") or "1"
    words = [
        f"--language={language}",
        f"--seed={seed}",
        f"--count={PROGRAMS}",
        f"--mpi={family}",
        f"--build={build}",
        f"--keep={tmp_path}",
    ]
    made = hosts(ranks)
    done = made.run(sys.executable, RANDOM, *words, "--options=-O0", "--nodes", sum(ranks), capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
