"""A job on two hosts writes one file that lies on two servers. Neither host reaches them: a gateway does, whose sshd forwards
nothing, so that kumihimo-iod passes the sessions on. Links are limited, as those of the paper on Stampi-I/O were."""

import pathlib
import subprocess
import sys

import pytest
from long_form import LONG_FORM

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "mpiio"))
from hosts import NETWORK
from sshd import HOST, SSHD, Sshd

CALLER = pathlib.Path(__file__).resolve().parents[1] / "mpiio" / "callers" / "remote.c"
CLIENTS, GATEWAY, SERVERS = ("host1", "host2"), 3, (4, 5)
RANKS, STRIPE, MATRIX = 3, 50_000, 8 * 3 * 3000  # as callers/remote.c writes it
LINKS = [(rate, delay) for rate in ("21mbit", "800mbit", "") for delay in (0, 10, 100)]


@pytest.fixture
def site(hosts, tmp_path):
    """site(rate, delay): the hosts, and ssh's configuration for all that sshds run on. delay: ms there and back."""
    running = []

    def make(rate, delay):
        made, config = hosts([2, 1, 0, 0, 0], rate), ""
        for number in (GATEWAY, *SERVERS):
            host, place = f"host{number}", tmp_path / f"sshd{number}"
            place.mkdir()
            if delay and number in SERVERS:
                made.worsen(host, 0, delay / 2000)
            one = Sshd(place, f"{NETWORK}.{number}", lambda words, host=host: made.words(*words, host=host))
            with open(place / "sshd_config", "a") as file:
                file.write("AllowTcpForwarding no\n")
            running.append(one.__enter__())
            config += (place / "ssh_config").read_text().replace(f"Host {HOST}\n", f"Host host{number}\n")
        for client in CLIENTS:
            for number in SERVERS:
                words = ("ip", "route", "add", "unreachable", f"{NETWORK}.{number}/32")
                assert made.run(*words, host=client).returncode == 0
        (tmp_path / "ssh_config").write_text(config)
        return made

    yield make
    for one in running:
        one.__exit__()


@pytest.mark.skipif(not LONG_FORM, reason="long form: KUMIHIMO_TEST_LONG=1")
@pytest.mark.parametrize("family", ["openmpi", "mpich"])
@pytest.mark.parametrize("rate, delay", LINKS)
@pytest.mark.skipif(SSHD is None, reason="this machine has no sshd (Debian: openssh-server)")
def test_two_servers_behind_a_gateway(site, build, tmp_path, family, rate, delay):
    library, iod = build / "lib" / family / "libkumihimo_io.so", build / "lib" / "kumihimo-iod"
    if not library.exists():
        pytest.skip(f"this build has no MPI family {family}")
    program = tmp_path / "remote"
    subprocess.run([f"mpicc.{family}", CALLER, "-o", program], check=True)
    parts = [tmp_path / f"part{number}" for number in SERVERS]
    files = [f'"stampi://host{number}{part}"' for number, part in zip(SERVERS, parts)]
    (tmp_path / "layout.toml").write_text(f"stripe = {STRIPE}\nfiles = [{', '.join(files)}]\n")
    settings = {
        "LD_PRELOAD": library,
        "KUMIHIMO_IOD": iod,
        "KUMIHIMO_STAMPI_IOD": iod,
        "KUMIHIMO_STAMPI_SSH": f"ssh -F {tmp_path}/ssh_config",
        "KUMIHIMO_STAMPI_ROUTERS": f"host{GATEWAY}",
    }
    words = [f"{key}={value}" for key, value in settings.items()]
    made = site(rate, delay)

    def run(what, *more):
        name = f"stampi+meta:{tmp_path}/layout.toml"
        done = made.mpiexec(family, "env", *words, *more, program, name, what, capture_output=True, text=True, timeout=200)
        return done.returncode, done.stdout + done.stderr

    code, said = run("write", "KUMIHIMO_STAMPI_PATIENCE=1")
    assert ": open failed" in said, f"the gateway forwards nothing by itself: {code} {said}"
    for what in ("write", "read"):
        code, said = run(what, f"KUMIHIMO_STAMPI_ROUTER={iod}")
        assert code == 0 and said.count(" well") >= RANKS, said
    pieces = [part.read_bytes() for part in parts]
    whole = b"".join(pieces[k % 2][k // 2 * STRIPE :][:STRIPE] for k in range(2 * (max(map(len, pieces)) // STRIPE + 1)))
    assert whole[:MATRIX] == bytes((at * 7 + at // 251) % 256 for at in range(MATRIX))
