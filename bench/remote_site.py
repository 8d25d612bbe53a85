"""A client, and a server behind a link of given rate and delay, on hosts of namespaces with real sshds (bench/remote.py)."""

import contextlib
import json
import sys
import tempfile
from pathlib import Path

from developers import runner

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests" / "cluster"), str(ROOT / "tests" / "mpiio")]
from hosts import NETWORK, Hosts  # noqa: E402
from sshd import HOST, Sshd  # noqa: E402

FAMILY, SERVER = "mpich", "host1"
MTU = 9000  # of links with delay, whose frames a process carries: ATM had 9,180, HIPPI 65,280


class Site:
    """The client is the login host. rate: of the server's link, or of each gateway's, if there are any. delay: ms there and
    back. directory: of the server's files. ssh: more lines for the client's configuration."""

    def __init__(self, rate, delay, directory, gateways=0, ssh=()):
        self.rate, self.delay, self.directory, self.gateways, self.ssh = rate, delay, Path(directory), gateways, ssh

    def __enter__(self):
        with contextlib.ExitStack() as stack:
            limit = [] if self.rate == "none" else ["tbf", "rate", self.rate, "burst", "256k", "latency", "50ms"]
            whole = self.rate if limit and not self.delay and not self.gateways else ""
            self.hosts = stack.enter_context(Hosts([1] * (1 + self.gateways), whole))
            if self.delay:
                self._delay()
            for host in self.hosts.names[1:] or [SERVER]:
                if limit and not whole:
                    self._limit(host, limit)
            self.sshd = stack.enter_context(self._sshd(stack, 1))
            for number in range(2, 2 + self.gateways):
                config = stack.enter_context(self._sshd(stack, number)).place / "ssh_config"
                with open(self.sshd.place / "ssh_config", "a") as all_of_them:
                    all_of_them.write(config.read_text().replace(f"Host {HOST}\n", f"Host host{number}\n"))
            self.stack = stack.pop_all()
        return self

    def __exit__(self, *_):
        self.stack.close()

    def _sshd(self, stack, number):
        place = stack.enter_context(tempfile.TemporaryDirectory())
        sshd = Sshd(place, f"{NETWORK}.{number}", lambda words: self.hosts.words(*words, host=f"host{number}"))
        with open(sshd.place / "ssh_config", "a") as config:
            config.writelines(f"  {line}\n" for line in self.ssh)
        return sshd

    def _delay(self):
        self.hosts.worsen(SERVER, 0, self.delay / 2000)
        for host, device in (("login", SERVER), (SERVER, "eth0")):
            self.must(["ip", "link", "set", device, "mtu", MTU], host)
        self.must(["ip", "link", "set", "eth0", "mtu", MTU])

    def _limit(self, host, limit):
        for end, device in (("login", host), (host, "eth0")):
            self.must(["tc", "qdisc", "add", "dev", device, "root", *limit], end)

    def must(self, words, host="login", settings=None):
        done = self.hosts.run(*words, host=host, settings=settings, capture_output=True, text=True, timeout=280)
        if done.returncode != 0:
            sys.exit(f"remote.py: {words}: {done.stdout}{done.stderr}")
        return done.stdout

    def on(self, host, script, *words):
        """What a Python program says, as JSON."""
        return json.loads(self.must([sys.executable, script, "--inside", *words], host))

    def settings(self, options, **more):
        iod = str(runner.library("kumihimo_io", FAMILY).parents[1] / "kumihimo-iod")
        return {
            "LD_PRELOAD": str(runner.library("kumihimo_io", FAMILY)),
            "KUMIHIMO_IOD": iod,
            "KUMIHIMO_STAMPI_IOD": iod,
            "KUMIHIMO_STAMPI_SSH": self.sshd.ssh,
            **{key.upper(): value for key, value in (word.split("=", 1) for word in options.settings)},
            **more,
        }

    def job(self, name, pattern, message, total, ranks, settings):
        words = ["mpiexec.mpich", "-launcher", "fork", "-hosts", "localhost", "-n", ranks]
        for key, value in settings.items():
            words += ["-genv", key, value]
        return json.loads(self.must([*words, runner.program("remote", FAMILY), name, pattern, message, total]))
