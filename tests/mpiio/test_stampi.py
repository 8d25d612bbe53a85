"""Files of another machine, through ssh and a real sshd: programs as they are, contents compared with what a serial computation
says, and why something failed, on all ranks."""

import json
import os
import pathlib
import signal
import struct
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "faults"))
import launch
from sshd import HOST, Sshd, sshd  # noqa: F401
from waiting import wait_for

HERE = pathlib.Path(__file__).resolve().parent
RANKS, ROWS, BLOCK, LINES = 3, 3000, 4096, 5


@pytest.fixture(scope="module", params=["openmpi", "mpich"])
def program(request, build, tmp_path_factory):
    """Runs the program with some settings: its exit status, and lines of each rank."""
    family = request.param
    if not (build / "lib" / family).exists():
        pytest.skip(f"this build has no MPI family {family}")
    remote = tmp_path_factory.mktemp(family) / "remote"
    subprocess.run([f"mpicc.{family}", HERE / "callers" / "remote.c", "-o", remote], check=True)

    def start(*arguments, ranks=RANKS, **settings):
        library = launch.Library("stampi", family, settings, (f"lib/{family}/libkumihimo_io.so",))
        settings = {**launch.environment(library), "KUMIHIMO_IOD": str(build / "lib" / "kumihimo-iod")}
        words = launch.command(library, build, ranks, remote, *arguments, injector=False)
        return subprocess.Popen(words, env=settings, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    start.family = family
    return start


@pytest.fixture
def through(sshd, build):  # noqa: F811
    """The settings that lead to the other machine."""
    return {"KUMIHIMO_STAMPI_SSH": sshd.ssh, "KUMIHIMO_STAMPI_IOD": str(build / "lib" / "kumihimo-iod")}


def finished(process, code=0):
    out, err = process.communicate(timeout=120)
    assert code is None or process.returncode == code, out + err
    return out, err


def matrix():
    return bytes((at * 7 + at // 251) % 256 for at in range(8 * RANKS * ROWS))


# What does not depend on the MPI library is tried with one.
with_one = pytest.mark.parametrize("program", ["openmpi"], indirect=True)


@pytest.mark.parametrize("program, processes", [("openmpi", 1), ("mpich", 2)], indirect=["program"])
def test_program_as_it_is(program, through, tmp_path, processes):
    name, path, report = f"stampi://{HOST}{tmp_path}/data", tmp_path / "data", tmp_path / "report"
    settings = {**through, "KUMIHIMO_IO_REPORT": str(report), "KUMIHIMO_STAMPI_PROCESSES": str(processes)}
    finished(program(name, "write", **settings))
    found = path.read_bytes()
    blocks = b"".join(bytes([ord("a") + rank]) * BLOCK for rank in range(RANKS))
    assert found[: len(matrix())] == matrix()
    assert found[len(matrix()) :][: len(blocks)] == blocks
    shared = found[len(matrix()) + len(blocks) :].decode().splitlines()
    assert sorted(shared) == sorted(f"{i:3} of rank {rank:3}" for i in range(LINES) for rank in range(RANKS))
    finished(program(name, "read", **settings))
    told = [json.loads(line) for line in report.read_text().splitlines()]
    assert [line["engine"] for line in told] == ["stampi", "stampi"]
    assert told[0]["engine_counters"]["I/O processes"] == processes
    finished(program(name, "delete", **settings))
    assert not path.exists()


@pytest.mark.parametrize("remote_io", ["mpi", "catwalk"])
def test_by_mpi_io_there(program, build, through, tmp_path, remote_io):
    """I/O processes that are MPI programs: by themselves, and behind an mpiexec, whose standard streams carry everything. Two
    of them write one file."""
    served = f"{build}/lib/{program.family}/kumihimo-iod-mpi"
    if remote_io == "mpi":
        allowed = "env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"
        served = f"{allowed} mpiexec.{program.family} -n 1 {served}"
    settings = {**through, "KUMIHIMO_STAMPI_REMOTE_IO": remote_io, "KUMIHIMO_STAMPI_MPI": served}
    name = f"stampi://{HOST}{tmp_path}/data"
    for action, processes in (("write", "2"), ("read", "1")):
        finished(program(name, action, **settings, KUMIHIMO_STAMPI_PROCESSES=processes))
    blocks = b"".join(bytes([ord("a") + rank]) * BLOCK for rank in range(RANKS))
    assert (tmp_path / "data").read_bytes()[: len(matrix()) + len(blocks)] == matrix() + blocks
    if remote_io == "mpi":
        missing = reasons_of(program, f"{name}.missing", **settings)
        assert "by MPI-IO on the other machine" in missing, missing


@pytest.mark.parametrize("program, host", [("openmpi", ""), ("mpich", "localhost")], indirect=["program"])
def test_own_machine_needs_no_ssh(program, host, tmp_path):
    finished(program(f"stampi://{host}{tmp_path}/data", "write", KUMIHIMO_STAMPI_COMMAND="/does/not/exist"))
    assert (tmp_path / "data").read_bytes()[: len(matrix())] == matrix()


@with_one
def test_advice_leaves_them_alone(program, through, tmp_path):
    """The MPI library, with which advice compares, cannot open them."""
    finished(program(f"stampi://{HOST}{tmp_path}/data", "write", **through, KUMIHIMO_IO_ADVISE="1"))
    assert (tmp_path / "data").read_bytes()[: len(matrix())] == matrix()


def reasons_of(program, name, **settings):
    """What all ranks were told when they opened the file: one thing."""
    out, err = finished(program(name, "read", **settings), code=None)
    lines = {line.split(": ", 1)[1] for line in out.splitlines() if ": open failed" in line}
    assert len(lines) == 1 and out.count(": open failed") == RANKS, out + err
    return lines.pop() + err


def script(path, text):
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)
    return str(path)


@with_one
def test_reasons(program, sshd, through, tmp_path):  # noqa: F811
    name = f"stampi://{HOST}{tmp_path}/data"
    assert "No such file or directory" in reasons_of(program, name, **through)
    assert "not found" in reasons_of(program, name, **{**through, "KUMIHIMO_STAMPI_IOD": "no-such-kumihimo-iod"})
    greeting = script(tmp_path / "greets", "echo 'Welcome to our machine, which greets all who come.'; cat\n")
    assert "no frame of this protocol" in reasons_of(program, name, KUMIHIMO_STAMPI_COMMAND=greeting)
    silent = {"KUMIHIMO_STAMPI_COMMAND": script(tmp_path / "silent", "exec sleep 60\n"), "KUMIHIMO_STAMPI_PATIENCE": "1"}
    assert "did not greet in time" in reasons_of(program, name, **silent)
    welcome = struct.pack("<HQII", 99, 0, 8 << 20, 3) + b"foe"
    (tmp_path / "later").write_bytes(struct.pack("<4sHHIIQQ", b"KHJ1", 2, 0, 0, len(welcome), 0, 0) + welcome)
    later = script(tmp_path / "of_a_later_version", f"cat {tmp_path}/later; cat >{tmp_path}/asked\n")
    assert "version 99 of the protocol" in reasons_of(program, name, KUMIHIMO_STAMPI_COMMAND=later)
    known = (sshd.place / "known").read_text()
    sshd.know((sshd.place / "user.pub").read_text())
    try:
        assert "Host key verification failed" in reasons_of(program, name, **through)
    finally:
        (sshd.place / "known").write_text(known)


@with_one
def test_who_is_turned_away_comes_again(program, build, tmp_path):
    """An sshd to which too many log in at once closes their connections (MaxStartups)."""
    turns_away = 'echo x >>tries; [ $(wc -l <tries) -gt 2 ] || { echo "kex_exchange_identification: closed" >&2; exit 255; }\n'
    served = script(tmp_path / "crowded", f"cd {tmp_path}; {turns_away}exec {build}/lib/kumihimo-iod --stdio\n")
    finished(program(f"stampi://{HOST}{tmp_path}/data", "write", KUMIHIMO_STAMPI_COMMAND=served))
    assert (tmp_path / "data").read_bytes()[: len(matrix())] == matrix()
    assert (tmp_path / "tries").read_text().count("x") == 3
    served = script(tmp_path / "full", 'echo "kex_exchange_identification: closed" >&2; exit 255\n')
    settings = {"KUMIHIMO_STAMPI_COMMAND": served, "KUMIHIMO_STAMPI_PATIENCE": "1"}
    assert "kex_exchange_identification" in reasons_of(program, f"stampi://{HOST}{tmp_path}/data", **settings)


@with_one
def test_root_is_not_left(program, build, tmp_path):
    root, outside = tmp_path / "root", tmp_path / "outside"
    root.mkdir()
    outside.write_text("secret")
    (root / "link").symlink_to(outside)
    served = {"KUMIHIMO_STAMPI_COMMAND": f"{build}/lib/kumihimo-iod --stdio --root {root}"}
    reasons_of(program, f"stampi://{HOST}/link", **served)
    finished(program(f"stampi://{HOST}/data", "write", **served))
    assert (root / "data").read_bytes()[: len(matrix())] == matrix()
    served["KUMIHIMO_STAMPI_COMMAND"] += " --read-only"
    out, err = finished(program(f"stampi://{HOST}/data", "write", **served))
    assert ": open failed" in out and "Read-only file system" in out + err
    assert outside.read_text() == "secret"


def losing(program, tmp_path, lose, **settings):
    """What the ranks are told of calls after `lose` was done to the connection."""
    mark = tmp_path / "mark"
    process = program(f"stampi://{HOST}{tmp_path}/data", "lose", str(mark), **settings)
    ready = tmp_path / "mark.ready"
    wait_for(lambda: ready.exists() or process.poll() is not None)
    assert ready.exists(), finished(process, code=None)
    lose()
    (tmp_path / "mark.gone").touch()
    out, err = finished(process)
    told = [line for line in out.splitlines() if ": lost " in line]
    assert len(told) == 2 * RANKS, out + err  # of sync, and of close
    return told, out + err


def test_broken_connection_is_taken_up_again(program, sshd, through, tmp_path):  # noqa: F811
    told, text = losing(program, tmp_path, sshd.cut, **through)
    assert all("lost well" in line for line in told), text


@with_one
def test_a_killed_service_is_started_again(program, build, tmp_path):
    served = script(tmp_path / "served", f"echo $$ >>{tmp_path}/pids; exec {build}/lib/kumihimo-iod --stdio\n")

    def kill():
        os.kill(int((tmp_path / "pids").read_text().split()[-1]), signal.SIGKILL)

    told, text = losing(program, tmp_path, kill, KUMIHIMO_STAMPI_COMMAND=served)
    assert all("lost well" in line for line in told), text
    assert len((tmp_path / "pids").read_text().split()) == 2


@with_one
def test_lost_connection_is_an_error_on_all_ranks(program, build, tmp_path):
    place = tmp_path / "sshd"
    place.mkdir()
    with Sshd(place) as own:
        settings = {"KUMIHIMO_STAMPI_SSH": own.ssh, "KUMIHIMO_STAMPI_IOD": str(build / "lib" / "kumihimo-iod")}
        told, text = losing(program, tmp_path, own.vanish, KUMIHIMO_STAMPI_PATIENCE="10", **settings)
    assert all("lost failed" in line for line in told), text
    assert f"connection with {HOST} is lost" in text


@with_one
def test_a_job_logs_in_once(program, sshd, through, tmp_path):  # noqa: F811
    """However many I/O processes it has, unless each shall have its own login."""
    for one_login, expected in (("1", 1), ("0", RANKS)):
        before = sshd.logins()
        settings = {"KUMIHIMO_STAMPI_PROCESSES": str(RANKS), "KUMIHIMO_STAMPI_ONE_LOGIN": one_login}
        finished(program(f"stampi://{HOST}{tmp_path}/data", "write", **through, **settings))
        assert (tmp_path / "data").read_bytes()[: len(matrix())] == matrix()
        assert sshd.logins() - before == expected


@with_one
def test_bytes_go_by_tcp_beside_ssh(program, sshd, through, tmp_path):  # noqa: F811
    """On request: ssh opens the way, and a connection that breaks is made again."""
    report = tmp_path / "report"
    settings = {**through, "KUMIHIMO_STAMPI_CHANNEL": "1", "KUMIHIMO_IO_REPORT": str(report)}
    name = f"stampi://{HOST}{tmp_path}/data"
    finished(program(name, "write", **settings))
    assert (tmp_path / "data").read_bytes()[: len(matrix())] == matrix()
    assert json.loads(report.read_text())["engine_counters"]["data channels"] == 1
    forbidden = {**settings, "KUMIHIMO_STAMPI_IOD": settings["KUMIHIMO_STAMPI_IOD"] + " --no-channels"}
    finished(program(name, "read", **forbidden))
    assert json.loads(report.read_text().splitlines()[-1])["engine_counters"]["data channels"] == 0
    told, text = losing(program, tmp_path, sshd.cut, **settings)
    assert all("lost well" in line for line in told), text


# A slow way: passes on what comes, in small pieces with pauses, and counts what goes to the other machine.
SLOW = """import os, subprocess, sys, threading, time
service = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
def back():
    while data := os.read(service.stdout.fileno(), 1 << 16):
        os.write(1, data)
thread = threading.Thread(target=back)
thread.start()
carried = 0
while data := os.read(0, 1 << 14):
    carried += len(data)
    service.stdin.write(data)
    service.stdin.flush()
    time.sleep(0.002)
service.stdin.close()
thread.join()
with open(sys.argv[1], "a") as log:
    print(carried, file=log)
"""


@with_one
def test_a_slow_way_carries_fewer_bytes(program, build, tmp_path):
    (tmp_path / "slow.py").write_text(SLOW)
    log, bulk = tmp_path / "log", 2 << 20
    slow = f"{sys.executable} {tmp_path}/slow.py {log} {build}/lib/kumihimo-iod --stdio"
    for compression in ("1", "0"):
        settings = {"KUMIHIMO_STAMPI_COMMAND": slow, "KUMIHIMO_STAMPI_COMPRESSION": compression}
        finished(program(f"stampi://{HOST}{tmp_path}/data", "bulk", str(bulk), **settings))
        assert (tmp_path / "data").read_bytes() == bytes(i * 7 // 1000 % 256 for i in range(bulk)) * RANKS
    compressed, plain = map(int, log.read_text().splitlines())
    assert plain > RANKS * bulk and compressed < plain / 2


@with_one
def test_gateways_are_taken_in_turn(program, build, tmp_path):
    said = tmp_path / "said"
    ssh = script(tmp_path / "ssh", f'echo "$*" >>{said}\nwhile [ "$1" != -- ]; do shift; done\nshift 2\nexec sh -c "$*"\n')
    served = {"KUMIHIMO_STAMPI_SSH": ssh, "KUMIHIMO_STAMPI_IOD": f"{build}/lib/kumihimo-iod"}
    ways = {"KUMIHIMO_STAMPI_ROUTERS": "one two,inner", "KUMIHIMO_STAMPI_PROCESSES": "2"}
    finished(program(f"stampi://{HOST}{tmp_path}/data", "write", **served, **ways))
    assert (tmp_path / "data").read_bytes()[: len(matrix())] == matrix()
    lines = [line for line in said.read_text().splitlines() if " -G " not in line]  # which asks for ssh's configuration
    assert sum("-J one " in line for line in lines) == sum("-J two,inner " in line for line in lines) == 1 and len(lines) == 2
    wrong = {"KUMIHIMO_STAMPI_ROUTERS": "-oProxyCommand=x"}
    assert "KUMIHIMO_STAMPI_ROUTERS" in reasons_of(program, f"stampi://{HOST}{tmp_path}/data", **served, **wrong)


@with_one
def test_gateways_that_forward_nothing(program, build, tmp_path):
    """Their sshd lets nobody connect on: kumihimo-iod on each passes the session on, also in a chain of two."""
    place = tmp_path / "sshd"
    place.mkdir()
    gateways = Sshd(place)
    with open(place / "sshd_config", "a") as config:
        config.write("AllowTcpForwarding no\n")
    config = (place / "ssh_config").read_text()
    (place / "ssh_config").write_text(config.replace(f"Host {HOST}", f"Host {HOST} one inner"))
    name, iod = f"stampi://{HOST}{tmp_path}/data", str(build / "lib" / "kumihimo-iod")
    settings = {"KUMIHIMO_STAMPI_SSH": gateways.ssh, "KUMIHIMO_STAMPI_IOD": iod, "KUMIHIMO_STAMPI_ROUTERS": "one,inner"}
    with gateways:
        finished(program(name, "write", **settings, KUMIHIMO_STAMPI_ROUTER=iod))
        assert (tmp_path / "data").read_bytes()[: len(matrix())] == matrix()
        assert gateways.logins() == 3  # two gateways, and the machine behind them


@with_one
def test_a_file_that_lies_in_several(program, build, tmp_path):
    """As the metafile says: stripe k in file k mod 3. Put together again here."""
    stripe, names = 1000, ["a", "b", "c"]
    elsewhere = [f'"stampi://{HOST}{tmp_path}/a"', '"b"', f'"stampi://{HOST}{tmp_path}/c"']
    (tmp_path / "layout.toml").write_text(f"stripe = {stripe}\nfiles = [{', '.join(elsewhere)}]\n")
    served = {"KUMIHIMO_STAMPI_COMMAND": f"{build}/lib/kumihimo-iod --stdio"}
    name = f"stampi+meta:{tmp_path}/layout.toml"
    finished(program(name, "write", **served))
    parts = [(tmp_path / one).read_bytes() for one in names]
    whole = b"".join(parts[k % 3][k // 3 * stripe :][:stripe] for k in range(3 * (max(map(len, parts)) // stripe + 1)))
    assert whole[: len(matrix())] == matrix()
    assert len(whole) == sum(map(len, parts)) == len(matrix()) + RANKS * BLOCK + LINES * RANKS * 16
    finished(program(name, "read", **served))
    finished(program(name, "delete", **served))
    assert not any((tmp_path / one).exists() for one in names)
