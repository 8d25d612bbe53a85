"""The checks of `kumihimo doctor --hosts`: each host by itself, then all with each other, then programs on all of them."""

import contextlib
import json
import os
import re
import secrets
import shutil
import tempfile

from ... import configuration
from .. import checking
from ..checking import Check
from . import agents

MOST_NAMED = 4  # hosts of one failure; 64 of them may have the same
CLOCKS = 0.1  # seconds that clocks may differ: what time services reach anywhere
LEAST_MEMORY = 256 << 20  # of /dev/shm
RANKS = 2  # on each host: some of what goes wrong between machines takes several on one
PROGRAM_SECONDS = 30
TRANSPORT = re.compile(r"node 0 of \d+: transport (.*)")
# What to do.
REACH_MPIEXEC = """The launcher must start processes there without a question: try `ssh {0} hostname`. It must find python3
there, and they must reach the machine of this command at any port (firewalls, names in /etc/hosts)."""
REACH_SRUN = "Slurm must start processes there: try `srun --overlap -N 1 -w {0} hostname`, and `sinfo -N -l` for its state."
INSTALL = """Programs load libkumihimo at the same path on every host. Install the same version there, or install it once in
a directory that all hosts share."""
NETWORK = """MPI connects all hosts with each other, at ports of its choice. Allow all ports between them (`nft list ruleset`,
`firewall-cmd --list-all`), and let each name lead to the same machine everywhere (`getent hosts {0}`)."""
PACKETS = """
Where large messages do not arrive: let all on the way have the same packet size (`ip link show`, `ping -M do -s 8972 {0}`)."""
CLOCK = "Let a time service set the clocks (chrony, systemd-timesyncd): times of files and logs are compared between hosts."
MEMORY = """Nodes on one machine share memory there, and MPI may fail with a bus error when it is full. See what fills it
(`ls -l /dev/shm`), and make it larger and writable: {0}"""
REMOUNT = "mount -o remount,rw,mode=1777,size=1g /dev/shm"
DIRECTORY = """Programs, their files and checkpoints need a directory that is the same on all hosts. Start from one on a shared
file system (NFS, Lustre and others), or name it: --directory=DIRECTORY"""
WINDOWS = """Coarrays and global arrays do not depend on it: they take the transport above. MPI_Win_allocate of your own may
need the info key alloc_shared_noncontig=true (MPICH), or KUMIHIMO_PROGRESS_THREAD=off (Open MPI 4.1 over TCP)."""


def of_allocation():
    """The hosts of the Slurm allocation around us; none outside of one."""
    listed = os.environ.get("SLURM_JOB_NODELIST")
    if not listed or not shutil.which("scontrol"):
        return []
    code, output, _ = checking.run(["scontrol", "show", "hostnames", listed])
    return output.split() if code == 0 else []


class Survey:
    """launcher: mpiexec or srun. directory: where programs and their files are. limit: seconds
    that a host has for an answer."""

    def __init__(self, hosts, families, launcher, directory, limit):
        self.hosts, self.families, self.launcher, self.directory = hosts, families, launcher, directory
        self.limit = limit
        self.token = secrets.token_hex(8)
        self.files = {host: f"host-{number}" for number, host in enumerate(hosts)}
        self.settings = {family: os.path.join(configuration.LIBRARIES, family, "kumihimo-settings") for family in families}

    def checks(self):
        try:
            place = tempfile.mkdtemp(prefix=".kumihimo-doctor-", dir=self.directory)
        except OSError as error:
            yield Check("shared directory", "failed", f"{self.directory}: {error.strerror}", DIRECTORY)
            return
        try:
            with open(os.path.join(place, "token"), "w", encoding="ascii") as file:
                file.write(self.token)
            yield from self._checks(place)
        finally:
            shutil.rmtree(place, ignore_errors=True)

    def _checks(self, place):
        with self._probes() as probes:
            facts, reasons = agents.ask_all(probes, {host: self._first_question(host, place) for host in self.hosts})
            yield check_reached(facts, reasons, REACH_SRUN if self.launcher == "srun" else REACH_MPIEXEC)
            if not facts:
                return
            yield check_kumihimo(facts, configuration.VERSION)
            yield from (check_mpi(facts, family, library_of(self.settings[family])) for family in self.families)
            yield check_memory(facts)
            living = [one for one in probes if one.host in facts]
            met, lost = agents.ask_all(living, {host: self._second_question(host, facts, place) for host in facts})
            yield check_network(met, lost)
            yield check_clocks(met)
            shared = check_directory(self.directory, self.files, facts, met, self.token)
            yield shared
        for family in self.families:
            yield from self._programs(list(facts), family, place, shared.status == "ok")

    # ---- Probes ----

    @contextlib.contextmanager
    def _probes(self):
        started = []
        try:
            for host in self.hosts:
                started.append(agents.Agent(self.launcher, self.families[0], host, self.limit))
            yield started
        finally:
            for one in started:
                one.end()

    def _first_question(self, host, place):
        own = {"name": host, "file": self.files[host], "token": self.token, "directory": place}
        return {"ask": "facts", **own, "kumihimo": checking.own_command("kumihimo"), "settings": self.settings}

    def _second_question(self, host, facts, place):
        ports = {other: answer["port"] for other, answer in facts.items() if other != host}
        sharing = [other for other, answer in facts.items() if answer["token"].get("output") == self.token]
        files = [self.files[other] for other in sharing] if host in sharing else []
        return {"ask": "peers", "directory": place, "files": files, "ports": ports}

    # ---- Programs ----

    def _programs(self, hosts, family, place, shared):
        """Coarrays and windows on all hosts."""
        name = f"coarrays on {len(hosts)} hosts ({family})"
        if not shared:
            yield Check(name, "warning", "not tried: it takes a shared directory", "Mend that first.")
            return
        if not os.path.exists(checking.own_command("xmpcc")):
            yield Check(name, "warning", "not tried: it takes the compiler xmpcc", "Run the doctor where xmpcc is.")
            return
        program = os.path.join(place, f"hosts-{family}")
        source = os.path.join(os.path.dirname(os.path.realpath(__file__)), "program.c")
        code, output, errors = checking.run([checking.own_command("xmpcc"), f"--mpi={family}", source, "-o", program])
        if code != 0:
            yield Check(name, "failed", f"xmpcc ended with exit code {code}", (errors + output).strip(), "kumihimo doctor")
            return
        words = [*agents.on_all(self.launcher, family, hosts, RANKS), program]
        coarrays = check_coarrays(name, *self._run([*words, "coarrays"], place), shown(words))
        yield coarrays
        if coarrays.status != "ok":
            return  # what is to be mended is told
        yield check_windows(f"MPI's windows on {len(hosts)} hosts ({family})", *self._run([*words, "windows"], place))

    def _run(self, words, place):
        environment = {**os.environ, "KUMIHIMO_LOG": "info"}
        return checking.run(words, self.limit + PROGRAM_SECONDS + len(self.hosts), env=environment, cwd=place)


def shown(words):
    return " ".join(["xmprun", *words[1:-1], "hostname"])


# ---- What answers mean ----


def named(problems):
    """{host: what is wrong} in one line."""
    words = [f"{host}: {problem}" for host, problem in list(problems.items())[:MOST_NAMED]]
    more = len(problems) - MOST_NAMED
    return "; ".join(words) + (f"; and {more} more" if more > 0 else "")


def judged(name, problems, good, advice, status="failed", command=None):
    """A check that is good where no host has a problem."""
    if not problems:
        return Check(name, "ok", good)
    return Check(name, status, named(problems), advice.replace("{0}", next(iter(problems))), command)


def check_reached(facts, reasons, advice):
    """reasons: {host: lines}, of those that did not answer."""
    problems = {host: said.splitlines()[0] for host, said in reasons.items()}
    told = [f"{host}: {line}" for host, said in reasons.items() for line in said.splitlines()[1:]]
    check = judged("hosts", problems, f"{len(facts)} answer: {listed(facts)}", advice)
    if told:
        check.advice = "\n".join([*told[:12], check.advice])
    return check


def listed(names):
    words = list(names)[:8]
    return ", ".join(words) + (", ..." if len(names) > len(words) else "")


def check_kumihimo(facts, own):
    problems = {}
    for host, fact in facts.items():
        failure = fact["kumihimo"].get("failure")
        version = None if failure else json.loads(fact["kumihimo"]["output"])["version"]
        if version != own:
            problems[host] = failure or f"version {version}, here {own}"
    return judged("the same Kumihimo on all hosts", problems, f"version {own}", INSTALL)


def library_of(settings):
    """What the MPI library tells of itself, with which the program is linked: it does not start where that is missing."""
    code, output, _ = checking.run([settings])
    return json.loads(output)["library"] if code == 0 else "no MPI library"


def check_mpi(facts, family, own):
    """own: what the library here tells."""
    problems = {}
    for host, fact in facts.items():
        told = fact["mpi"][family]
        library = None if "failure" in told else json.loads(told["output"])["library"]
        if library != own:
            problems[host] = told.get("failure") or f"{brief(library)}, here {brief(own)}"
    return judged(f"the same MPI on all hosts ({family})", problems, brief(own), INSTALL)


def brief(library):
    """The beginning of what the MPI library tells of itself."""
    return " ".join(library.split(",")[0].split())


def check_memory(facts):
    problems = {}
    for host, fact in facts.items():
        memory = fact["memory"]
        if "failure" in memory:
            problems[host] = f"nothing can be made in /dev/shm: {memory['failure']}"
        elif memory["free"] < LEAST_MEMORY:
            problems[host] = f"/dev/shm has only {memory['free'] >> 20} MiB free"
    least = min(fact["memory"].get("free", 0) for fact in facts.values())
    status = "failed" if any("failure" in fact["memory"] for fact in facts.values()) else "warning"
    advice = MEMORY.replace("{0}", REMOUNT)
    return judged(
        "shared memory on all hosts", problems, f"/dev/shm has {least >> 20} MiB free or more", advice, status, REMOUNT
    )


def check_network(met, lost):
    problems = {host: said.splitlines()[0] for host, said in lost.items()}
    for host, answer in met.items():
        for peer, result in answer["reached"].items():
            if result["reason"]:
                problems[f"{host} to {peer}"] = result["reason"]
    pairs = sum(len(answer["reached"]) for answer in met.values())
    advice = NETWORK + (PACKETS if any("large" in problem for problem in problems.values()) else "")
    check = judged("network between hosts", problems, f"{pairs} connections", advice)
    if check.advice:
        check.advice = check.advice.replace(next(iter(problems)), next(iter(problems)).split()[-1])
    return check


def check_clocks(met):
    """As the first host sees the others."""
    first, answer = next(iter(met.items()), (None, {"reached": {}}))
    problems, most = {}, 0.0
    for peer, result in answer["reached"].items():
        if result["reason"]:
            continue
        ahead = result["ahead"]
        most = max(most, abs(ahead))
        if abs(ahead) > CLOCKS + result["error"]:
            problems[peer] = f"{abs(ahead):.1f} s {'ahead of' if ahead > 0 else 'behind'} {first}"
    return judged("clocks", problems, f"they differ by at most {most * 1000:.0f} ms", CLOCK, "warning", "timedatectl")


def check_directory(directory, files, facts, met, token):
    problems = {}
    for host, fact in facts.items():
        left = fact["token"]
        if left.get("output") != token:
            problems[host] = f"does not have what was written here in {directory}: {left.get('failure', 'other content')}"
        elif host in met:
            missing = [other for other in facts if met[host]["seen"].get(files[other], token) != token]
            if missing:
                problems[host] = f"does not see in {directory} what {listed(missing)} wrote"
    return judged("shared directory", problems, f"{directory} is the same on all hosts", DIRECTORY)


def check_coarrays(name, code, output, errors, command):
    transport = TRANSPORT.search(errors)
    way = f"transport {brief(transport.group(1))}" if transport else "shared memory"
    said = said_by_program(output, errors)
    if code == 0 and "right" in output.split():
        return Check(name, "ok", f"{output.split()[0]} images, {way}")
    found = f"the program ended with exit code {code}" if code else "the program did not tell that all is right"
    return Check(name, "failed", f"{found}; {way}", f"{said}\nDoes anything run on these hosts? {command}".strip(), command)


def check_windows(name, code, output, errors):
    if code == 0 and "right" in output.split():
        return Check(name, "ok", "MPI_Win_allocate, MPI_Put and MPI_Get work")
    wrong = "data arrive in wrong places" if "wrong" in output.split() else f"the program ended with exit code {code}"
    return Check(name, "warning", wrong, f"{said_by_program('', errors)}\n{WINDOWS}".strip())


def said_by_program(output, errors):
    """Without the lines that KUMIHIMO_LOG makes."""
    lines = (output + errors).strip().splitlines()
    return "\n".join([line for line in lines if not re.match(r"kumihimo: node \d+ of \d+: ", line)][-agents.MOST_LINES :])
