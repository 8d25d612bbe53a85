"""What the tests of full disks share."""

import shutil
import subprocess

import pytest


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 128 KiB."""
    place = tmp_path / "small"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", str(place)]
    if not shutil.which("mount") or subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("mounting a small file system needs privileges that this process lacks")
    yield place
    subprocess.run(["umount", str(place)], check=True)
