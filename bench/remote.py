"""Files of another machine: the evaluation of Stampi-I/O's paper, on hosts of namespaces with a real sshd (bench/remote.cpp).

    python3 bench/remote.py local                    through the library against direct calls: nothing may be lost
    python3 bench/remote.py remote [--rates 21mbit 800mbit none] [--delays 0 10 100] [--messages ...] [--streams ...]
    python3 bench/remote.py peers                    beside scp, rsync and sshfs; 4 KiB in turn, collective
    python3 bench/remote.py data FILE                copies of a file with real data: compressed on the way, and not
    python3 bench/remote.py plot FILE RESULT...      draws what `remote --output RESULT` left

--delays: ms there and back. A line is printed for each case. MB/s are medians of --launches; `network` is plain ssh on the same
link: a stream for collective writes and reads, for independent ones each message with an answer, as the paper's round trips.
`disk` is that of the server by itself, for writes with fdatasync. `paper` is 1/(1/network + 1/disk), what no overlap brings.
Needs root, as tests/cluster/hosts.py does.
"""

import argparse
import contextlib
import json
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from developers import runner

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests" / "cluster"), str(ROOT / "tests" / "mpiio")]
from hosts import NETWORK, Hosts  # noqa: E402
from sshd import HOST, Sshd  # noqa: E402

FAMILY, SERVER = "mpich", "host1"
MTU = 9000  # of links with delay, whose frames a process carries: ATM had 9,180, HIPPI 65,280
KIB, MIB = 1 << 10, 1 << 20
SECONDS = 3  # about what a case may take on the network

# ---- what runs on the hosts: this file with a word in front ----

RECEIVER = "import sys\nm,n=map(int,sys.argv[1:])\nr=sys.stdin.buffer\nw=sys.stdout.buffer\nw.write(b'g');w.flush()\n"
TAKES = RECEIVER + "for i in range(n):\n r.read(m)\n w.write(b'a');w.flush()\n"
GIVES = RECEIVER + "d=bytes(m)\nfor i in range(n):\n r.read(1)\n w.write(d);w.flush()\n"


def plain_ssh(ssh, pattern, message, total):
    """Seconds for the bytes over ssh alone, one message after the other or as a stream."""
    if pattern.endswith("_all"):
        message = max(message, 64 * KIB)  # of a stream it does not matter
    count = max(1, total // message)
    words = [
        *shlex.split(ssh),
        HOST,
        shlex.join(["python3", "-c", GIVES if "read" in pattern else TAKES, str(message), str(count)]),
    ]
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    process.stdout.read(1)
    data, waits = bytes(message), not pattern.endswith("_all")
    ask, answer = (b"r", message) if "read" in pattern else (data, 1)
    start = time.monotonic()
    if "read" in pattern and not waits:
        process.stdin.write(ask * count)
        process.stdin.flush()
    for _ in range(count):
        if waits or "write" in pattern:
            process.stdin.write(ask)
            process.stdin.flush()
        if waits or "read" in pattern:
            process.stdout.read(answer)
    if not waits and "write" in pattern:
        process.stdout.read(count)
    seconds = time.monotonic() - start
    process.stdin.close()
    process.wait()
    return {"seconds": seconds, "bytes": count * message}


def disk(path, pattern, message, total):
    """Seconds by system calls on the server, of writes with fdatasync."""
    count, data = max(1, total // message), bytearray(message)
    flags = os.O_RDONLY if "read" in pattern else os.O_WRONLY | os.O_CREAT
    file = os.open(path, flags, 0o600)
    start = time.monotonic()
    for number in range(count):
        if "read" in pattern:
            os.preadv(file, [data], number * message)
        else:
            os.pwrite(file, data, number * message)
    if "write" in pattern:
        os.fdatasync(file)
    seconds = time.monotonic() - start
    os.close(file)
    return {"seconds": seconds, "bytes": count * message}


INSIDE = {"plain_ssh": plain_ssh, "disk": disk}


def work_inside(name, *words):
    first, pattern, message, total = words
    print(json.dumps(INSIDE[name](first, pattern, int(message), int(total))))


# ---- from outside ----


class Site:
    """A client, the login host, and a server behind a link."""

    def __init__(self, rate, delay, directory):
        self.rate, self.delay, self.directory = rate, delay, Path(directory)

    def __enter__(self):
        with contextlib.ExitStack() as stack:
            limited = [] if self.rate == "none" else ["tbf", "rate", self.rate, "burst", "256k", "latency", "50ms"]
            self.hosts = stack.enter_context(Hosts([1], "" if self.delay or not limited else self.rate))
            if self.delay:
                self._delay(limited)
            place = stack.enter_context(tempfile.TemporaryDirectory())
            self.sshd = stack.enter_context(Sshd(place, f"{NETWORK}.1", lambda words: self.hosts.words(*words, host=SERVER)))
            self.stack = stack.pop_all()
        return self

    def __exit__(self, *_):
        self.stack.close()

    def _delay(self, limited):
        self.hosts.worsen(SERVER, 0, self.delay / 2000)
        for host, device in (("login", SERVER), (SERVER, "eth0")):
            self.must(["ip", "link", "set", device, "mtu", MTU], host)
            if limited:
                self.must(["tc", "qdisc", "add", "dev", device, "root", *limited], host)
        self.must(["ip", "link", "set", "eth0", "mtu", MTU])

    def must(self, words, host="login", settings=None):
        done = self.hosts.run(*words, host=host, settings=settings, capture_output=True, text=True, timeout=280)
        if done.returncode != 0:
            sys.exit(f"remote.py: {words}: {done.stdout}{done.stderr}")
        return done.stdout

    def on(self, host, what, *words):
        return json.loads(self.must([sys.executable, __file__, "--inside", what, *words], host))

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


def rate(found):
    return found["bytes"] / found["seconds"] / 1e6


def median(launches, start):
    return statistics.median(rate(start()) for _ in range(launches))


def bits(rate_text):
    return 8e9 if rate_text == "none" else float(rate_text.removesuffix("mbit")) * 1e6


def total_for(options, rate_text, delay, pattern, message):
    """As much as the link moves in about SECONDS; of messages that wait for answers less."""
    whole = int(min(bits(rate_text) / 8 * SECONDS, options.most * MIB))
    if not pattern.endswith("_all"):
        whole = min(whole, int(SECONDS / (delay / 1000 + 1e-4) + 1) * message)
    return max(message, whole // message * message)


def remote(options):
    for rate_text in options.rates:
        for delay in options.delays:
            with Site(rate_text, delay, options.directory) as site:
                for pattern in options.patterns:
                    for message in options.messages:
                        yield one(options, site, pattern, message)


def one(options, site, pattern, message):
    total = total_for(options, site.rate, site.delay, pattern, message)
    path = Path(options.directory) / "data"
    if "read" in pattern:
        site.job(str(path), "write_all", MIB, total + MIB, 1, {})
    name = f"stampi://{HOST}{path}"
    settings = site.settings(options)
    found = {
        "network": median(options.launches, lambda: site.on("login", "plain_ssh", site.sshd.ssh, pattern, message, total)),
        "ours": median(options.launches, lambda: site.job(name, pattern, message, total, options.ranks, settings)),
        "disk": median(options.launches, lambda: site.on(SERVER, "disk", path, pattern, message, total)),
    }
    path.unlink(missing_ok=True)
    found["paper"] = 1 / (1 / found["network"] + 1 / found["disk"])
    found["of min"] = found["ours"] / min(found["network"], found["disk"])
    return {"rate": site.rate, "delay": site.delay, "pattern": pattern, "message": message, **found}


def local(options):
    path = Path(options.directory) / "data"
    with Site("none", 0, options.directory) as site:
        for pattern in options.patterns:
            for message in options.messages:
                total = max(message, 64 * MIB if message >= 64 * KIB else 4096 * message)
                rates = {"direct calls": [], "library": [], "stampi://localhost": []}
                for _ in range(options.launches):
                    site.job(str(path), "write_all", MIB, total + MIB, 1, {})
                    for name, values in rates.items():
                        told = f"stampi://localhost{path}" if "//" in name else str(path)
                        settings = {} if name == "direct calls" else site.settings(options)
                        values.append(rate(site.job(told, pattern, message, total, options.ranks, settings)))
                path.unlink(missing_ok=True)
                found = {name: statistics.median(values) for name, values in rates.items()}
                yield {"pattern": pattern, "message": message, **found, "ratio": found["library"] / found["direct calls"]}


def timed(start):
    begin = time.monotonic()
    start()
    return time.monotonic() - begin


def peers(options):
    """A whole file with the start of everything in it, and small pieces in turn."""
    for rate_text in options.rates:
        for delay in options.delays:
            with Site(rate_text, delay, options.directory) as site, tempfile.TemporaryDirectory() as mount:
                yield from beside(options, site, Path(options.directory), Path(mount))


def beside(options, site, directory, mount):
    total = total_for(options, site.rate, site.delay, "write_all", MIB)
    source, target = directory / "source", directory / "target"
    source.write_bytes(os.urandom(MIB) * (total // MIB))
    ssh = site.sshd.ssh
    config = ssh.split()[2]
    commands = {
        "scp": ["scp", "-q", "-F", config, source, f"{HOST}:{target}"],
        "rsync": ["rsync", "--whole-file", "--inplace", "-e", ssh, source, f"{HOST}:{target}"],
    }
    found = {}
    for name, words in commands.items():
        found[name] = total / 1e6 / timed(lambda words=words: site.must(words))
        target.unlink()
    mounted = f"sshfs -o ssh_command='{ssh}' {HOST}:{directory} {mount} && "
    copied = f"{mounted} cp {source} {mount}/target && fusermount -u {mount}"
    found["sshfs"] = total / 1e6 / timed(lambda: site.must(["sh", "-c", copied]))
    target.unlink()
    settings, name = site.settings(options), f"stampi://{HOST}{target}"
    found["ours"] = total / 1e6 / timed(lambda: site.job(name, "write_all", 4 * MIB, total, 1, settings))
    yield {"rate": site.rate, "delay": site.delay, "what": "whole file", **found}
    for path in (source, target):
        path.unlink()
    small = min(total, 16 * MIB if site.delay == 0 else 4 * MIB)
    program = runner.program("remote", FAMILY)
    strided = f"{mounted} mpiexec.mpich -launcher fork -n 2 {program} {mount}/target strided_write 4096 {small}"
    told = site.must(["sh", "-c", f"{strided}; fusermount -u {mount}"])
    ours = site.job(name, "strided_write", 4 * KIB, small, 2, settings)
    target.unlink()
    yield {"rate": site.rate, "delay": site.delay, "what": "4 KiB in turn", "sshfs": rate(json.loads(told)), "ours": rate(ours)}


def data(options):
    """Whole copies, with all that begins and ends them."""
    source = Path(options.files[0]).resolve()
    for rate_text in options.rates:
        for delay in options.delays:
            with Site(rate_text, delay, options.directory) as site:
                yield {"rate": rate_text, "delay": delay, "bytes": source.stat().st_size, **copies(options, site, source)}


def copies(options, site, source):
    target, config = Path(options.directory) / "target", site.sshd.ssh.split()[2]
    ours = [str(ROOT / "build" / "bin" / "kumihimo"), "files", "cp", source, f"stampi://{HOST}{target}"]
    commands = {
        "scp": (["scp", "-q", "-F", config, source, f"{HOST}:{target}"], {}),
        "scp -C": (["scp", "-q", "-C", "-F", config, source, f"{HOST}:{target}"], {}),
        "rsync -z": (["rsync", "-z", "--whole-file", "-e", site.sshd.ssh, source, f"{HOST}:{target}"], {}),
        "ours, as it is": (ours, site.settings(options, KUMIHIMO_STAMPI_COMPRESSION="0")),
        "ours": (ours, site.settings(options)),
    }
    found = {name: [] for name in commands}
    for _ in range(options.launches):
        for name, (words, settings) in commands.items():
            settings = {key: value for key, value in settings.items() if key != "LD_PRELOAD"}
            seconds = timed(lambda words=words, settings=settings: site.must(words, settings=settings))
            if target.read_bytes() != source.read_bytes():
                sys.exit(f"remote.py: {name}: another file has arrived")
            found[name].append(source.stat().st_size / 1e6 / seconds)
            target.unlink()
    return {name: statistics.median(values) for name, values in found.items()}


def plot(path, results):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    pyplot.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "remote", "font.size": 8})
    rows = [json.loads(line) for name in results for line in Path(name).read_text().splitlines()]
    links = list(dict.fromkeys((row["rate"], row["delay"]) for row in rows))
    patterns = list(dict.fromkeys(row["pattern"] for row in rows))
    figure, panels = pyplot.subplots(len(patterns), len(links), figsize=(2.1 * len(links), 1.8 * len(patterns)), squeeze=False)
    for pattern, line in zip(patterns, panels):
        for (rate_text, delay), axes in zip(links, line):
            points = [row for row in rows if (row["rate"], row["delay"], row["pattern"]) == (rate_text, delay, pattern)]
            for name, style in {"ours": "o-", "network": "s--", "disk": ":", "paper": "-."}.items():
                axes.loglog([row["message"] for row in points], [row[name] for row in points], style, ms=3, lw=1, label=name)
            axes.set_title(f"{pattern}, {rate_text}, {delay} ms", fontsize=7)
        line[0].set_ylabel("MB/s")
    for axes in panels[-1]:
        axes.set_xlabel("bytes of a message")
    figure.legend(*panels[0][0].get_legend_handles_labels(), loc="lower center", ncols=4, frameon=False)
    figure.tight_layout(rect=(0, 0.05, 1, 1))
    figure.savefig(path, metadata={"Date": None} if path.endswith(".svg") else None)


def shown(value):
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=["local", "remote", "peers", "data", "plot"])
    parser.add_argument("files", nargs="*")
    parser.add_argument("--build")
    parser.add_argument("--rates", nargs="+", default=["21mbit", "800mbit", "none"])
    parser.add_argument("--delays", nargs="+", type=int, default=[0, 10, 100])
    parser.add_argument("--messages", nargs="+", type=int, default=[KIB << (2 * power) for power in range(9)])
    parser.add_argument("--patterns", nargs="+", default=["write", "write_all", "read", "read_all"])
    parser.add_argument("--ranks", type=int, default=1)
    parser.add_argument("--launches", type=int, default=3)
    parser.add_argument("--most", type=int, default=256, metavar="MIB", help="bytes of a case")
    parser.add_argument("--settings", nargs="*", default=[], metavar="NAME=VALUE", help="of ranks: KUMIHIMO_STAMPI_PROCESSES=2")
    parser.add_argument("--directory", help="of the server (default: a temporary one)")
    parser.add_argument("--output", help="a file to which results are added, a line of JSON each")
    options = parser.parse_args()
    if options.part == "plot":
        return plot(options.files[0], options.files[1:])
    with tempfile.TemporaryDirectory(dir=options.directory) as options.directory:
        for row in {"local": local, "remote": remote, "peers": peers, "data": data}[options.part](options):
            print(*(f"{key} {shown(value)}" for key, value in row.items()), sep="  ", flush=True)
            if options.output:
                with open(options.output, "a") as file:
                    print(json.dumps(row), file=file)
    return None


if __name__ == "__main__":
    if sys.argv[1:2] == ["--inside"]:
        work_inside(*sys.argv[2:])
    else:
        main()
