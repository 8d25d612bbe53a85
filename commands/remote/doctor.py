"""`kumihimo doctor --host NAME`: step by step, whether files of another machine can be used. The first step that fails ends it:
the later ones need it."""

from ... import configuration
from .. import checking
from ..checking import Check
from . import advice, names, spelling, tool

SSH_SECONDS = 60
SPEED_BYTES = 16 << 20
LEAST_FREE = 1 << 30
NO_MPI = "kumihimo-iod-mpi"  # what the setting is where nobody says anything


class _End(Exception):
    """A check that failed."""


def checks(words):
    name = names.host_name(words)
    machine = names.machine_of(name)
    try:
        way = yield from _way(name, machine)
        yield from _ssh(way, machine)
        about = yield from _service(name, machine)
        yield from _mpi(way, name, machine)
        directory = name if names.has_path(name) else name.rstrip("/") + (about["home"] or "/")
        yield from _directory(directory, about)
        yield from _speed(directory, machine)
    except _End as end:
        yield end.args[0]


def _ask(check, machine, *words):
    """What the program answers, or the failed check."""
    try:
        return tool.answer(*words, questions=False)
    except tool.Failure as failure:
        text, _, next_step = str(failure).partition(". Next: ")
        if next_step.startswith("kumihimo "):
            command = next_step.split(",")[0]
        else:  # ssh is no question any more where the service has answered
            command = f"kumihimo files stat {words[1]}" if check in ("directory", "speed") else f"ssh {machine} true"
        raise _End(Check(check, "failed", text, _sentence(next_step), command)) from None


def _sentence(text):
    """A command stays as it is typed."""
    return (text if text.startswith("kumihimo ") else text[:1].upper() + text[1:]) + "." if text else None


def _way(name, machine):
    way = _ask("name", machine, "way", name)
    if way["here"]:
        yield Check("name", "ok", "this machine: files are reached without ssh")
        return way
    known = "known" if machine.rpartition("@")[2].split(":")[0] in way["hosts"] else "not named"
    yield Check("name", "ok", f"{way['address']}, {known} in {way['hosts_file']}")
    return way


def _ssh(way, machine):
    """As a job does it: nobody is asked anything. A key that is kept to the file service runs that instead of `true`."""
    if way["here"]:
        return
    code, output, errors = checking.run([*way["ssh"], "true"], SSH_SECONDS)
    if code == 0 and output:
        text = f"the account prints {len(output)} bytes at login, as '{output.split(chr(10))[0][:40]}'"
        step = "Make ~/.bashrc there quiet for shells without a terminal: what it prints comes between the bytes of files."
        raise _End(Check("ssh", "failed", text, step, f"ssh {machine} true"))
    if code != 0:
        said = " ".join(errors.split()) or f"exit code {code}"
        step = _sentence(advice.for_message(said, machine)) or "Make this command work, without questions."
        raise _End(Check("ssh", "failed", said, step, " ".join([*way["ssh"], "true"])))
    yield Check("ssh", "ok", "lets this user in without questions")


def _service(name, machine):
    about = _ask("kumihimo-iod", machine, "about", name)
    found = f"version {spelling.printable(about['version'])}, protocol {about['protocol']}"
    if about["version"] == configuration.VERSION and about["protocol"] == about["own_protocol"]:
        yield Check("kumihimo-iod", "ok", found)
    else:
        own = f"here: version {configuration.VERSION}, protocol {about['own_protocol']}"
        step = "They work together; what only the newer one can do is refused."
        yield Check("kumihimo-iod", "warning", f"{found}; {own}", step, f"kumihimo iod install {machine}")
    only = "read only" if about["read_only"] else "read and write"
    yield Check("root", "ok", f"paths begin at {spelling.printable(about['root'])}: {only}")
    return about


def _mpi(way, name, machine):
    """Only where something is said of it: in hosts.toml, or in KUMIHIMO_STAMPI_MPI."""
    if not way["here"] and way["mpi"] != NO_MPI:
        _ask("MPI-IO", machine, "about", name, "mpi")
        yield Check("MPI-IO", "ok", f"serves files by it: {spelling.printable(way['mpi'])}")


def _directory(name, about):
    found = _ask("directory", names.machine_of(name), "look", name)
    if found["kind"] != "directory":
        raise _End(Check("directory", "failed", f"{name} is no directory", "Name a directory.", "kumihimo doctor --help"))
    text = f"{name}: {spelling.size(found['free_bytes'])} free"
    if found["free_bytes"] < LEAST_FREE:
        yield Check("disk space", "warning", text, "Free some, or take another directory.", f"kumihimo files ls {name}")
    else:
        yield Check("disk space", "ok", text)
    if about["read_only"]:
        step = "Speed is not measured, since files cannot be made."
        raise _End(Check("speed", "warning", "the service may only read", step))


def _speed(name, machine):
    speed = _ask("speed", machine, "speed", name, str(SPEED_BYTES))
    write, read = (spelling.rate(SPEED_BYTES, speed[which]) for which in ("write", "read"))
    text = f"write {write}, read {read} ({SPEED_BYTES >> 20} MiB), round trip {1000 * speed['round_trip']:.1f} ms"
    yield Check("speed", "ok", text)
