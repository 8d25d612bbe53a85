"""Images whose processes are killed while the others go on: random_kills.py.

Only a long form so far: of 70 to 90 kills one has left the survivors waiting for each other in `form team`."""

import os

import pytest
import random_kills


@pytest.mark.parametrize("family", ["mpich", "openmpi"])
def test_killed_images(family, build, tmp_path):
    if not (build / "lib" / family / "libkumihimo_caf.so").exists():
        pytest.skip("not in this build")
    if not os.environ.get("KUMIHIMO_TEST_LONG"):
        pytest.skip("a long form: survivors of one kill in 80 wait for each other")
    seed = int(os.environ.get("KUMIHIMO_TEST_SEED") or 16)
    random_kills.run(build, [family], 100, seed, tmp_path)
