"""Probes on the hosts (probe.py), each started by the launcher that starts programs, so that what it needs is tried, too."""

import json
import os
import re
import select
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

from .. import checking
from . import probe

RULE = re.compile(r"[-=*]{10,}")
MOST_LINES = 6  # of what a launcher says; its advice is about itself
# Options of xmprun that start a process on one host.
ONE = {"openmpi": ["-host", "{}"], "mpich": ["-hosts", "{}"], "srun": ["--overlap", "-N", "1", "-w", "{}"]}


def on_one(launcher, family, host):
    """xmprun and its options for one process on a host."""
    options = [word.format(host) for word in ONE["srun" if launcher == "srun" else family]]
    return [checking.own_command("xmprun"), f"--mpi={family}", f"--launcher={launcher}", "-n", "1", *options]


def on_all(launcher, family, hosts, ranks):
    """xmprun and its options for so many ranks on each host."""
    words = [checking.own_command("xmprun"), f"--mpi={family}", f"--launcher={launcher}", "-n", str(len(hosts) * ranks)]
    if launcher == "srun":
        return [*words, "--overlap", "--overcommit", "-N", str(len(hosts)), f"--ntasks-per-node={ranks}", "-w", ",".join(hosts)]
    return [*words, "-host" if family == "openmpi" else "-hosts", ",".join(f"{host}:{ranks}" for host in hosts)]


class NoAnswer(Exception):
    """What is known about it."""


class Agent:
    """A probe on one host. limit: seconds for a launcher that reaches a machine, and for an answer."""

    def __init__(self, launcher, family, host, limit):
        self.host, self._limit = host, limit
        self._said = tempfile.TemporaryFile()
        with open(probe.__file__, encoding="utf-8") as file:
            text = file.read()
        # In a directory that every machine has: launchers go to ours before they start anything.
        self._process = checking.start(
            [*on_one(launcher, family, host), "python3", "-c", text], stdin=subprocess.PIPE, stderr=self._said, cwd="/"
        )

    def ask(self, question):
        """The answer; else NoAnswer."""
        try:
            self._process.stdin.write((json.dumps(question) + "\n").encode())
            self._process.stdin.flush()
        except OSError:
            raise NoAnswer(self._reason("the launcher ended at once")) from None
        return self._answer(time.monotonic() + self._limit)

    def end(self):
        try:
            self._process.stdin.close()
            self._process.wait(timeout=1)
        except (OSError, subprocess.TimeoutExpired):
            checking.end(self._process)
        self._process.stdout.close()
        self._said.close()

    def _answer(self, deadline):
        text = b""
        descriptor = self._process.stdout.fileno()
        while not text.endswith(b"\n"):
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([descriptor], [], [], left)[0]:
                raise NoAnswer(self._reason(f"no answer for {self._limit} s"))
            data = os.read(descriptor, 1 << 16)
            if not data:
                raise NoAnswer(self._reason("the launcher ended without an answer"))
            text += data
        for line in text.decode(errors="replace").splitlines():
            if line.startswith(probe.ANSWER):
                return json.loads(line[len(probe.ANSWER) :])
        return self._answer(deadline)

    def _reason(self, what):
        """With what the launcher said of it."""
        said = os.pread(self._said.fileno(), 1 << 16, 0).decode(errors="replace")
        lines = [line.strip() for line in said.splitlines() if line.strip() and not RULE.fullmatch(line.strip())]
        return "\n".join([what, *lines[:MOST_LINES]])


def ask_all(agents, questions):
    """({host: answer}, {host: why there is none}), of all at once. questions: {host: question}."""
    answers, reasons = {}, {}

    def one(agent):
        try:
            answers[agent.host] = agent.ask(questions[agent.host])
        except NoAnswer as reason:
            reasons[agent.host] = str(reason)

    with ThreadPoolExecutor(len(agents) or 1) as pool:
        list(pool.map(one, agents))
    return _in_order(answers, questions), _in_order(reasons, questions)


def _in_order(found, names):
    return {name: found[name] for name in names if name in found}
