"""`kumihimo files`: runs an MPI job with the file engine in every rank, or with its observer, whatever starts the job; after a
crash, `recover` tells what is left."""

import os
import shutil
import subprocess
import sys

from .. import configuration
from . import elf, launching, preload, recover

HELP = """usage: kumihimo files run    [options] -- mpiexec [its options] program [arguments]
       kumihimo files advise [options] -- mpiexec [its options] program [arguments]
       kumihimo files recover FILE [--replay | --discard] [--journals DIRECTORY]

run     serves the program's MPI-IO files; the program needs no other compiler and no change
advise  leaves the files to the MPI library, and tells for each what it cost and what Kumihimo would make of it
recover tells what a crash left of a file that the engine catwalk wrote (to be run on each node that has journals of its own);
        --replay writes into the file what journals hold, --discard removes them; both then take the file for complete

  --io RULES     which files: PATTERN=ENGINE, separated by commas, the first that matches counts, as in
                 '*.nc=kumihimo,/scratch/**=off'   (default: KUMIHIMO_IO, else '**=kumihimo': all)
  --report FILE  one line of JSON for each file that was closed, appended to FILE; - for text on standard error
                 (default: KUMIHIMO_IO_REPORT, else none; advise: -)
  --mpi FAMILY   the MPI family where neither launcher nor program tells it: {families}
  --show         print the command line and run nothing

The launcher is mpiexec or mpirun of Open MPI or MPICH, srun or xmprun. Anything else (python3, a script) is started as it
is, with the library in its environment. An LD_PRELOAD of yours is kept, before the library.
"""


# Of srun and mpiexec, beside those in launch_line.
WITH_OPERAND = ("-n", "-np", "--n", "--np", "-c", "-J", "-o", "-e", "-D", "--export", "--ntasks")


class Failure(Exception):
    def __init__(self, message, code=2):
        super().__init__(message)
        self.code = code


class Request:
    """The command line."""

    def __init__(self):
        self.mode = None
        self.rules = self.report = self.family = None
        self.show = False
        self.words = []


def main(arguments):
    if not arguments or any(word in ("--help", "-h") for word in arguments[: _end_of_options(arguments)]):
        print(HELP.format(families=", ".join(configuration.FAMILIES)), end="", file=sys.stdout if arguments else sys.stderr)
        return 0 if arguments else 2
    try:
        return recover.main(arguments[1:]) if arguments[0] == "recover" else run(parse(arguments))
    except (Failure, recover.Failure, preload.Missing) as error:
        print(f"kumihimo files: {error}", file=sys.stderr)
        return getattr(error, "code", 2)


def _end_of_options(arguments):
    return arguments.index("--") if "--" in arguments else len(arguments)


def parse(arguments):
    request = Request()
    request.mode = arguments[0]
    if request.mode not in ("run", "advise"):
        raise Failure(f"unknown command '{request.mode}': run, advise or recover (kumihimo files --help)")
    words = iter(arguments[1:])
    for word in words:
        if word == "--":
            break
        name, equals, operand = word.partition("=")
        if name in ("--io", "--report", "--mpi"):
            operand = operand if equals else next(words, None)
            if operand is None:
                raise Failure(f"missing operand after '{name}'")
            setattr(request, {"--io": "rules", "--report": "report", "--mpi": "family"}[name], operand)
        elif word == "--show":
            request.show = True
        elif word.startswith("-"):
            raise Failure(f"unknown option '{word}' (kumihimo files --help)")
        else:
            request.words.append(word)
            break
    request.words += words
    if not request.words:
        raise Failure(f"what is to be run? kumihimo files {request.mode} -- mpiexec -n 4 program")
    return request


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
    report = request.report or os.environ.get("KUMIHIMO_IO_REPORT") or ("-" if request.mode == "advise" else None)
    if report:
        settings["KUMIHIMO_IO_REPORT"] = report if report in ("-", "0", "1") else os.path.abspath(report)
    if request.mode == "advise":
        settings["KUMIHIMO_IO_ADVISE"] = "1"
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
    if request.family is not None and request.family not in configuration.FAMILIES:
        raise Failure(f"--mpi: unknown MPI family '{request.family}'; there are: {', '.join(configuration.FAMILIES)}")
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
