"""`kumihimo files rm`: removes files, of other machines, too."""

from ..command_line import Command, Parser
from . import spelling, tool
from .running import agreed, performer


def parser():
    one = Parser(
        "kumihimo files rm",
        "Removes files of another machine, or of this one. It asks first.\n\n"
        "Directories stay. stampi+meta:METAFILE is a file that lies in several: all of them go, and the metafile stays.",
        "NAME...",
        epilog="exit code: 0 all are gone, 1 some were kept, 2 failure",
    )
    one.add_argument("names", metavar="NAME", nargs="+", help="stampi://[user@]host[:port]/path, or paths of this machine")
    one.add_argument("-f", "--force", action="store_true", help="without asking; what is not there is no failure")
    return one


def perform(options):
    kept = 0
    for name in options.names:
        try:
            if not options.force and not _may_go(name):
                kept += 1
                continue
            tool.answer("remove", name)
        except tool.Failure as failure:
            if not (options.force and "No such file or directory" in str(failure)):
                raise
    return 1 if kept else 0


def _may_go(name):
    found = tool.answer("look", name)
    return agreed(
        f"remove {spelling.printable(name)}, {spelling.size(found['bytes'])}?",
        f"{name}: nobody can be asked, so nothing was removed. Next: -f removes without asking",
    )


COMMAND = Command(parser, performer("kumihimo files rm", perform))
