#!/usr/bin/env python3
"""Hosts in a box: several machines on this one, for tests and for trying programs.

    hosts.py 2x2 COMMAND...                     two hosts for two ranks each; COMMAND runs on a login host beside them
    hosts.py --rate 1gbit 2,1,1 COMMAND...      three hosts with links of 1 Gbit/s
    hosts.py --mpi openmpi 2x2 PROGRAM...       PROGRAM as a job of 4 ranks
    hosts.py 2x2                                a shell on the login host

There, mpiexec and xmprun of both MPI families start their ranks on the hosts, as on a cluster: `mpiexec -n 4 ./program`.
`$HOSTS_PLACE/on host1 COMMAND...` runs a command on one of them.

Each host has a network, a name, a boot id, /dev/shm, IPC and process ids of its own. All share the files of this machine. What
is started from another host gets as little of the environment as a remote shell gives. Nothing of this has a name outside: it
lives in namespaces that end with this process, so that any number of clusters stand side by side and none leaves a trace.
That takes root, `ip`, `tc` and util-linux; where these are missing the command says so and ends with exit code 77."""

import argparse
import contextlib
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import uuid

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
from long_form import LONG_FORM  # noqa: E402

SKIPPED = 77
LOGIN = "login"
NETWORK = "10.77.0"
UNSHARE = "unshare --net --uts --mount --ipc --pid --fork --kill-child"
ENTER = "nsenter --target {0} --net --uts --mount --ipc --pid=/proc/{0}/ns/pid_for_children"
REMOTE = ("HOME", "LANG", "PATH", "USER")  # what a remote shell leaves of the environment

# Process 1 of every host. It makes what a machine has, says that it is there, and then only buries the dead.
HOST = """set -e
trap 'echo failed >&3' EXIT
hostname "$1"
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t tmpfs -o mode=1777 tmpfs /dev/shm
mount --bind {place}/names /etc/hosts
[ ! -e /etc/resolv.conf ] || mount --bind /dev/null /etc/resolv.conf  # names are in /etc/hosts; nobody waits for an answer
mount --bind {place}/boot-"$1" /proc/sys/kernel/random/boot_id
ip link set lo up
echo "$1" >&3
shift
exec env --ignore-signal=CHLD "$@"
"""
# Of the login host. All links lead to a switch, which is its own end. When its input ends, it does, and all others with it.
SWITCH = """set -e
mount -t proc proc /proc
mkfifo {place}/up
exec 3<>{place}/up
ip link add eth0 type bridge
ip address add {network}.254/24 dev eth0
ip link set eth0 up
number=0
for host in {hosts}; do
    {unshare} sh {place}/host "$host" sleep infinity >/dev/null &
    echo $! >{place}/process-"$host"
    read -r up <&3
    [ "$up" = "$host" ]
    number=$((number + 1)) process=$!
    ip link add "$host" type veth peer name eth0 netns $process
    ip link set "$host" master eth0 up
    nsenter --net --target $process sh -c "ip address add {network}.$number/24 dev eth0 && ip link set eth0 up"
    for rate in {rate}; do
        tc qdisc add dev "$host" root tbf rate $rate burst 256k latency 50ms
        nsenter --net --target $process tc qdisc add dev eth0 root tbf rate $rate burst 256k latency 50ms
    done
done
exec sh {place}/host {login} cat 3>&1
"""
# on HOST COMMAND...
ON = """#!/bin/sh
process=$(cat {place}/process-"$1") || exit
shift
exec {enter} -- "$@"
"""
# As ssh: agent [OPTIONS] HOST COMMAND...
AGENT = """#!/bin/sh
while [ "${{1#-}}" != "$1" ]; do shift; done
host=$1
shift
exec env --ignore-environment {environment} {place}/on "$host" sh -c "$*"
"""


class Missing(Exception):
    """Why there can be no hosts here."""


class Hosts:
    """Up to 250 hosts `host1`, `host2`, ... and the login host, made by `up` or `with`. ranks: how many slots each has; mpiexec
    does not hear of those without."""

    def __init__(self, ranks, rate=""):
        self.ranks = ranks
        self.names = [f"host{number}" for number in range(1, len(ranks) + 1)]
        self.rate = rate
        self.process = None
        self.place = None

    def __enter__(self):
        self.up()
        return self

    def __exit__(self, *_):
        self.down()

    def up(self):
        for tool in ("ip", "nsenter", "unshare", *(("tc",) if self.rate else ())):
            if not shutil.which(tool):
                raise Missing(f"hosts of namespaces need the command {tool}")
        if os.geteuid() != 0:
            raise Missing("only root may make hosts of namespaces")
        self.place = pathlib.Path(tempfile.mkdtemp(prefix="kumihimo-hosts-"))
        self._write_files()
        self.process = subprocess.Popen(
            [*UNSHARE.split(), "sh", self.place / "switch"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=(self.place / "errors").open("wb"),
            env={**os.environ, "PATH": f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"},
        )
        if self.process.stdout.readline().decode().strip() != LOGIN:
            reason = (self.place / "errors").read_text().strip()
            self.down()
            raise Missing(f"hosts of namespaces cannot be made here: {reason or 'no reason given'}")

    def down(self):
        """Whatever still runs on the hosts is killed."""
        if self.process:
            self.process.kill()
            self.process.communicate()
            self.process = None
        shutil.rmtree(self.place, ignore_errors=True)

    def words(self, *command, host=LOGIN):
        """The command line that runs `command` on a host, in the working directory that the login host shares with us."""
        inside = ["env", f"--chdir={os.getcwd()}", *map(str, command)]
        entered = ENTER.format(self.process.pid).split() + ["--"]
        return [*entered, *inside] if host == LOGIN else [*entered, f"{self.place}/on", host, *inside]

    def environment(self):
        """What commands on the login host get, so that mpiexec finds the hosts."""
        return {
            **os.environ,
            "HOSTS_PLACE": str(self.place),
            "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_MCA_plm_rsh_agent": f"{self.place}/agent",
            "OMPI_MCA_orte_default_hostfile": f"{self.place}/hostfile.openmpi",
            "OMPI_MCA_orte_tmpdir_base": str(self.sessions()),
            "HYDRA_LAUNCHER_EXEC": f"{self.place}/agent",
            "HYDRA_HOST_FILE": f"{self.place}/hostfile.mpich",
            "HYDRA_IFACE": "eth0",
        }

    def sessions(self):
        """Where Open MPI keeps files of its jobs, in directories named after the hosts: another cluster beside this one has a
        host1, too."""
        return self.place / "sessions"

    def worsen(self, host, loss, delay):
        """Gives the host a link that loses a part of the frames and delays each by so many seconds (bad_link.py)."""
        if not os.path.exists("/dev/net/tun"):
            raise Missing("a bad link needs /dev/net/tun")
        number = self.names.index(host) + 1
        script = f"""exec python3 {ROOT}/tests/cluster/bad_link.py {host} \
            /proc/$(cat {self.place}/process-{host})/ns/net {NETWORK}.{number}/24 {loss} {delay}"""
        link = subprocess.Popen(self.words("sh", "-c", script), stdout=subprocess.PIPE, text=True)
        if link.stdout.readline().strip() != "up":
            raise OSError("no bad link")
        link.stdout.close()  # it ends with the hosts

    def run(self, *command, host=LOGIN, settings=None, **options):
        """subprocess.run on a host."""
        return subprocess.run(
            self.words(*command, host=host), env={**self.environment(), **(settings or {})}, check=False, **options
        )

    def mpiexec(self, family, *command, ranks=None, **options):
        """A job on all slots, or some of them, as on machines with fewer processors. Its ranks get our settings: Open MPI
        brings none to another host."""
        settings = [f"{name}={value}" for name, value in os.environ.items() if name.startswith(("KUMIHIMO_", "GTEST_"))]
        words = [ROOT / "cmake" / "mpirun-test", family, ranks or sum(self.ranks), "env", *settings, *command]
        return self.run(*words, **options)

    def _write_files(self):
        for name in (LOGIN, *self.names):  # of two jobs side by side, the one that ends takes away what is empty from the other
            (self.sessions() / f"ompi.{name}.{os.geteuid()}" / "kept").mkdir(parents=True)
        remote = {name: os.environ[name] for name in REMOTE if name in os.environ}
        remote["OMPI_MCA_orte_tmpdir_base"] = str(self.sessions())
        values = {
            "place": shlex.quote(str(self.place)),
            "hosts": " ".join(self.names),
            "rate": self.rate,
            "network": NETWORK,
            "login": LOGIN,
            "unshare": UNSHARE,
            "enter": ENTER.format("$process"),
            "environment": " ".join(shlex.quote(f"{name}={value}") for name, value in remote.items()),
        }
        for name, text in {"host": HOST, "switch": SWITCH, "on": ON, "agent": AGENT}.items():
            file = self.place / name
            file.write_text(text.format(**values))
            file.chmod(0o755)
        numbers = {LOGIN: 254, **{name: number for number, name in enumerate(self.names, 1)}}
        names = [f"{NETWORK}.{number} {name}" for name, number in numbers.items()]
        (self.place / "names").write_text("\n".join(["127.0.0.1 localhost", *names, ""]))
        for name in numbers:
            (self.place / f"boot-{name}").write_text(f"{uuid.uuid4()}\n")
        for family, form in {"openmpi": "{} slots={}\n", "mpich": "{}:{}\n"}.items():
            lines = [form.format(name, ranks) for name, ranks in zip(self.names, self.ranks) if ranks]
            (self.place / f"hostfile.{family}").write_text("".join(lines))


def shape(text):
    """Ranks of each host: 2x3 is [3, 3]; 2,1,1 is [2, 1, 1]."""
    if re.fullmatch(r"[1-9]\d?x[1-9]\d?", text):
        hosts, ranks = map(int, text.split("x"))
        return [ranks] * hosts
    if re.fullmatch(r"[1-9]\d?(,[1-9]\d?)*", text):
        return [int(ranks) for ranks in text.split(",")]
    raise argparse.ArgumentTypeError(f"'{text}' is no shape as 2x2 or 2,1,1")


def end(number, _):
    signal.signal(number, signal.SIG_IGN)  # once is enough: the hosts are taken down now
    sys.exit(128 + number)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rate", default="", metavar="RATE", help="of each link, as tc has it: 1gbit")
    parser.add_argument("--mpi", choices=("openmpi", "mpich"), help="start the command as a job on all slots")
    parser.add_argument("--long", action="store_true", help="do it only where KUMIHIMO_TEST_LONG is set")
    parser.add_argument("shape", type=shape, help="hosts x ranks (2x2), or the ranks of each host (2,1,1)")
    parser.add_argument("command", nargs=argparse.REMAINDER, help="what runs on the login host (default: a shell)")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, end)
    if options.long and not LONG_FORM:
        print("Skipped\nonly in the long form (KUMIHIMO_TEST_LONG=1)")
        return SKIPPED
    try:
        with Hosts(options.shape, options.rate) as hosts, contextlib.suppress(KeyboardInterrupt):
            if options.mpi:
                return hosts.mpiexec(options.mpi, *options.command).returncode
            return hosts.run(*(options.command or [os.environ.get("SHELL", "sh")])).returncode
    except Missing as reason:
        print(f"Skipped\n{reason}")
        return SKIPPED


if __name__ == "__main__":
    sys.exit(main())
