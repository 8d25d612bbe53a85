"""The two laws of I/O: no lone exit, no silent loss. A sample of the sweep (KUMIHIMO_TEST_LONG=1: all of it), and the faults
that no injector makes: killed and stopped ranks, full and limited files, truncated input, a directory that goes away."""

import ctypes
import os
import pathlib
import sys

import pytest
from long_form import LONG_FORM

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "faults"))
import cases
import judge
import launch
import sweep
from jobs import Job, laws

ALL, ALONE = ("interleaved", "all", cases.EXCHANGE), ("turns", "at", "-")


@pytest.fixture(params=["ours", "ours-mpich"])
def library(request, build):
    """The file engine for each MPI family of this build."""
    library = launch.LIBRARIES[request.param]
    if not (build / "lib" / library.family).exists():
        pytest.skip(f"this build has no MPI family {library.family}")
    assert (build / library.preload[0]).exists(), f"{library.preload[0]} is missing: run make build"
    return library


# (library, ranks, cases of the sample)
HERE = [("ours", 2, 100), ("ours", 4, 100), ("ours", 7, 40), ("ours-mpich", 2, 40)]
ELSEWHERE = [("stampi", 3, 20)]


# MPICH's waiting ranks keep their processors, so it gets few ranks and few cases.
@pytest.mark.parametrize("name, ranks, sample", [*HERE, *ELSEWHERE])
@pytest.mark.timeout(36000 if LONG_FORM else 300)
def test_fail_the_kth_call(name, ranks, sample, build, tmp_path):
    if not (build / "lib" / launch.LIBRARIES[name].family).exists():
        pytest.skip(f"this build has no MPI family {launch.LIBRARIES[name].family}")
    with open(tmp_path / "log", "w") as log:
        run = sweep.sweep_of(name, build, ranks, tmp_path, limit=20, log=log)
        found = run.cases(sample=None if LONG_FORM else sample)
        wrong, reached = [], 0
        for case, verdict, reason, injected, _ in run.run(found):
            reached += injected
            if verdict != "handled":
                wrong.append(f"{verdict}: {case.line}: {reason}")
    assert not run.broken
    assert not wrong, "\n".join([f"{len(wrong)} of {len(found)} cases break a law:", *wrong[:40]])
    least = 0.3 if name.startswith("stampi") else 0.9  # of guessed cases, of those whose calls were counted
    assert reached > least * len(found) > 0, f"only {reached} of {len(found)} cases had the call that should fail"


@pytest.mark.parametrize("pattern", [ALL, ALONE])
def test_a_killed_rank_ends_the_job(library, pattern, build, tmp_path):
    """What is in the file was written by somebody: there are holes, but no garbage."""
    job = Job(library, build, tmp_path).start("write", pattern, "path=*/case-*,rank=0,call=write,k=1,action=kill")
    assert job.end() != 0
    data = job.path.read_bytes() if job.path.exists() else b""
    assert all(one in (0, other) for one, other in zip(data, judge.content(4)))


def test_a_stopped_rank_is_named(library, build, tmp_path):
    job = Job(library, build, tmp_path, KUMIHIMO_TIMEOUT="4")
    job.start("write", ALL, "path=*/case-*,rank=0,call=write,k=1,action=stop")
    assert job.end() != 0
    assert "node 0 of 4 did not come to a collective call within 4 s (KUMIHIMO_TIMEOUT)" in job.log.read_text()


def test_a_slow_rank_is_waited_for(library, build, tmp_path):
    job = Job(library, build, tmp_path, KUMIHIMO_TIMEOUT="20")
    job.start("write", ALL, "path=*/case-*,rank=0,call=write,k=1,delay_ms=3000")
    assert job.end() == 0
    assert laws(job) == ""


@pytest.mark.parametrize("pattern", [ALL, ALONE, ("turns", "iat", "-"), ("turns", "ordered", "-")])
def test_a_file_size_limit(library, pattern, build, tmp_path):
    """RLIMIT_FSIZE: the limit is reached in the middle of the file."""
    job = Job(library, build, tmp_path, ranks=2).start("limited", pattern)
    assert job.end() == 0
    assert "MPI_ERR" in laws(job)


@pytest.mark.parametrize("pattern", [ALL, ALONE, ("turns", "iat_all", "-"), ("turns", "shared", "-")])
def test_a_full_file_system(library, pattern, build, tmp_path, small_disk):
    job = Job(library, build, tmp_path, files=small_disk).start("write", pattern)
    assert job.end() == 0
    assert "MPI_ERR_NO_SPACE" in laws(job)


# A disk that fails once: what it could not take may be gone, though the next call succeeds.
@pytest.mark.parametrize("machines", ["one", "two"])
@pytest.mark.parametrize(
    "pattern, fault", [(ALL, "sync,k=1,error=EIO"), (("interleaved", "all", "-"), "write,k=1,error=ENOSPC")]
)
def test_what_a_sync_lost_is_told_until_close(library, machines, pattern, fault, build, tmp_path):
    job = Job(library, build, tmp_path, **({"KUMIHIMO_NODES_PER_MACHINE": "2"} if machines == "two" else {}))
    job.start("synced_twice", pattern, f"path=*/case-*,rank=0,call={fault}")
    assert job.end() == 0
    assert laws(job)
    error = "MPI_ERR_NO_SPACE" if "ENOSPC" in fault else "MPI_ERR_IO"
    assert job.classes("sync") == job.classes("close") == {error}


def bytes_before(end, pattern, rank, call, ranks):
    """How many bytes of a call lie before the end of a file."""
    return sum(max(0, min(length, end - at)) for at, length in judge.pieces(pattern[0], rank, call, ranks))


def check_truncated(job, pattern, end):
    """What lies before the end is read, and told as so many bytes."""
    job.path.write_bytes(judge.content(4)[:end])
    job.start("read", pattern)
    assert job.end() == 0
    assert job.classes(pattern[1]) == {"MPI_SUCCESS"}
    for rank, result in enumerate(job.results()):
        for call, (_, _, count, wrong) in enumerate(judge.transfers(result)):
            assert (count, wrong) == (bytes_before(end, pattern, rank, call, 4), 0), f"call {call} of rank {rank}"


@pytest.mark.parametrize("end", [0, 1, 100_000, 262_143])
@pytest.mark.parametrize(
    "pattern", [ALL, ALONE, ("interleaved", "one", "-"), ("interleaved", "iat_all", "-"), ("turns", "split", "-")]
)
def test_truncated_input(library, pattern, end, build, tmp_path):
    check_truncated(Job(library, build, tmp_path), pattern, end)


def far_job(build, tmp_path, **options):
    """A job whose files are served as those of another machine are."""
    iod = str(build / "lib" / "kumihimo-iod")
    settings = {"KUMIHIMO_IOD": iod, "KUMIHIMO_STAMPI_COMMAND": f"{iod} --stdio"}
    return Job(launch.LIBRARIES["stampi"], build, tmp_path, host="stampi://elsewhere", **settings, **options)


@pytest.mark.parametrize("pattern", [ALL, ("turns", "iat_all", "-"), ("turns", "shared", "-")])
def test_a_full_file_system_of_another_machine(pattern, build, tmp_path, small_disk):
    job = far_job(build, tmp_path, files=small_disk).start("write", pattern)
    assert job.end() == 0
    assert "MPI_ERR_NO_SPACE" in laws(job)


@pytest.mark.parametrize("pattern", [ALL, ALONE])
def test_truncated_input_of_another_machine(pattern, build, tmp_path):
    check_truncated(far_job(build, tmp_path), pattern, 100_000)


@pytest.fixture
def semaphore_of_null():
    """As a process leaves it that was killed while Open MPI 4.1 opened /dev/null: taken, for everybody on this machine."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.sem_open.restype = ctypes.c_void_p
    if libc.sem_open(b"/OMPIO_null", os.O_CREAT | os.O_EXCL, 0o644, 0) is None:
        pytest.skip(f"/OMPIO_null cannot be made: {os.strerror(ctypes.get_errno())}")
    yield
    libc.sem_unlink(b"/OMPIO_null")


def test_what_a_killed_process_left_of_open_mpi_stops_nobody(build, tmp_path, semaphore_of_null):
    job = Job(launch.LIBRARIES["ours"], build, tmp_path).start("write", ALONE)
    assert job.end(40) == 0
    assert laws(job) == ""


def test_a_directory_removed_while_open(library, build, tmp_path):
    """The file lives on without a name, as in POSIX, or everybody is told that it is gone."""
    job = Job(library, build, tmp_path).start("removed", ALL)
    assert job.end() == 0
    assert judge.disagreement(job.results()) == ""
    assert len(job.classes("all")) == 1


def test_a_directory_that_is_not_there(library, build, tmp_path):
    job = Job(library, build, tmp_path, files=tmp_path / "nowhere").start("write", ALL)
    assert job.end() == 0
    assert job.classes("open") == {"MPI_ERR_NO_SUCH_FILE"}
