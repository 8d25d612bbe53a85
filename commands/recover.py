"""`kumihimo files recover`: what a crash left of a file that I/O processes wrote. Done by kumihimo-recover (iod/recover)."""

import argparse
import os
import subprocess
import sys
import tempfile

from .. import configuration
from .command_line import Command, Parser

PROGRAM = "kumihimo-recover"


def parser():
    one = Parser(
        "kumihimo files recover",
        "Tells what a crash left of a file that the engine catwalk wrote, and mends it.\n\n"
        "To be run on each host that has journals of its own. --replay and --discard both take the file for complete.",
        "FILE",
        epilog="exit code: 0 nothing is left (any more), 1 something is, 2 failure",
    )
    one.add_argument("file", metavar="FILE", nargs="?", help=argparse.SUPPRESS)
    action = one.add_mutually_exclusive_group()
    action.add_argument("--replay", action="store_true", help="writes into the file what journals hold")
    action.add_argument("--discard", action="store_true", help="removes the journals")
    one.add_argument(
        "--journals",
        metavar="DIRECTORY",
        action="append",
        help="where journals lie; may be repeated (default: KUMIHIMO_CATWALK_JOURNAL, else the temporary directories)",
    )
    return one


def perform(options):
    """Exit code: 0 nothing is left (any more), 1 something is, 2 failure."""
    program = os.path.join(configuration.LIBRARIES, PROGRAM)
    if options.file is None:
        return _refuse("which file? kumihimo files recover FILE [--replay|--discard]")
    if not os.path.exists(program):
        return _refuse(f"{program} is missing: build Kumihimo again")
    for directory in options.journals or []:
        if not os.path.isdir(directory):
            return _refuse(f"--journals {directory}: there is no such directory")
    action = "replay" if options.replay else "discard" if options.discard else "list"
    directories = options.journals or usual_directories()
    return subprocess.run([program, action, options.file, *directories], check=False).returncode


def _refuse(why):
    print(f"kumihimo files recover: {why}", file=sys.stderr)
    return 2


COMMAND = Command(parser, perform)


def usual_directories():
    """Where I/O processes put journals if nobody says anything else."""
    chosen = os.environ.get("KUMIHIMO_CATWALK_JOURNAL")
    return [chosen] if chosen else sorted({tempfile.gettempdir(), "/tmp", "/var/tmp"})
