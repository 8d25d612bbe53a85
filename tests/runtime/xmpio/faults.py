"""Starts the tests of failing file systems beside the injector of faults, where a disk of 256 KiB and a directory that is only
read are mounted for them alone. Where mounting is not allowed, these tests say so and are skipped.
faults.py FAMILY MPIRUN-TEST PROGRAM INJECTOR"""

import os
import pathlib
import subprocess
import sys
import tempfile

family, mpirun, program, injector = sys.argv[1:5]
NODES = 3
MOUNT = """
mount -t tmpfs -o size=256k tmpfs "$0/full"
mount --bind "$0/read" "$0/read"
mount -o remount,bind,ro "$0/read"
"$@"
"""


def mounts(directory):
    """Words before a command, which then sees both; nothing where that is not allowed."""
    for options in (["--mount"], ["--mount", "--map-root-user"]):
        words = ["unshare", *options, "sh", "-ec", MOUNT, directory]
        if subprocess.run([*words, "true"], capture_output=True).returncode == 0:
            return words
    return []


with tempfile.TemporaryDirectory() as directory:
    for name in ("full", "read"):
        (pathlib.Path(directory) / name).mkdir()
    (pathlib.Path(directory) / "read" / "old").write_text("old")
    launcher = mounts(directory)
    disks = {"KUMIHIMO_TEST_DISKS": directory} if launcher else {}
    environment = {**os.environ, **disks, "GTEST_FILTER": "Faults*"}
    words = [*launcher, mpirun, family, str(NODES), "env", f"LD_PRELOAD={injector}", program]
    sys.exit(subprocess.run(words, env=environment).returncode)
