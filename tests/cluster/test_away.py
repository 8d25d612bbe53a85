"""A host goes away while a job runs: it ends, or goes on, as docs/explanation/reliability.md says; nothing is left of it on any
host; and what its file has is right.

KUMIHIMO_TEST_AWAY=N: so many random cases (200 in the long form); KUMIHIMO_TEST_SEED repeats them."""

import os
import pathlib
import random
import subprocess
import sys
import time

import numpy
import pytest
from long_form import LONG_FORM
from waiting import wait_for

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "commands"))
from command_support import families, run, succeed
from hosts import Missing

PIECE, RANKS = 1000, 4  # as in away.c
PATIENCE = 4  # KUMIHIMO_TIMEOUT
# From the fault to the end: the file's calls wait twice as long, a launcher that is not there is given ten seconds by each
# process, and the machine has other things to do.
BOUND = 2 * PATIENCE + 40
ROOT = pathlib.Path(__file__).parents[2]
RANDOM = int(os.environ.get("KUMIHIMO_TEST_AWAY") or (200 if LONG_FORM else 0))
SEED = int(os.environ.get("KUMIHIMO_TEST_SEED") or random.randrange(1 << 30))
FAULTS = ("host killed", "link down", "process stopped", "process killed")
# Each of them once with each family; in the short form what takes a host away.
CASES = [("openmpi", fault) for fault in FAULTS] + [("mpich", fault) for fault in FAULTS]
SHORT = [("openmpi", "link down"), ("mpich", "host killed")]


@pytest.fixture(scope="module")
def programs(build, tmp_path_factory):
    """{family: path}"""
    directory = tmp_path_factory.mktemp("away")
    found = {family: directory / f"away-{family}" for family in families(build)}
    for family, program in found.items():
        succeed(build / "bin" / "xmpcc", f"--mpi={family}", pathlib.Path(__file__).with_name("away.c"), "-o", program)
    return found


class Job:
    """away.c on two hosts, whose /tmp is their own but for what the test has there."""

    def __init__(self, made, build, program, directory, rounds, engine, patience=PATIENCE, pieces=40, **settings):
        self.made, self.build, self.directory, self.pieces = made, build, directory, pieces
        self.file = directory / "file.dat"
        places = {pathlib.Path(place).resolve() for place in (made.place, directory.parents[1], build, ROOT)}
        self.common = sorted(place for place in places if place.is_relative_to("/tmp"))
        for host in made.names:
            done = self.on(host, own_temporary_directory(self.common, made.sessions()))
            assert done.returncode == 0, done.stderr
        settings |= {"KUMIHIMO_TIMEOUT": str(patience), "KUMIHIMO_IO": f"**.dat={engine}"}
        self.log = (directory / "log").open("w+")
        self.process = subprocess.Popen(
            made.words(build / "bin" / "xmprun", "-n", str(RANKS), program, directory, rounds, pieces),
            env={**made.environment(), **settings},
            stdin=subprocess.DEVNULL,
            stdout=self.log,
            stderr=self.log,
        )

    def on(self, host, script):
        return self.made.run("sh", "-c", script, host=host, capture_output=True, text=True)

    def rounds(self):
        """So many were told to be durable."""
        return max((int(path.name.split("-")[1]) for path in self.directory.glob("synced-*")), default=0)

    def wait_for_round(self, number):
        """As long as there is progress; a round takes a minute at most, however busy the machine is."""
        while (done := self.rounds()) < number:
            assert wait_for(lambda before=done: self.rounds() > before, 60), self.told()

    def fail(self, fault):
        """Of host2."""
        if fault == "host killed":
            self.made.run("sh", "-c", f"kill -9 $(cat {self.made.place}/process-host2)")
            self.made.names.remove("host2")
        elif fault == "link down":
            self.made.run("ip", "link", "set", "host2", "down")
        else:
            number = "STOP" if fault == "process stopped" else "KILL"
            done = self.on("host2", f"kill -{number} $(pgrep -n away-)")
            assert done.returncode == 0, done.stderr

    def end(self, seconds=BOUND):
        try:
            return self.process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            pytest.fail(f"the job did not end within {seconds} s\n{self.told()}\n{self.left()}")

    def left(self):
        """{host: processes, shared memory and files that nobody needs any more}"""
        keep = " -o ".join(f"-path {place}" for place in self.common) or "-false"
        files = f"find /tmp {self.made.sessions()} -mindepth 1 \\( {keep} \\) -prune -o -type f -print -o -type s -print"
        script = f"ps -e -o comm= | grep -v -x -E 'sleep|sh|ps|grep|find'; ls /dev/shm; {files}"
        told = {host: self.on(host, script).stdout.split() for host in self.made.names}
        return {host: found for host, found in told.items() if found}

    def told(self):
        self.log.flush()
        return pathlib.Path(self.log.name).read_text()

    def check_file(self):
        """It has what was synced, and nothing that is wrong; it can be used again when somebody has decided on it."""
        found = numpy.fromfile(self.file, numpy.uint8)
        durable = self.rounds() * PIECE * self.pieces * RANKS
        expected = numpy.resize(numpy.arange(1, 252, dtype=numpy.uint8), len(found))
        synced = numpy.array_equal(found[:durable], expected[:durable]) and len(found) >= durable
        assert synced, f"not what sync {self.rounds()} left"
        wrong = numpy.flatnonzero((found != 0) & (found != expected))
        assert wrong.size == 0, f"wrong bytes at {wrong[:5]}"
        succeed(self.build / "bin" / "kumihimo", "files", "recover", "--discard", f"--journals={self.directory}", self.file)
        assert not list(self.directory.glob(".file.dat*")), "marks stay"


def own_temporary_directory(kept, sessions):
    """A script that gives a host a /tmp of its own, in which these directories are the same as everywhere. Files of Open MPI's
    jobs lie in `sessions`, which is its own, too."""
    places = " ".join(str(path) for path in kept)
    return f"""set -e
mount --bind /tmp /mnt
mount -t tmpfs -o mode=1777 tmpfs /tmp
for place in {places}; do
    mkdir -p $place
    mount --bind /mnt${{place#/tmp}} $place
done
umount /mnt
mount -t tmpfs tmpfs {sessions}"""


def go_away(hosts, build, programs, directory, family, fault, engine="catwalk", rounds=1, pause=0.0):
    if family not in programs:
        pytest.skip(f"no {family}")
    made = hosts([2, 2])
    job = Job(made, build, programs[family], directory, 10**9, engine)
    job.wait_for_round(rounds)
    time.sleep(pause)  # where it happens is drawn
    job.fail(fault)
    assert job.end() != 0, job.told()
    wait_for(lambda: not job.left(), BOUND)
    assert not job.left(), f"{job.left()}\n{job.told()}"
    job.check_file()


@pytest.mark.parametrize("family, fault", CASES if LONG_FORM else SHORT)
def test_a_job_ends(hosts, build, programs, tmp_path, family, fault):
    go_away(hosts, build, programs, tmp_path, family, fault)


@pytest.mark.skipif(not LONG_FORM, reason="takes its time (KUMIHIMO_TEST_LONG=1)")
@pytest.mark.parametrize("family", ["openmpi", "mpich"])
def test_a_bad_link_makes_a_job_slow(hosts, build, programs, tmp_path, family):
    """1 % loss and 50 ms of delay are no fault."""
    made = hosts([2, 2])
    try:
        made.worsen("host2", 0.01, 0.05)
    except Missing as reason:
        pytest.skip(str(reason))
    job = Job(made, build, programs[family], tmp_path, 2, "catwalk", patience=60)
    assert job.end(240) == 0, job.told()
    wait_for(lambda: not job.left(), BOUND)
    assert not job.left() and not list(tmp_path.glob(".file.dat*")), "no mark: the file is complete"
    assert len(job.file.read_bytes()) == 2 * PIECE * job.pieces * RANKS
    job.check_file()


@pytest.mark.parametrize("family", ["openmpi", "mpich"] if LONG_FORM else ["mpich"])
def test_journals_are_replayed(hosts, build, programs, tmp_path, family):
    """What nodes had written since the last sync lies in journals, also that of a host that died; then it is in the file."""
    if family not in programs:
        pytest.skip(f"no {family}")
    kept = {"JOURNAL": str(tmp_path), "METHOD": "journal", "SORT_BUFFER": "2M"}
    settings = {f"KUMIHIMO_CATWALK_{name}": value for name, value in kept.items()}
    job = Job(hosts([2, 2]), build, programs[family], tmp_path, 10**9, "catwalk", patience=30, pieces=8000, **settings)
    job.wait_for_round(1)
    journals = lambda: [path for path in tmp_path.glob("kumihimo-journal-*") if path.stat().st_size > 2**20]  # noqa: E731
    assert wait_for(lambda: len(journals()) == 2, 60), sorted(path.name for path in tmp_path.iterdir())
    job.fail("host killed")
    assert job.end(200) != 0, job.told()
    before = len(job.file.read_bytes().replace(b"\0", b""))
    recover = [build / "bin" / "kumihimo", "files", "recover", f"--journals={tmp_path}", job.file]
    # The host that was killed may have been in the midst of a record: that is told, and its journal stays.
    replayed = run(*recover, "--replay")
    cut = [path.name for path in journals()]
    assert all(name.endswith("-1-0") for name in cut), cut
    assert replayed.code == len(cut) and ("damaged or cut off" in replayed.out) == bool(cut), replayed
    after = len(job.file.read_bytes().replace(b"\0", b""))
    assert after > max(before, job.rounds() * PIECE * job.pieces * RANKS)
    job.check_file()


@pytest.mark.parametrize("number", range(RANDOM))
def test_random_kills(hosts, build, programs, tmp_path, number):
    draw = random.Random(f"{SEED} {number}")
    family, fault = draw.choice(sorted(programs)), draw.choice(FAULTS)
    engine, rounds, pause = draw.choice(["catwalk", "direct"]), draw.randint(1, 20), draw.random() * 0.1
    print(f"seed {SEED}, case {number}: {family}, {fault}, {engine}, round {rounds} and {pause:.3f} s")
    go_away(hosts, build, programs, tmp_path, family, fault, engine, rounds, pause)
