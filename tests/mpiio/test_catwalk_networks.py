"""The engine catwalk between machines as far as one machine can play them: each node's I/O process stands in a network
namespace of its own, with a link of limited rate to a bridge."""

import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import time

import pytest
from long_form import LONG_FORM

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "faults"))
import judge
import launch
from jobs import Job, laws
from waiting import wait_for

CATWALK = launch.Library("catwalk", "openmpi", {"KUMIHIMO_IO": "**.dat=catwalk"}, ("lib/openmpi/libkumihimo_io.so",))
NODES = 4


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise OSError(f"{shlex.join(words)}: {done.stderr.strip()}")
    return done.stdout


class Network:
    """Namespaces of nodes 0, 1, ... around one with a bridge."""

    def __init__(self, rate):
        self.name = f"kumihimo-{os.getpid()}"
        self.made = []
        self.space("switch")
        self.inside("switch", "ip", "link", "add", "bridge", "type", "bridge")
        self.inside("switch", "ip", "link", "set", "bridge", "up")
        for node in range(NODES):
            self.add(node, rate)

    def space(self, end):
        run("ip", "netns", "add", f"{self.name}-{end}")
        self.made.append(f"{self.name}-{end}")
        self.inside(end, "ip", "link", "set", "lo", "up")

    def inside(self, end, *words):
        return run("ip", "netns", "exec", f"{self.name}-{end}", *words)

    def add(self, node, rate):
        self.space(node)
        peer = ("type", "veth", "peer", "name", "wire", "netns", f"{self.name}-{node}")
        self.inside("switch", "ip", "link", "add", f"node{node}", *peer)
        self.inside("switch", "ip", "link", "set", f"node{node}", "master", "bridge", "up")
        self.inside(node, "ip", "address", "add", f"10.99.0.{node + 1}/24", "dev", "wire")
        self.inside(node, "ip", "link", "set", "dev", "wire", "up")
        limit = ("tbf", "rate", rate, "burst", "64kb", "latency", "100ms")
        self.inside(node, "tc", "qdisc", "add", "dev", "wire", "root", *limit)

    def sent_bytes(self, node):
        return int(self.inside(node, "cat", "/sys/class/net/wire/statistics/tx_bytes"))

    def cut(self, node):
        self.inside("switch", "ip", "link", "set", f"node{node}", "down")

    def processes(self):
        return [process for name in self.made for process in run("ip", "netns", "pids", name).split()]

    def remove(self):
        for name in self.made:
            subprocess.run(["ip", "netns", "delete", name], check=False)


@pytest.fixture
def network():
    if not shutil.which("ip") or not shutil.which("tc"):
        pytest.skip("network namespaces need the commands ip and tc")
    made = Network.__new__(Network)
    try:
        made.__init__("100mbit")
    except OSError as error:
        made.remove()
        pytest.skip(f"network namespaces need privileges that this process lacks ({error})")
    yield made
    made.remove()


def job_in(network, build, tmp_path, injected="", **settings):
    """Every rank is a node, and the I/O process that starts first takes the first namespace that is free. Only ranks that
    started their own process reach it: names of local sockets belong to a namespace."""
    script, places = tmp_path / "agent", tmp_path / "places"
    places.mkdir()
    program = shlex.quote(str(build / "lib" / "kumihimo-iod"))
    if injected:
        injector = shlex.quote(str(build / "lib" / "libkumihimo_faults.so"))
        program = f"env LD_PRELOAD={injector} KUMIHIMO_FAULTS={shlex.quote(injected)} {program}"
    script.write_text(
        "#!/bin/sh\n"
        f"for node in {' '.join(map(str, range(NODES)))}; do\n"
        f"    mkdir {shlex.quote(str(places))}/$node 2>/dev/null && exec ip netns exec {network.name}-$node {program}\n"
        "done\nexit 1\n"
    )
    script.chmod(0o755)
    settings = {"KUMIHIMO_SHM": "off", "KUMIHIMO_IOD": str(script), **settings}
    return Job(CATWALK, build, tmp_path, ranks=NODES, **settings)


WAYS = [("ring", 1), ("tree", 2), ("star", 1), ("ring", 3), ("tree", 1), ("star", 2)]


@pytest.mark.parametrize("topology, servers", WAYS if LONG_FORM else WAYS[:2])
def test_bytes_between_machines(topology, servers, network, build, tmp_path):
    settings = {
        "KUMIHIMO_CATWALK_TOPOLOGY": topology,
        "KUMIHIMO_CATWALK_SERVERS": str(servers),
        "KUMIHIMO_CATWALK_STRIPE": "8k",
    }
    job = job_in(network, build, tmp_path, **settings).start("write", ("interleaved", "all", "-"))
    assert job.end() == 0
    assert laws(job) == ""
    assert job.path.read_bytes() == judge.content(NODES)
    sent = [network.sent_bytes(node) for node in range(NODES)]
    assert sum(sent) > len(judge.content(NODES)) / 2, f"the links carried only {sent} bytes"


def test_a_link_that_is_cut(network, build, tmp_path):
    slow = "path=*/case-*,call=write,k=1,delay_ms=4000"
    job = job_in(network, build, tmp_path, slow, KUMIHIMO_TIMEOUT="4").start("write", ("turns", "at", "-"))
    marks = f".{job.path.name}.kumihimo-incomplete-*"
    assert wait_for(lambda: any(tmp_path.glob(marks))), job.log.read_text()
    for node in range(NODES):
        network.cut(node)
    start = time.monotonic()
    assert job.end(40) == 0
    assert time.monotonic() - start < 30
    assert judge.disagreement(job.results()) == ""
    told = {call[1] for result in job.results() for call in result["calls"]}
    assert told == {"MPI_SUCCESS", "MPI_ERR_IO"}
    whole = job.path.read_bytes() == judge.content(NODES)  # all may have arrived before, and only the answers not
    assert whole or any(tmp_path.glob(marks)), "a part is missing, and the file does not say so"
    assert wait_for(lambda: not network.processes()), "I/O processes outlive their job"
