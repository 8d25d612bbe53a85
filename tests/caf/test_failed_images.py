"""Images whose processes are killed while the others go on: random_kills.py. The long form is for more of them."""

import os

import pytest
import random_kills
from long_form import LONG_FORM


@pytest.mark.parametrize("family", ["mpich", "openmpi"])
def test_killed_images(family, build, tmp_path):
    if not (build / "lib" / family / "libkumihimo_caf.so").exists():
        pytest.skip("not in this build")
    seed = int(os.environ.get("KUMIHIMO_TEST_SEED") or 16)
    if LONG_FORM:
        random_kills.run(build, [family], 100, seed, tmp_path)
    else:
        random_kills.run(build, [family], 4, seed, tmp_path, seconds=1)
