"""The command `kumihimo`: tells about this installation and checks it."""

import sys

from .. import configuration

HELP = """usage: kumihimo COMMAND [options]

  info      version, build, MPI families and every setting with its help   (--json)
  doctor    compiles and runs a program on 2 nodes, checks the machine, says what to do   (--json)

  bench     measures MPI communication: kumihimo bench --help
  files     runs an MPI job with the file engine, or tells what it would gain: kumihimo files --help

  --version, --help;  kumihimo COMMAND --help

Compile with `xmpcc program.c -o program`, run with `xmprun -n 4 program`.
"""


def main(arguments):
    command = arguments[0] if arguments else "--help"
    if command in ("--help", "-h", "help"):
        print(HELP, end="")
        return 0 if arguments else 2
    if command == "--version":
        print(f"kumihimo {configuration.VERSION}")
        return 0
    if command == "info":
        from . import info

        return info.main(arguments[1:])
    if command == "doctor":
        from . import doctor

        return doctor.main(arguments[1:])
    if command == "files":
        from . import files

        return files.main(arguments[1:])
    if command == "bench":
        from . import bench

        return bench.main(arguments[1:])
    print(f"kumihimo: unknown command '{command}'\n{HELP}", end="", file=sys.stderr)
    return 2
