"""`kumihimo files gather` and `scatter`: files that lie in several, as a metafile says (iod/way/metafile.hpp)."""

import json

from ..command_line import Command, Parser
from . import cp
from .running import performer

METAFILE = 'The metafile is TOML: files = ["stampi://HOST/PATH", ...], and stripe = "4M".\n'


def _command(word, text, operands, first, second):
    def parser():
        one = Parser(f"kumihimo files {word}", text, operands, epilog="exit code: 0 done and the same, 2 failure")
        one.add_argument("source", metavar=first, help="a name of this machine or of another one")
        one.add_argument("target", metavar=second, help="where it goes; it gets its name when its digest agrees")
        one.add_argument("--json", action="store_true", help="for programs: one object")
        return one

    def perform(options):
        copied = cp.transfer(word, options.source, options.target, options.json)
        if options.json:
            print(json.dumps(copied, indent=2))
        return 0

    return Command(parser, performer(f"kumihimo files {word}", perform))


GATHER = _command(
    "gather",
    f"Puts a file together from those that a metafile names.\n\n{METAFILE}They may be of other machines.",
    "METAFILE TO",
    "METAFILE",
    "TO",
)
SCATTER = _command(
    "scatter",
    f"Takes a file apart into those that a metafile names.\n\n{METAFILE}They may be of other machines.",
    "FROM METAFILE",
    "FROM",
    "METAFILE",
)
