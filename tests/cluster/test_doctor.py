"""kumihimo doctor --hosts: what it finds on hosts where all is well, and of each fault that is made on purpose."""

import json
import pathlib
import sys

import pytest
from long_form import LONG_FORM

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "commands"))
from command_support import run
from kumihimo.commands.hosts import checks


def doctor(made, build, directory, *options):
    """(exit code, {name of a check: check})."""
    hosts = ",".join(made.names)
    words = ["doctor", "--json", f"--hosts={hosts}", f"--directory={directory}", *options]
    done = made.run(build / "bin" / "kumihimo", *words, capture_output=True, text=True)
    assert done.stdout, done.stderr
    report = json.loads(done.stdout)
    assert not list(directory.glob(".kumihimo-doctor*")), "it leaves nothing"
    return done.returncode, {check["name"]: check for check in report["checks"]}


def on(made, host, *commands):
    for command in commands:
        done = made.run("sh", "-c", command, host=host, capture_output=True, text=True)
        assert done.returncode == 0, f"{command}: {done.stderr}"


def test_all_is_well(hosts, build, tmp_path):
    made = hosts([2, 2])
    one_family = [] if LONG_FORM else ["--mpi=mpich"]  # test_slurm.py has the other one
    code, found = doctor(made, build, tmp_path, *one_family)
    assert code == 0, found
    assert found["hosts"]["found"] == "2 answer: host1, host2"
    assert found["network between hosts"]["found"] == "2 connections"
    programs = [check["found"] for name, check in found.items() if name.startswith("coarrays on 2 hosts")]
    assert programs and all("4 images, transport messages (images are on several machines)" in text for text in programs)
    others = ("netCDF", "settings")  # of the machine itself, and of who tests
    unwell = {name: check for name, check in found.items() if check["status"] != "ok" and not name.startswith(others)}
    windows = unwell.pop("MPI's windows on 2 hosts (openmpi)", None)  # Open MPI 4.1 has none over TCP beside a progress thread
    assert not unwell, unwell
    assert bool(windows) == LONG_FORM
    assert not windows or (windows["status"], "KUMIHIMO_PROGRESS_THREAD=off" in windows["advice"]) == ("warning", True)


def test_faults_of_hosts(hosts, build, tmp_path):
    """Of the second host: all at once, since each is found by itself."""
    made = hosts([1, 1])
    package = build / "python" / "kumihimo"
    other = tmp_path / "other.py"
    other.write_text((package / "configuration.py").read_text().replace('VERSION = "', 'VERSION = "9.'))
    settings = tmp_path / "kumihimo-settings"
    settings.write_text('#!/bin/sh\necho \'{"library": "Open MPI v9"}\'\n')
    settings.chmod(0o755)
    on(
        made,
        "host2",
        f"mount --bind {other} {package / 'configuration.py'}",
        f"mount --bind {settings} {build / 'lib' / 'openmpi' / 'kumihimo-settings'}",
        "mount -o remount,ro /dev/shm",
        "ip route add unreachable 10.77.0.1/32",
        f"mount -t tmpfs tmpfs {tmp_path}",
    )
    on(made, "host1", "mount -o remount,size=1m /dev/shm", "ip route add unreachable 10.77.0.2/32")
    code, found = doctor(made, build, tmp_path, "--mpi=openmpi")
    assert code == 1 and found["hosts"]["status"] == "ok", found["hosts"]
    expected = {
        "the same Kumihimo on all hosts": ("host2: version 9.", "Install the same version"),
        "the same MPI on all hosts (openmpi)": ("host2: Open MPI v9, here Open MPI v", "Install the same version"),
        "shared memory on all hosts": (
            "host1: /dev/shm has only 1 MiB free; host2: nothing can be made in /dev/shm",
            "mount -o",
        ),
        "network between hosts": ("host2 to host1: it did not accept a connection: No route to host", "getent hosts host"),
        "shared directory": (f"host2: does not have what was written here in {tmp_path}", "--directory="),
    }
    for name, (text, advice) in expected.items():
        assert found[name]["status"] == "failed" and text in found[name]["found"], found[name]
        assert advice in found[name]["advice"], found[name]
    assert found["coarrays on 2 hosts (openmpi)"]["found"] == "not tried: it takes a shared directory"


def test_a_host_that_is_not_reached(hosts, build, tmp_path):
    """One whose link is down, and one that is not there. The others are checked nevertheless."""
    made = hosts([1, 1])
    on(made, "host2", "ip link set eth0 down")
    made.names.append("nowhere")
    code, found = doctor(made, build, tmp_path, "--mpi=openmpi")
    assert code == 1 and found["hosts"]["status"] == "failed"
    assert "host2: " in found["hosts"]["found"] and "nowhere: " in found["hosts"]["found"]
    assert "ssh host2 hostname" in found["hosts"]["advice"]


def test_clocks():
    """Namespaces share the machine's clock."""

    def met(ahead):
        return {"a": {"reached": {"b": {"reason": None, "ahead": ahead, "error": 0.05}}}}

    assert checks.check_clocks(met(0.04)).found == "they differ by at most 40 ms"
    late = checks.check_clocks(met(-7.0))
    assert (late.status, late.found) == ("warning", "b: 7.0 s behind a") and "chrony" in late.advice


@pytest.mark.parametrize("words", ["--hosts=", "--hosts=a,,b", "--hosts=-x", "--hosts=a b"])
def test_lists_that_name_no_hosts(build, words):
    done = run(build / "bin" / "kumihimo", "doctor", words)
    assert done.code == 2 and "no list of hosts" in done.err
