"""Files of another machine: the evaluation of Stampi-I/O's paper, on hosts of namespaces with a real sshd (bench/remote.cpp).

    python3 bench/remote.py local                    through the library against direct calls: nothing may be lost
    python3 bench/remote.py remote                   beside the network's own speed, the disk's, and the paper's model
    python3 bench/remote.py processors               seconds of processor of all programs, on a machine that does nothing else
    python3 bench/remote.py processes                1, 2 and 4 I/O processes for 4 ranks
    python3 bench/remote.py routers                  1, 2 and 4 gateways, each with a link of the rate
    python3 bench/remote.py peers                    beside scp, rsync and sshfs; 4 KiB in turn, collective
    python3 bench/remote.py data FILE                copies of a file with real data: compressed on the way, and not
    python3 bench/remote.py plot PICTURE RESULT...   draws what --output left
    python3 bench/remote.py table RESULT...          the same as tables for a page

--rates, --delays (ms there and back), --messages, --patterns choose cases, and a line is printed for each. Those that --output
has already are left out, so that a series may come in parts. MB/s are medians of --launches; `network` is plain ssh on the same
link: a stream for collective writes and reads, for independent ones each message with an answer, as the paper's round trips.
`file` is the same with a file at the other end, for writes with fdatasync: what is possible where both machines are one, whose
processors do all of it. `disk` is that of the server by itself. `paper` is 1/(1/network + 1/disk), what no overlap brings.
Needs root, as tests/cluster/hosts.py does.
"""

import argparse
import functools
import json
import os
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from remote_pictures import plot, table
from remote_site import HOST, ROOT, SERVER, Site, runner

KIB, MIB = 1 << 10, 1 << 20

# ---- what runs on the hosts: this file with a word in front ----

OTHER_END = """import os, sys
message, count = map(int, sys.argv[1:3])
file = os.open(sys.argv[3], os.O_RDWR | os.O_CREAT, 0o600) if len(sys.argv) > 3 else None
source, target, data = sys.stdin.buffer, sys.stdout.buffer, bytes(message)
def say(words):
    target.write(words)
    target.flush()
say(b"g")
"""
TAKES = f"""{OTHER_END}
for number in range(count):
    data = source.read(message)
    if file is not None:
        os.write(file, data)
        if number == count - 1:
            os.fdatasync(file)
    say(b"a")
"""
GIVES = f"""{OTHER_END}
for number in range(count):
    source.read(1)
    say(data if file is None else os.pread(file, message, number * message))
"""


def plain_ssh(ssh, pattern, message, total, *path):
    """Seconds for the bytes over ssh alone, one message after the other or as a stream. path: of a file at the other end."""
    if pattern.endswith("_all"):
        message = max(message, 64 * KIB)  # of a stream it does not matter
    count = max(1, total // message)
    words = [
        *shlex.split(ssh),
        HOST,
        shlex.join(["python3", "-c", GIVES if "read" in pattern else TAKES, str(message), str(count), *path]),
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


def pieces(path, _, message, total):
    """Seconds of two processes that write pieces in turn by pwrite, with nobody between who could merge them, and fsync."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
    start = time.monotonic()
    child = os.fork()
    for at in range(0 if child else message, total, 2 * message):
        os.pwrite(file, bytes(message), at)
    os.fsync(file)
    if not child:
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if status != 0:
        sys.exit("remote.py: the other process that writes pieces failed")
    os.close(file)
    return {"seconds": time.monotonic() - start, "bytes": total}


INSIDE = {"plain_ssh": plain_ssh, "disk": disk, "pieces": pieces}


def work_inside(name, *words):
    first, pattern, message, total, *rest = words
    print(json.dumps(INSIDE[name](first, pattern, int(message), int(total), *rest)))


# ---- cases ----


def rate(found):
    return found["bytes"] / found["seconds"] / 1e6


def median(launches, start):
    return statistics.median(rate(start()) for _ in range(launches))


def bits(rate_text):
    return 8e9 if rate_text == "none" else float(rate_text.removesuffix("mbit")) * 1e6


def total_for(options, rate_text, delay, pattern, message):
    """As much as the link moves in about --seconds, the same for all small messages; of those that wait for answers less."""
    whole, unit = int(min(bits(rate_text) / 8 * options.seconds, options.most * MIB)), max(message, MIB)
    if not pattern.endswith("_all"):
        whole, unit = min(whole, int(options.seconds / (delay / 1000 + 1e-4) + 1) * message), message
    return max(unit, whole // unit * unit)


def sites(options, **more):
    for rate_text in options.rates:
        for delay in options.delays:
            here = {"rate": rate_text, "delay": delay, **more}
            if any(not options.done({**here, **case}) for case in options.cases):
                with Site(rate_text, delay, options.directory, more.get("gateways", 0), options.ssh) as site:
                    yield site, here


def each_case(options, measure, **more):
    """A row of each case that is not there yet: `measure` gives what was found."""
    for site, here in sites(options, **more):
        for case in options.cases:
            if not options.done({**here, **case}):
                yield {**here, **case, **measure(site, case["pattern"], case["message"])}


def ours(options, site, pattern, message, total, ranks, **more):
    """MB/s of our own."""
    path = Path(options.directory) / "data"
    if "read" in pattern:
        site.job(str(path), "write_all", MIB, total + MIB, 1, {})
    settings = site.settings(options, **more)
    found = median(options.launches, lambda: site.job(f"stampi://{HOST}{path}", pattern, message, total, ranks, settings))
    path.unlink(missing_ok=True)
    return found


def remote(options):
    path = Path(options.directory) / "data"

    @functools.cache  # of a stream the size of the messages does not matter
    def network(site, pattern, message, total, *file):
        words = ("plain_ssh", site.sshd.ssh, pattern, message, total, *file)
        return median(options.launches, lambda: site.on("login", __file__, *words))

    def of_disk(site, pattern, message, total):
        return median(options.launches, lambda: site.on(SERVER, __file__, "disk", path, pattern, message, total))

    def measure(site, pattern, message):
        total = total_for(options, site.rate, site.delay, pattern, message)
        stream = pattern.endswith("_all")
        asked = (MIB if stream else message, total)
        found = {"network": network(site, pattern, *asked), "ours": ours(options, site, pattern, message, total, options.ranks)}
        if "read" in pattern:
            site.job(str(path), "write_all", MIB, total + MIB, 1, {})
        if stream:
            found["file"] = network(site, pattern, *asked, str(path))
        found["disk"] = of_disk(site, pattern, message, total)
        path.unlink(missing_ok=True)
        found["paper"] = 1 / (1 / found["network"] + 1 / found["disk"])
        return {**found, "of min": found["ours"] / min(found["network"], found["disk"])}

    return each_case(options, measure)


def processor_seconds():
    """Of all processors since the machine began."""
    user, nice, system, _, _, irq, softirq = map(int, Path("/proc/stat").read_text().split(maxsplit=8)[1:8])
    return (user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK")


def used(start):
    before = processor_seconds()
    start()
    return processor_seconds() - before


def processors(options):
    """With all that begins and ends the programs. Nobody else may use the processors."""

    def measure(site, pattern, message):
        total = total_for(options, site.rate, site.delay, pattern, message)
        path = Path(options.directory) / "data"
        ssh = ("plain_ssh", site.sshd.ssh, pattern, MIB, total)
        starts = {
            "nothing": lambda: time.sleep(1),
            "network": lambda: site.on("login", __file__, *ssh),
            "file": lambda: site.on("login", __file__, *ssh, str(path)),
            "ours": lambda: site.job(f"stampi://{HOST}{path}", pattern, message, total, options.ranks, site.settings(options)),
        }
        site.job(str(path), "write_all", MIB, total + MIB, 1, {})
        found = {"bytes": total}
        for name, start in starts.items():
            found[name] = statistics.median(used(start) for _ in range(options.launches))
        path.unlink()
        return found

    return each_case(options, measure)


def processes(options):
    for number in (1, 2, 4):

        def measure(site, pattern, message, number=number):
            total = total_for(options, site.rate, site.delay, pattern, 4 * message)
            return {"ours": ours(options, site, pattern, message, total, 4, KUMIHIMO_STAMPI_PROCESSES=str(number))}

        yield from each_case(options, measure, processes=number)


def routers(options):
    """All ways lead to one server, whose link is not limited. `network`: plain ssh by one gateway."""
    for number in (1, 2, 4):

        def measure(site, pattern, message, number=number):
            total = number * total_for(options, site.rate, site.delay, pattern, message)
            names = [f"host{2 + gateway}" for gateway in range(number)]
            by_one = f"{site.sshd.ssh} -J {names[0]}"
            start = functools.partial(site.on, "login", __file__, "plain_ssh", by_one, pattern, MIB, total // number)
            found = ours(options, site, pattern, message, total, options.ranks, KUMIHIMO_STAMPI_ROUTERS=" ".join(names))
            return {"network": median(options.launches, start), "ours": found}

        yield from each_case(options, measure, gateways=number)


def local(options):
    """Direct calls are measured twice: how much differs by chance. `library`: it passes the calls on to the MPI library."""
    path = Path(options.directory) / "data"

    def measure(site, pattern, message):
        total = max(message, min(options.most, 256 if message >= 64 * KIB else 64) * MIB)
        ways = {
            "direct calls": (path, {}),
            "again": (path, {}),
            "library": (path, site.settings(options)),
            "stampi://localhost": (f"stampi://localhost{path}", site.settings(options)),
        }
        rates = {name: [] for name in ways}
        for launch in range(options.launches):
            site.job(str(path), "write_all", MIB, total + MIB, 1, {})
            for name in sorted(ways, reverse=launch % 2 == 1):
                told, settings = ways[name]
                rates[name].append(rate(site.job(str(told), pattern, message, total, options.ranks, settings)))
            path.unlink(missing_ok=True)
        found = {name: statistics.median(values) for name, values in rates.items()}
        return {**found, **{f"{name}, ratio": found[name] / found["direct calls"] for name in list(ways)[1:]}}

    options.rates, options.delays = ["none"], [0]
    return each_case(options, measure, here=True)


# ---- beside others ----


def timed(start):
    begin = time.monotonic()
    start()
    return time.monotonic() - begin


def peers(options):
    """A whole file with the start of everything in it, and small pieces in turn."""
    for program, package in (("scp", "openssh-client"), ("rsync", "rsync"), ("sshfs", "sshfs"), ("fusermount", "fuse3")):
        if not shutil.which(program):
            sys.exit(f"remote.py: {program} is missing (Debian's package {package})")
    measures = {
        "whole file": whole_file,
        "4 KiB in turn": in_turn,
        "4 KiB in turn, sshfs_sync": functools.partial(in_turn, mounting="-o sshfs_sync"),
    }
    options.cases = [{"what": what} for what in measures if what.startswith(options.what)]
    for site, here in sites(options):
        with tempfile.TemporaryDirectory() as mount:
            for case in options.cases:
                if not options.done({**here, **case}):
                    yield {**here, **case, **measures[case["what"]](options, site, Path(options.directory), Path(mount))}


def mounted(site, directory, mount, command, mounting=""):
    """Under sshfs: what the command prints. Without a cache of the kernel's, which would be another thing to measure."""
    sshfs = f"sshfs {mounting} -o ssh_command='{site.sshd.ssh}' {HOST}:{directory} {mount}"
    return site.must(["sh", "-c", f"{sshfs} && {command} && fusermount -u {mount}"])


def whole_file(options, site, directory, mount):
    total = total_for(options, site.rate, site.delay, "write_all", MIB)
    source, target = directory / "source", directory / "target"
    source.write_bytes(b"".join(os.urandom(MIB) for _ in range(total // MIB)))
    ssh, config = site.sshd.ssh, site.sshd.ssh.split()[2]
    settings = {key: value for key, value in site.settings(options).items() if key != "LD_PRELOAD"}
    copy = [ROOT / "build" / "bin" / "kumihimo", "files", "cp", source, f"stampi://{HOST}{target}"]
    starts = {
        "scp": lambda: site.must(["scp", "-q", "-F", config, source, f"{HOST}:{target}"]),
        "rsync": lambda: site.must(["rsync", "--whole-file", "--inplace", "-e", ssh, source, f"{HOST}:{target}"]),
        "sshfs": lambda: mounted(site, directory, mount, f"cp {source} {mount}/target"),
        "files cp": lambda: site.must(copy, settings=settings),
        "ours": lambda: site.job(f"stampi://{HOST}{target}", "write_all", 4 * MIB, total, 1, site.settings(options)),
    }
    found = {name: [] for name in starts}
    for _ in range(options.launches):
        for name, start in starts.items():
            found[name].append(total / 1e6 / timed(start))
            target.unlink()
    source.unlink()
    return {name: statistics.median(values) for name, values in found.items()}


# How pieces reach sshfs: MPI-IO merges those of collective calls before (two phases), unless it is told not to.
MPIEXEC = {
    "mpich": "mpiexec.mpich -launcher fork -hosts localhost -n {0}",
    "openmpi": "mpiexec.openmpi --host localhost:{0} -n {0}",
}
BY_SSHFS = {
    "MPICH, collective": ("mpich", "strided_write", ""),
    "MPICH, collective, not merged": ("mpich", "strided_write", "romio_cb_write disable\nromio_ds_write disable\n"),
    "MPICH, independent": ("mpich", "strided_write_alone", ""),
    "MPICH, independent, not merged": ("mpich", "strided_write_alone", "romio_ds_write disable\n"),
    "Open MPI, collective": ("openmpi", "strided_write", ""),
    "Open MPI, independent": ("openmpi", "strided_write_alone", ""),
}


def in_turn(options, site, directory, mount, mounting=""):
    """Pieces of 4 KiB of two ranks or more in turn, in one call of each. With sshfs_sync each waits for its answer."""
    most = 16 * MIB if site.delay == 0 else 2 * MIB
    small = min(total_for(options, site.rate, site.delay, "write_all", MIB), most // 2 if mounting else most)
    ranks = max(2, options.ranks)
    found = {"ranks": ranks, "bytes": small}
    commands = {"pwrite": f"{sys.executable} {__file__} --inside pieces {mount}/target write 4096 {small}"}
    for number, (name, (family, pattern, hints)) in enumerate(BY_SSHFS.items()):
        (directory / f"hints{number}").write_text(hints)
        words = f"ROMIO_HINTS={directory}/hints{number} {MPIEXEC[family].format(ranks)} {runner.program('remote', family)}"
        commands[name] = f"{words} {mount}/target {pattern} 4096 {small}"
    for name, command in commands.items():

        def job(command=command):
            told = mounted(site, directory, mount, command, mounting)
            (directory / "target").unlink()
            return json.loads(told)

        found[f"sshfs, {name}"] = median(options.launches, job)
    for name, pattern in (("collective", "strided_write"), ("independent", "strided_write_alone")):
        found[f"ours, {name}"] = ours(options, site, pattern, 4 * KIB, small, ranks)
    return found


def data(options):
    """Whole copies, with all that begins and ends them."""
    source = Path(options.files[0]).resolve()
    options.cases = [{"bytes": source.stat().st_size}]
    for site, here in sites(options):
        yield {**here, **options.cases[0], **copies(options, site, source)}


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


# ---- the command ----

PARTS = {
    "local": local,
    "remote": remote,
    "processors": processors,
    "processes": processes,
    "routers": routers,
    "peers": peers,
    "data": data,
}


def shown(value):
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def command_line():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=[*PARTS, "plot", "table"])
    parser.add_argument("files", nargs="*")
    parser.add_argument("--build")
    parser.add_argument("--rates", nargs="+", default=["21mbit", "800mbit", "none"])
    parser.add_argument("--delays", nargs="+", type=int, default=[0, 10, 100])
    parser.add_argument("--messages", nargs="+", type=int, default=[KIB << (2 * power) for power in range(9)])
    parser.add_argument("--patterns", nargs="+", default=["write", "write_all", "read", "read_all"])
    parser.add_argument("--ranks", type=int, default=1)
    parser.add_argument("--what", default="", help="of peers: only what begins so")
    parser.add_argument("--launches", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=3, help="about what a case takes on the network (default: 3)")
    parser.add_argument("--most", type=int, default=256, metavar="MIB", help="bytes of a case")
    parser.add_argument("--settings", nargs="*", default=[], metavar="NAME=VALUE", help="of ranks: KUMIHIMO_STAMPI_WINDOW=8M")
    parser.add_argument("--ssh", nargs="*", default=[], metavar="LINE", help="of ssh_config: 'Ciphers aes128-gcm@openssh.com'")
    parser.add_argument("--directory", help="of the server (default: a temporary one)")
    parser.add_argument("--output", help="a file to which results are added, a line of JSON each")
    options = parser.parse_args()
    options.cases = [{"pattern": pattern, "message": message} for pattern in options.patterns for message in options.messages]
    there = Path(options.output).read_text() if options.output and Path(options.output).exists() else ""
    rows = [json.loads(line) for line in there.splitlines()]
    options.done = lambda case: any(row["part"] == options.part and case.items() <= row.items() for row in rows)
    return options


def main():
    options = command_line()
    if options.part == "plot":
        return plot(options.files[0], options.files[1:])
    if options.part == "table":
        return table(options.files)
    with tempfile.TemporaryDirectory(dir=options.directory) as options.directory:
        for row in PARTS[options.part](options):
            print(*(f"{key} {shown(value)}" for key, value in row.items()), sep="  ", flush=True)
            if options.output:
                with open(options.output, "a") as file:
                    print(json.dumps({"part": options.part, **row}), file=file)
    return None


if __name__ == "__main__":
    if sys.argv[1:2] == ["--inside"]:
        work_inside(*sys.argv[2:])
    else:
        main()
