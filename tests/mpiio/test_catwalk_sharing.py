"""One I/O process serves all files of a node whose ranks know it (docs/explanation/catwalk.md, "Limits")."""

import array
import pathlib
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "faults"))
import launch
from waiting import wait_for

HERE = pathlib.Path(__file__).parent / "callers"
CATWALK = launch.Library("catwalk", "openmpi", {"KUMIHIMO_IO": "**=catwalk"}, ("lib/openmpi/libkumihimo_io.so",))


def io_processes(mark):
    """Those that a job with this mark in its environment has started."""
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if (process / "comm").read_text().strip() == "kumihimo-iod" and mark in (process / "environ").read_bytes():
                found.append(process.name)
        except OSError:  # it has ended meanwhile
            pass
    return found


@pytest.mark.parametrize("before, processes", [("all", 1), ("none", 2)])
def test_halves_of_a_node(before, processes, build, tmp_path):
    program = tmp_path / "halves"
    subprocess.run(["mpicc.openmpi", HERE / "halves.c", "-o", program], check=True)
    files = tmp_path / "files"
    files.mkdir()
    mark = f"JOB_OF_TEST={tmp_path}"
    settings = {"JOB_OF_TEST": str(tmp_path), "KUMIHIMO_IOD": str(build / "lib" / "kumihimo-iod")}
    words = launch.command(CATWALK, build, 4, program, before, files, injector=False)
    job = subprocess.Popen(words, env={**launch.environment(CATWALK), **settings})
    try:
        assert wait_for((files / "open").exists)
        assert len(io_processes(mark.encode())) == processes
    finally:
        (files / "go").touch()
        assert job.wait(timeout=60) == 0
    numbers = [array.array("i", (files / name).read_bytes()).tolist() for name in ("low", "high")]
    assert numbers == [[0, 1], [2, 3]]
    assert wait_for(lambda: not io_processes(mark.encode()))
