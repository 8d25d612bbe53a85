"""A real sshd on this machine, or on a host of namespaces, with keys and a configuration of its own."""

import contextlib
import os
import pathlib
import shutil
import socket
import subprocess
import time

import pytest

HOST = "elsewhere"  # what the client's configuration calls it
SSHD = shutil.which("sshd", path="/usr/sbin:/usr/local/sbin:" + os.environ.get("PATH", ""))


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def make_key(path):
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)], check=True)


class Sshd:
    """Running as long as the `with` block. `ssh`: the words with which a client reaches it as HOST. `inside`: makes words those
    that run on another host, whose address is given. The user's home directory there is empty: what a shell reads when it
    starts (~/.bashrc) can take longer than all of ssh."""

    def __init__(self, place, address="127.0.0.1", inside=list):
        self.place = pathlib.Path(place)
        self.address = address
        self.inside = inside
        self.port = free_port()
        for name in ("host", "user"):
            make_key(self.place / name)
        shutil.copy(self.place / "user.pub", self.place / "authorized")
        (self.place / "home").mkdir()
        (self.place / "sshd_config").write_text(
            f"Port {self.port}\nListenAddress {address}\nHostKey {self.place}/host\nPidFile none\nStrictModes no\n"
            f"AuthorizedKeysFile {self.place}/authorized\nUsePAM no\nPasswordAuthentication no\n"
            "KbdInteractiveAuthentication no\nPermitRootLogin prohibit-password\nMaxStartups 100\n"
            f"Subsystem sftp internal-sftp\nSetEnv HOME={self.place}/home\n"
        )
        self.know((self.place / "host.pub").read_text())
        (self.place / "ssh_config").write_text(
            f"Host {HOST}\n  HostName {address}\n  Port {self.port}\n  IdentityFile {self.place}/user\n  IdentitiesOnly yes\n"
            f"  UserKnownHostsFile {self.place}/known\n  GlobalKnownHostsFile none\n  StrictHostKeyChecking yes\n"
        )
        self.ssh = f"ssh -F {self.place}/ssh_config"

    def know(self, key):
        (self.place / "known").write_text(f"[{self.address}]:{self.port} {key}")

    def __enter__(self):
        if os.geteuid() == 0:
            pathlib.Path("/run/sshd").mkdir(parents=True, exist_ok=True)
        self.log = open(self.place / "log", "w")
        words = [SSHD, "-D", "-e", "-f", str(self.place / "sshd_config")]
        self.process = subprocess.Popen(self.inside(words), stderr=self.log, stdin=subprocess.DEVNULL)
        limit = time.monotonic() + 60
        while "Server listening" not in (self.place / "log").read_text():
            if self.process.poll() is not None or time.monotonic() > limit:
                self.__exit__()
                pytest.fail("sshd does not answer: " + (self.place / "log").read_text())
            time.sleep(0.05)
        return self

    def __exit__(self, *_):
        self.vanish()
        self.log.close()

    def logins(self):
        return (self.place / "log").read_text().count("Accepted publickey")

    def children(self):
        words = ["ps", "-o", "pid=", "--ppid", str(self.process.pid)]
        return [int(one) for one in subprocess.run(words, capture_output=True, text=True).stdout.split()]

    def cut(self):
        """Ends the connections that are open, not sshd itself: they are its children."""
        end(self.children())

    def vanish(self):
        """Ends sshd, too."""
        children = self.children()
        self.process.kill()
        self.process.wait()
        end(children)


def end(processes):
    for process in processes:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, 9)


def without_encryption(place):
    """What takes ssh's words and runs the command here: for tests of what comes after ssh, which alone takes 0.3 s."""
    path = pathlib.Path(place) / "ssh"
    path.write_text('#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done\nshift 2\ncd "$HOME" && exec sh -c "$*"\n')
    path.chmod(0o755)
    return str(path)


@pytest.fixture(scope="module")
def sshd(tmp_path_factory):
    if SSHD is None or shutil.which("ssh") is None:
        pytest.skip("this machine has no sshd (Debian: openssh-server) or no ssh")
    with Sshd(tmp_path_factory.mktemp("sshd")) as running:
        yield running
