"""Images whose processes are killed while the others go on: the short form of random_kills.py."""

import os

import pytest
import random_kills


@pytest.mark.parametrize("family", ["mpich", "openmpi"])
def test_killed_images(family, build, tmp_path):
    if not (build / "lib" / family / "libkumihimo_caf.so").exists():
        pytest.skip("not in this build")
    seed = int(os.environ.get("KUMIHIMO_TEST_SEED") or 16)
    kills = 100 if os.environ.get("KUMIHIMO_TEST_LONG") else 2
    random_kills.run(build, [family], kills, seed, tmp_path)
