"""The engine catwalk when something goes wrong: I/O processes killed, stopped and failing at every stage, ranks killed, disks
full. All ranks are told the same in bounded time, nothing is left running, and a file that is not whole says so."""

import os
import pathlib
import shlex
import signal
import sys

import pytest
from long_form import LONG_FORM

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "faults"))
import cases
import judge
import launch
from jobs import Job, laws
from marked import kill
from waiting import wait_for

ALONE, TOGETHER, ORDERED = ("turns", "at", "-"), ("interleaved", "all", "-"), ("turns", "ordered", "-")
CATWALK = launch.Library("catwalk", "openmpi", {"KUMIHIMO_IO": "**.dat=catwalk"}, ("lib/openmpi/libkumihimo_io.so",))


class CatwalkJob(Job):
    """A job and its I/O processes, which are found by the job's directory in their environment. `rules`: the fault injector's,
    in the I/O processes (ranks make no calls on the file)."""

    def __init__(self, build, tmp_path, rules="", **settings):
        files = settings.pop("files", None)
        settings = {"KUMIHIMO_CATWALK_HOSTS": "2", "JOB_OF_TEST": str(tmp_path), **settings}
        settings["KUMIHIMO_IOD"] = str(self.agent_program(build, tmp_path, rules))
        super().__init__(CATWALK, build, tmp_path, files=files, **settings)

    @staticmethod
    def agent_program(build, tmp_path, rules):
        """The I/O process as the ranks start it: with the injector, which its starter would else take away."""
        injector, program = build / "lib" / "libkumihimo_faults.so", build / "lib" / "kumihimo-iod"
        script = tmp_path / "agent"
        environment = f"env LD_PRELOAD={shlex.quote(str(injector))} KUMIHIMO_FAULTS={shlex.quote(rules)}" if rules else ""
        script.write_text(f'#!/bin/sh\nexec {environment} {shlex.quote(str(program))} "$@"\n')
        script.chmod(0o755)
        return script

    def agents(self):
        """Process numbers, in the order of their start."""
        mine = f"JOB_OF_TEST={self.files.parent if self.files.name == 'small' else self.files}".encode()
        return sorted(process for process in processes_named("kumihimo-iod") if mine in environment_of(process))

    def end(self, seconds=60):
        code = super().end(seconds)
        wait_for(lambda: not self.agents())
        assert not self.agents(), "I/O processes outlive their job"
        return code

    def marked(self):
        """Whether the file says that it is incomplete."""
        return any(self.path.parent.glob(f".{self.path.name}.kumihimo-incomplete-*"))


def processes_named(name):
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if (entry / "comm").read_text().strip() == name:
                yield int(entry.name)
        except OSError:
            pass


def environment_of(process):
    try:
        return pathlib.Path(f"/proc/{process}/environ").read_bytes().split(b"\0")
    except OSError:
        return []


def expect_whole(job):
    """The file is what was written, and does not say anything else."""
    assert laws(job) == ""
    assert job.path.read_bytes() == judge.content(4)
    assert not job.marked()


@pytest.fixture(autouse=True)
def built(build):
    for needed in (*CATWALK.preload, "lib/kumihimo-iod"):
        assert (build / needed).exists(), f"{needed} is missing: run make build"


def few(cases, short):
    """All of them in the long form, else the first ones."""
    return cases if LONG_FORM else cases[:short]


@pytest.mark.parametrize("pattern", few([TOGETHER, ("turns", "shared", "-"), ALONE, ORDERED], 2))
def test_nothing_goes_wrong(pattern, build, tmp_path):
    job = CatwalkJob(build, tmp_path).start("write", pattern)
    assert job.end() == 0
    if pattern[1] == "shared":
        assert laws(job) == ""
    else:
        expect_whole(job)


STRUCK = [
    ("write", 1, "error=ENOSPC,times=0"),
    ("sync", 1, "error=EIO"),
    ("write", 1, "short=half"),
    ("open", 1, "error=EACCES"),
    ("truncate", 1, "error=EIO"),
]
STRUCK += [(call, k, fault) for call in ("write", "sync", "truncate") for k in (1, 2, 3) for fault in cases.FAULTS[call]]


@pytest.mark.parametrize("call, k, fault", few(STRUCK, 5))
def test_a_failing_disk(call, k, fault, build, tmp_path):
    """The k-th system call of an I/O process on the file. A retry gets over interrupted ones, and
    over those that moved little or, once, nothing."""
    job = CatwalkJob(build, tmp_path, f"path=*/case-*,call={call},k={k},{fault}").start("sized", ALONE)
    assert job.end() == 0
    reason = laws(job)
    harmless = any(word in fault for word in ("short=0", "short=1", "short=half", "short=n-1", "EINTR", "EAGAIN"))
    if harmless:
        assert reason == ""
    elif k == 1:
        assert reason, "nobody was told of the fault"


def test_a_failed_sync_is_told_until_close(build, tmp_path):
    job = CatwalkJob(build, tmp_path, "path=*/case-*,call=sync,k=1,error=EIO").start("synced_twice", ALONE)
    assert job.end() == 0
    assert laws(job)
    assert job.classes("sync") == job.classes("close") == {"MPI_ERR_IO"}
    assert job.marked()


@pytest.mark.parametrize("call", few(["write", "sync", "open", "close"], 2))
def test_a_killed_server(call, build, tmp_path):
    """The I/O process of server 0 dies in a system call on the file."""
    job = CatwalkJob(build, tmp_path, f"path=*/case-*,call={call},k=1,action=kill").start("write", ALONE)
    assert job.end(30) == 0
    assert judge.disagreement(job.results()) == ""
    told = {one[1] for result in job.results() for one in result["calls"]}
    assert told <= {"MPI_SUCCESS", "MPI_ERR_IO"}
    if call != "close":
        assert "MPI_ERR_IO" in told
    if call in ("write", "sync"):
        assert job.marked()


PAST_IT = {"KUMIHIMO_CATWALK_HOSTS": "1", "KUMIHIMO_CATWALK_DIRECT_FROM": "1"}  # ranks write to the file themselves


def test_a_rank_that_fails_past_its_process(build, tmp_path):
    full = "path=*/case-*,rank=1,call=write,k=1,error=ENOSPC,times=0"
    job = CatwalkJob(build, tmp_path, **PAST_IT).start("write", ALONE, full)
    assert job.end() == 0
    assert "MPI_ERR_NO_SPACE" in laws(job)
    assert job.classes("sync") == {"MPI_ERR_NO_SPACE"}
    assert job.marked()


def test_ranks_killed_while_they_write_past_their_process(build, tmp_path):
    job = CatwalkJob(build, tmp_path, **PAST_IT).start("write", ALONE, "path=*/case-*,rank=1,call=write,k=2,delay_ms=60000")
    assert wait_for(lambda: job.path.exists() and job.path.stat().st_size > 0, 20), job.log.read_text()
    job.launch.read()
    for rank in job.launch.processes:
        kill(rank)
    assert job.end(30) != 0
    assert job.marked()


def test_nothing_goes_wrong_past_the_process(build, tmp_path):
    job = CatwalkJob(build, tmp_path, **PAST_IT).start("write", ALONE, "path=*/case-*,call=write,k=1,short=half")
    assert job.end() == 0
    expect_whole(job)


def start_slow(build, tmp_path, **settings):
    """A job whose ranks wait for a server that takes its time: more than we need on a busy machine."""
    job = CatwalkJob(build, tmp_path, "path=*/case-*,call=write,k=1,delay_ms=6000", **settings).start("write", ALONE)
    assert wait_for(job.marked), job.log.read_text()  # the first write is about to begin
    assert wait_for(lambda: len(job.agents()) == 2)
    return job


@pytest.mark.parametrize("which", [0, 1])
def test_a_process_killed_while_ranks_wait(which, build, tmp_path):
    job = start_slow(build, tmp_path)
    os.kill(job.agents()[which], signal.SIGKILL)
    assert job.end(30) == 0
    assert judge.disagreement(job.results()) == ""
    assert job.classes("sync") == {"MPI_ERR_IO"}
    assert job.marked()


def test_a_stopped_process_is_not_waited_for_longer_than_was_said(build, tmp_path):
    job = start_slow(build, tmp_path, KUMIHIMO_TIMEOUT="4")
    stopped = job.agents()
    for agent in stopped:
        os.kill(agent, signal.SIGSTOP)
    try:
        job.launch.process.wait(timeout=40)
    finally:
        for agent in stopped:
            os.kill(agent, signal.SIGCONT)
    assert job.end(30) == 0
    assert job.classes("sync") == {"MPI_ERR_IO"}


def test_killed_ranks_leave_no_process(build, tmp_path):
    job = start_slow(build, tmp_path)
    job.launch.read()
    for rank in job.launch.processes:
        kill(rank)
    assert job.end(30) != 0
    assert job.marked()


@pytest.mark.parametrize("pattern", few([ALONE, TOGETHER], 1))
def test_a_full_file_system(pattern, build, tmp_path, small_disk):
    job = CatwalkJob(build, tmp_path, files=small_disk).start("write", pattern)
    assert job.end() == 0
    assert "MPI_ERR_NO_SPACE" in laws(job)
    assert job.marked()


def test_a_file_size_limit(build, tmp_path):
    job = CatwalkJob(build, tmp_path).start("limited", ALONE)
    assert job.end() == 0
    assert "MPI_ERR" in laws(job)
