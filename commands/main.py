"""The command `kumihimo` and its commands."""

import importlib

from .command_line import Group

NOTES = """
Compile with `xmpcc program.c -o program`, run with `xmprun -n 4 program`.
`kumihimo --version` tells the version.
"""


def _of_module(name):
    return lambda: importlib.import_module(f".{name}", __package__).COMMAND


COMMAND = Group(
    "kumihimo",
    "Tells about this installation and checks it, serves files of MPI programs, measures communication, and simulates it.",
    {name: _of_module(name) for name in ("info", "doctor", "files", "iod", "bench", "simulate")},
    NOTES,
)


def main(arguments):
    return COMMAND.main(arguments)
