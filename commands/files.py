"""`kumihimo files`: runs an MPI job with the file engine in every rank, or with its observer, whatever starts the job; after a
crash, `recover` tells what is left. What is in files of arrays is told by the room array_files; files of other machines are
the room remote."""

import argparse
import importlib
import os
import shlex
import shutil
import subprocess
import sys

from .. import configuration
from . import elf, launching, preload
from .command_line import Command, Group, Parser

NOTES = """
After `--` stands what starts the job: mpiexec or mpirun of Open MPI or MPICH, srun or xmprun, with their options.
Anything else (python3, a script) is started as it is, with the library in its environment. An LD_PRELOAD of yours is kept,
before the library.

kumihimo files run -- mpiexec -n 4 ./program
kumihimo files advise -- mpiexec -n 4 ./program
"""
OPERANDS = "-- mpiexec [its options] program [arguments]"

# Of srun and mpiexec, beside those in launch_line.
WITH_OPERAND = ("-n", "-np", "--n", "--np", "-c", "-J", "-o", "-e", "-D", "--export", "--ntasks")


class Failure(Exception):
    def __init__(self, message, code=2):
        super().__init__(message)
        self.code = code


def _run_parser():
    one = Parser(
        "kumihimo files run",
        "Serves a program's MPI-IO files by the file engine.\n\nThe program needs no other compiler and no change.",
        OPERANDS,
    )
    one.add_argument("--report", metavar="FILE", help=f"{REPORT_HELP} (default: KUMIHIMO_IO_REPORT, else none)")
    return _common(one)


def _advise_parser():
    one = Parser(
        "kumihimo files advise",
        "Tells for each file of a program what it cost and what Kumihimo would make of it.\n\n"
        "The MPI library serves all files. At the end their calls are done again by it, by the engine of --io, and by catwalk\n"
        "where that might be faster. What would be gained, and the command to run next, are printed.",
        OPERANDS,
    )
    form = one.add_mutually_exclusive_group()
    form.add_argument("--report", metavar="FILE", help=f"{REPORT_HELP} (default: KUMIHIMO_IO_REPORT, else -)")
    form.add_argument(
        "--json",
        action="store_true",
        help="a line of JSON for each file on standard output, after the output of the program",
    )
    return _common(one)


REPORT_HELP = "one line of JSON for each file that was closed, appended to FILE; - for text on standard error"


def _common(one):
    one.add_argument(
        "--io",
        metavar="RULES",
        dest="rules",
        help="which files: PATTERN=ENGINE, separated by commas, the first that matches counts, as in"
        " '*.nc=kumihimo,/scratch/**=off' (default: KUMIHIMO_IO, else '**=kumihimo': all)",
    )
    families = ", ".join(configuration.FAMILIES)
    one.add_argument(
        "--mpi",
        metavar="FAMILY",
        dest="family",
        choices=tuple(configuration.FAMILIES),
        help=f"the MPI family where neither launcher nor program tells it: {families}",
    )
    one.add_argument("--show", action="store_true", help="print the command line and run nothing")
    one.add_argument("words", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    return one


def _performer(mode):
    def perform(options):
        options.mode = mode
        options.words = options.words[1:] if options.words[:1] == ["--"] else options.words
        try:
            if not options.words:
                raise Failure(f"what is to be run? kumihimo files {mode} -- mpiexec -n 4 program")
            return run(options)
        except (Failure, preload.Missing) as error:
            print(f"kumihimo files: {error}", file=sys.stderr)
            return getattr(error, "code", 2)

    return perform


def _of_module(path, name="COMMAND"):
    return lambda: getattr(importlib.import_module(f".{path}", __package__), name)


COMMAND = Group(
    "kumihimo files",
    "Runs an MPI job with the file engine, tells what it would gain, what is in files, and copies them between machines.",
    {
        "run": lambda: Command(_run_parser, _performer("run")),
        "advise": lambda: Command(_advise_parser, _performer("advise")),
        "recover": _of_module("recover"),
        "ls": _of_module("array_files.ls"),
        "dump": _of_module("array_files.dump"),
        "diff": _of_module("array_files.diff"),
        "verify": _of_module("array_files.verify"),
        "stat": _of_module("remote.stat"),
        "cp": _of_module("remote.cp"),
        "rm": _of_module("remote.rm"),
        "gather": _of_module("remote.spreading", "GATHER"),
        "scatter": _of_module("remote.spreading", "SCATTER"),
    },
    NOTES,
)


def run(request):
    launcher, owner = identify(request.words[0])
    family = choose_family(request, owner)
    settings = settings_of(request)
    os.environ.update(settings)
    text = preload.value(family, os.environ.get("LD_PRELOAD"))
    command, environment = with_library(launcher, family, request.words, text)
    if request.show:
        launching.show(command, {**settings, **environment})
        return 0
    try:
        launching.become(command, environment)
    except OSError as error:
        raise Failure(f"cannot run {command[0]}: {error.strerror}", 127) from None


def settings_of(request):
    """The settings that the ranks read. Reports are written by ranks, which may run in another directory."""
    settings = {"KUMIHIMO_IO": request.rules or os.environ.get("KUMIHIMO_IO") or preload.ALL_FILES}
    report = "/dev/stdout" if getattr(request, "json", False) else request.report
    report = report or os.environ.get("KUMIHIMO_IO_REPORT") or ("-" if request.mode == "advise" else None)
    if report:
        settings["KUMIHIMO_IO_REPORT"] = report if report in ("-", "0", "1") else os.path.abspath(report)
    if request.mode == "advise":
        settings["KUMIHIMO_IO_ADVISE"] = "1"
        settings["KUMIHIMO_IO_COMMAND"] = shlex.join(request.words)
    return settings


# ---- Which launcher, which MPI ----


def identify(word):
    """(kind, MPI family or None) of the first word: mpiexec, srun, xmprun or program."""
    name = os.path.basename(word)
    if name in ("srun", "xmprun"):
        return name, None
    if not name.startswith(("mpiexec", "mpirun", "orterun", "prterun")):
        return "program", None
    path = shutil.which(word)
    if path is None:
        raise Failure(f"launcher not found: {word}", 127)
    try:
        done = subprocess.run([path, "--version"], stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Failure(f"{path} --version does not answer: {error}") from None
    said = (done.stdout + done.stderr).decode(errors="replace")
    owner = "openmpi" if "open" in said.lower() else "mpich" if "HYDRA" in said else None
    if owner is None:
        raise Failure(f"{path} is neither Open MPI's nor MPICH's launcher; it says: {said.strip().splitlines()[:1]}")
    return "mpiexec", owner


def choose_family(request, owner):
    """The family of the program, which must be that of the launcher: handles of one MPI are no handles of another."""
    family, evidence, program = program_family(request.words)
    for other, source in ((owner, f"the launcher {request.words[0]} is"), (request.family, "--mpi says")):
        if family and other and family != other:
            raise Failure(
                f"{program} was built for {family} ({evidence}), but {source} {other}.\n"
                f"  Start it with the mpiexec of {family}."
            )
    if owner and request.family and owner != request.family:
        raise Failure(f"the launcher {request.words[0]} is of {owner}, but --mpi says {request.family}.")
    return family or owner or request.family or os.environ.get("KUMIHIMO_MPI") or configuration.DEFAULT_FAMILY


def program_family(words):
    """Of the first word that is a program of a known MPI; launchers themselves need no MPI library."""
    for word in words:
        path = word if os.path.isfile(word) else shutil.which(word)
        family, evidence = elf.family_of(path, configuration.FAMILIES) if path else (None, None)
        if family:
            return family, evidence, word
    return None, None, None


# ---- The command line with the library in it ----


def with_library(launcher, family, words, text):
    """(command, environment)."""
    if launcher == "mpiexec":
        command = [words[0]]
        options = preload.mpiexec_options(family, text, _launcher_options(words[1:]))
        for position, word in enumerate(words):
            if position > 0:
                command.append(word)
            if position == 0 or word == ":":
                command += options
        return command, {}
    if launcher == "srun":
        return [words[0], *_srun_words(words[1:], text)], {}
    if launcher == "xmprun":
        return [words[0], "--io", *words[1:]], {}
    return words, {"LD_PRELOAD": text}


def _srun_words(words, text):
    """Options are merged only before the program: what follows it is the program's."""
    options = _launcher_options(words)
    return preload.srun_options(options, text) + words[len(options) :]


def _launcher_options(words):
    """What stands before the (first) program."""
    from .launch_line import OPERANDS

    end = 0
    while end < len(words) and words[end].startswith("-"):
        takes = OPERANDS.get(words[end], 1 if words[end] in WITH_OPERAND else 0)
        end += 1 + takes
    return words[:end]
