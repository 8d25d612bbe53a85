"""`kumihimo iod install`: one small program is all that a machine needs to serve files to others."""

import hashlib
import os
import platform
import shlex
import subprocess
import sys

from ... import configuration
from ..command_line import Command, Parser
from . import advice, names, spelling, tool
from .running import agreed, performer

ALONE = "kumihimo-iod-alone"  # needs no library of the machine
PLACE = ".local/lib/kumihimo/kumihimo-iod"  # relative to the home directory, where ssh begins
SECONDS = 600
NOBODY = "nobody can be asked, so nothing was copied. Next: --yes copies without asking"


def parser():
    one = Parser(
        "kumihimo iod install",
        "Copies kumihimo-iod to another machine, which then serves files to this one. It asks first.\n\n"
        "The one small program goes to the home directory there and is checked by its digest. It needs no rights and no other\n"
        "installation, opens no port, and runs only while ssh runs it.",
        "HOST",
        epilog="exit code: 0 it is there and answers, 1 not agreed to, 2 failure",
    )
    one.add_argument("host", metavar="HOST", help="[user@]host[:port], as in names of files, or as hosts.toml calls it")
    one.add_argument("-y", "--yes", action="store_true", help="without asking")
    one.add_argument("--to", metavar="PATH", default=PLACE, help=f"where it goes there (default: {PLACE} at home)")
    return one


def perform(options):
    name = names.host_name(options.host)
    machine = names.machine_of(name)
    way = tool.answer("way", name)
    if way["here"]:
        raise tool.Failure("that is this machine: kumihimo-iod is here already")
    _refuse_odd(options.to)
    path = os.path.join(configuration.LIBRARIES, ALONE)
    content = _read(path)
    _same_kind(way, machine)
    question = f"copy kumihimo-iod, {spelling.size(len(content))}, to {machine}:{options.to}?"
    if not options.yes and not agreed(question, NOBODY):
        return 1
    _send(way, machine, content, options.to)
    about = tool.answer("about", name, environment={"KUMIHIMO_STAMPI_IOD": options.to})
    print(f"{machine}:{options.to} serves files (version {about['version']})")
    _remember(way, machine, options)
    return 0


def _refuse_odd(path):
    """The other machine's shell takes it apart."""
    if path.startswith("-") or shlex.quote(path) != path or ".." in path.split("/"):
        raise tool.Failure(f"--to {path}: letters, digits and /._- only")


def _read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise tool.Failure(f"{path}: {error.strerror}: this build has no {ALONE} (it needs static libraries)") from None


def _ssh(way, machine, command, **options):
    """Output of a command there. Questions of ssh appear on the terminal."""
    words = way["ssh_with_questions" if sys.stdin.isatty() else "ssh"]
    try:
        done = subprocess.run([*words, command], capture_output=True, timeout=SECONDS, check=False, **options)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise tool.Failure(f"{machine}: {error}") from None
    if done.returncode != 0:
        said = " ".join(done.stderr.decode(errors="replace").split()) or f"exit code {done.returncode}"
        next_step = advice.for_message(said, machine)
        raise tool.Failure(f"{machine}: {said}" + (f". Next: {next_step}" if next_step else ""))
    return done.stdout.decode(errors="replace").strip()


def _same_kind(way, machine):
    there, here = _ssh(way, machine, "uname -sm", stdin=subprocess.DEVNULL), f"{platform.system()} {platform.machine()}"
    if there != here:
        raise tool.Failure(f"{machine} is '{there}', this program is for '{here}'. Next: build Kumihimo there (docs: install)")


def _send(way, machine, content, path):
    """Under another name until its digest is right; one that runs is replaced, not written to."""
    part, directory = f"{path}.part", os.path.dirname(path) or "."
    sent = _ssh(way, machine, f"mkdir -p {directory} && cat > {part} && sha256sum {part}", input=content)
    if sent.split(" ")[0] != hashlib.sha256(content).hexdigest():
        raise tool.Failure(f"{machine}: what arrived is not what was sent, so it was not installed. Next: try again")
    _ssh(way, machine, f"chmod 755 {part} && mv -f {part} {path}", stdin=subprocess.DEVNULL)


def _remember(way, machine, options):
    """In hosts.toml, so that names find it. A section that is there already is the user's own."""
    host = machine.rpartition("@")[2].split(":")[0]
    entry = f'[hosts."{host}"]\niod = "{options.to}"\n'
    if host in way["hosts"]:
        if way["program"] != options.to:
            print(f'say so in {way["hosts_file"]}, section [hosts.{host}]: iod = "{options.to}"')
        return
    os.makedirs(os.path.dirname(way["hosts_file"]), exist_ok=True)
    with open(way["hosts_file"], "a", encoding="utf-8") as file:
        file.write(("\n" if file.tell() else "") + entry)
    print(f"{way['hosts_file']} says where it is, for names as {names.SCHEME}{host}/PATH")


COMMAND = Command(parser, performer("kumihimo iod install", perform))
