"""`kumihimo files recover`: what a crash left of a file that I/O processes wrote. Done by kumihimo-recover (iod/recover)."""

import os
import subprocess
import tempfile

from .. import configuration

PROGRAM = "kumihimo-recover"


class Failure(Exception):
    pass


def main(words):
    """Exit code: 0 nothing is left (any more), 1 something is, 2 failure."""
    action, file, directories = parse(words)
    program = os.path.join(configuration.LIBRARIES, PROGRAM)
    if not os.path.exists(program):
        raise Failure(f"{program} is missing: build Kumihimo again")
    return subprocess.run([program, action, file, *directories], check=False).returncode


def parse(words):
    """(action, file, directories of journals)"""
    action, files, directories = "list", [], []
    words = iter(words)
    for word in words:
        name, equals, operand = word.partition("=")
        if word in ("--replay", "--discard"):
            if action != "list":
                raise Failure("--replay or --discard, not both")
            action = word[2:]
        elif name == "--journals":
            operand = operand if equals else next(words, None)
            if operand is None:
                raise Failure("missing operand after '--journals'")
            directories.append(operand)
        elif word.startswith("-") and word != "-":
            raise Failure(f"unknown option '{word}' (kumihimo files --help)")
        else:
            files.append(word)
    if len(files) != 1:
        raise Failure("which file? kumihimo files recover FILE [--replay|--discard]")
    return action, files[0], directories or usual_directories()


def usual_directories():
    """Where I/O processes put journals if nobody says anything else."""
    chosen = os.environ.get("KUMIHIMO_CATWALK_JOURNAL")
    return [chosen] if chosen else sorted({tempfile.gettempdir(), "/tmp", "/var/tmp"})
