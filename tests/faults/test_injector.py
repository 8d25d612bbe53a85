"""The fault injector itself: what a program sees of each fault, and that the judge of the sweeps can say no."""

import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import cases
import judge
import launch

PROGRAM = """
import os, sys
file = os.open(sys.argv[1], os.O_CREAT | os.O_RDWR)
def attempt(function, *arguments):
    try:
        return function(*arguments)
    except OSError as error:
        return error.strerror
told = []
for call in sys.argv[2:]:
    if call == "write": told.append(attempt(os.pwrite, file, b"abcdefgh", 0))
    if call == "writev": told.append(attempt(os.pwritev, file, [b"abc", b"defgh"], 0))
    if call == "read": told.append(len(attempt(os.pread, file, 8, 0)))
    if call == "fsync": told.append(attempt(os.fsync, file))
    if call == "ftruncate": told.append(attempt(os.ftruncate, file, 4))
    if call == "fallocate": told.append(attempt(os.posix_fallocate, file, 0, 4))
    if call == "end": told.append(attempt(os.lseek, file, 0, os.SEEK_END))
told.append(attempt(os.close, file))
told.append(attempt(os.unlink, sys.argv[1]))
print(told)
"""


@pytest.fixture
def run(build, tmp_path):
    """Runs PROGRAM under rules: what it was told, and the injector's log."""

    def run(rules, *calls, expect=0, **environment):
        library = build / "lib" / "libkumihimo_faults.so"
        assert library.exists(), f"{library} is missing: build the target tests"
        variables = {**os.environ, "LD_PRELOAD": str(library), "KUMIHIMO_FAULTS": rules, **environment}
        words = [sys.executable, "-c", PROGRAM, str(tmp_path / "x.dat"), *calls]
        done = subprocess.run(words, env=variables, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == expect, done.stderr
        return done.stdout.strip(), done.stderr

    return run


@pytest.mark.parametrize(
    "rules, calls, told",
    [
        ("call=write,k=2,error=ENOSPC", ["write"] * 3, [8, "No space left on device", 8, None, None]),
        ("call=write,k=2,times=0,error=EIO", ["write"] * 3, [8, "Input/output error", "Input/output error", None, None]),
        ("call=write,short=1", ["write", "write"], [1, 8, None, None]),
        ("call=write,short=half", ["writev"], [4, None, None]),
        ("call=write,short=n-1", ["writev"], [7, None, None]),
        ("call=write,short=0", ["writev", "end"], [0, 0, None, None]),
        ("call=read,short=half", ["write", "read", "read"], [8, 4, 8, None, None]),
        ("call=sync,error=EIO", ["fsync", "fsync"], ["Input/output error", None, None, None]),
        ("call=truncate,error=EFBIG", ["ftruncate"], ["File too large", None, None]),
        ("call=allocate,error=ENOSPC", ["fallocate"], ["No space left on device", None, None]),
        ("call=close,error=EDQUOT", [], ["Disk quota exceeded", None]),
        ("call=unlink,error=EACCES", [], [None, "Permission denied"]),
        ("call=write,k=1,error=EIO;call=write,k=2,short=1", ["write"] * 2, ["Input/output error", 1, None, None]),
        ("path=*.other,call=write,error=EIO", ["write"], [8, None, None]),
        ("rank=1,call=write,error=EIO", ["write"], [8, None, None]),
    ],
)
def test_faults(run, rules, calls, told):
    rules = ";".join(rule if "path=" in rule else "path=*.dat," + rule for rule in rules.split(";"))
    assert run(rules, *calls)[0] == str(told)


def test_rank(run):
    rules = "path=*.dat,rank=3,call=write,error=EIO"
    assert run(rules, "write", OMPI_COMM_WORLD_RANK="3")[0].startswith("['Input/output error'")
    assert run(rules, "write", PMI_RANK="3")[0].startswith("['Input/output error'")


def test_log_says_how_to_replay(run):
    rules = "path=*.dat,call=write,k=2,error=EIO"
    assert f"(write 2); replay with KUMIHIMO_FAULTS='{rules}'" in run(rules, "write", "write")[1]


def test_counts(run):
    counted = run("path=*.dat", "write", "writev", "read", "fsync", KUMIHIMO_FAULTS_COUNT="1")[1]
    assert "open=1 read=1 write=2 sync=1 close=1 truncate=0 allocate=0 lock=0 rename=0 unlink=1 size=0" in counted


def test_by_lot_is_the_same_each_time(run):
    told = {run(f"path=*.dat,call=write,probability=0.5,seed={seed},error=EIO", *["write"] * 20)[0] for seed in (1, 1, 2, 2)}
    assert len(told) == 2
    assert all(4 < text.count("error") < 16 for text in told)


def test_kill(run):
    run("path=*.dat,call=write,action=kill", "write", expect=-signal.SIGKILL)


def test_delay(run):
    start = time.monotonic()
    run("path=*.dat,call=write,delay_ms=700", "write")
    assert time.monotonic() - start > 0.7


@pytest.mark.parametrize("rules", ["path=*,error=ENONSENSE", "call=wrote,error=EIO", "k=0", "short=2", "nonsense"])
def test_rules_that_cannot_be_read(run, rules):
    assert "cannot read" in run(rules, expect=2)[1]


# ---- the judge ----
PATTERN = ("write", "turns", "at_all", "-")


def told(*changes):
    """What two ranks were told by a faultless run, with changes (rank, call, class, count, wrong bytes)."""
    names = ["open"] + ["at_all"] * judge.CALLS + ["sync", "close"]
    ranks = [[[name, "MPI_SUCCESS", judge.CALL_BYTES if name == "at_all" else 0, 0] for name in names] for _ in range(2)]
    for rank, call, *what in changes:
        ranks[rank][call][1:] = what
    return [{"calls": calls, "injected": 0} for calls in ranks]


def verdict(tmp_path, *changes, pattern=PATTERN, fault="error=EIO", data=None, end="finished"):
    path = tmp_path / "case-0.dat"
    path.write_bytes(judge.content(2) if data is None else data)
    case = cases.Case(0, pattern, "write", fault)
    return judge.judge(case, launch.Outcome(case, end, told(*changes)), path)[0]


def test_verdicts(tmp_path):
    error, full = "MPI_ERR_IO", judge.CALL_BYTES
    everywhere = [(0, 2, error, 0, 0), (1, 2, error, 0, 0)]
    assert verdict(tmp_path) == "handled"
    assert verdict(tmp_path, *everywhere) == "handled"
    assert verdict(tmp_path, *everywhere, fault="error=EINTR") == "needless error"
    assert verdict(tmp_path, everywhere[0]) == "disagreement"
    assert verdict(tmp_path, everywhere[0], (1, 2, "MPI_ERR_NO_SPACE", 0, 0)) == "disagreement"
    assert verdict(tmp_path, (1, 3, "MPI_SUCCESS", full - 1, 0)) == "silent loss"
    assert verdict(tmp_path, (1, 3, "MPI_SUCCESS", full, 1)) == "silent loss"
    assert verdict(tmp_path, end="hang") == "hang"
    assert verdict(tmp_path, end="crash") == "crash"


def test_verdict_of_the_file(tmp_path):
    right = judge.content(2)
    wrong = right[: judge.CALL_BYTES] + b"\0" + right[judge.CALL_BYTES + 1 :]  # call 0 of rank 1
    failed_there = [(rank, 1, "MPI_ERR_IO", 0, 0) for rank in range(2)]
    assert verdict(tmp_path, data=wrong) == "silent loss"
    assert verdict(tmp_path, *failed_there, data=wrong) == "handled"
    assert verdict(tmp_path, data=right[:-1]) == "silent loss"
    assert verdict(tmp_path, data=wrong, pattern=("write", "blocks", "at_all", "-")) == "silent loss"


def test_verdict_of_shared_records(tmp_path):
    size = judge.CALL_BYTES
    records = [judge.content(2)[i : i + size] for i in range(0, 8 * size, size)]
    shared = ("write", "turns", "shared", "-")
    assert verdict(tmp_path, pattern=shared, data=b"".join(reversed(records))) == "handled"
    assert verdict(tmp_path, pattern=shared, data=b"".join([*records[:7], records[0]])) == "silent loss"
