"""`kumihimo files cp`: copies to and from other machines."""

import json
import time

from ..command_line import Command, Parser
from . import bar, spelling, tool
from .running import performer


def parser():
    one = Parser(
        "kumihimo files cp",
        "Copies files to another machine, or from there, and checks them.\n\n"
        "An interrupted copy goes on where it stopped when the same command is given again. The copy gets its name when the\n"
        "digest of the whole file agrees; until then a file of that name stays as it was.",
        "FROM... TO",
        epilog="exit code: 0 all are copied and the same, 2 failure",
    )
    one.add_argument("names", metavar="FROM... TO", nargs="+", help="stampi://[user@]host[:port]/path, or paths here")
    one.add_argument("--json", action="store_true", help="for programs: a list of copies")
    return one


def perform(options):
    if len(options.names) < 2:
        raise tool.Failure("from where to where? kumihimo files cp FILE stampi://HOST/PATH")
    *sources, target = options.names
    if len(sources) > 1 and tool.answer("look", target)["kind"] != "directory":
        raise tool.Failure(f"{target} is no directory, and there are several files to be copied")
    copies = [transfer("copy", source, target, options.json) for source in sources]
    if options.json:
        print(json.dumps(copies, indent=2))
    return 0


def transfer(errand, source, target, quiet):
    """What became of a copy; people are told on a line."""
    start, copied = time.monotonic(), None
    with bar.make(spelling.printable(source)) as progress:
        for event in tool.ask(errand, source, target):
            if event["event"] == "progress":
                progress.show(event["phase"], event["done"], event["of"])
            elif event["event"] == "copied":
                copied = event
    seconds = time.monotonic() - start
    if not quiet:
        print(_line(source, copied, seconds))
    return {"from": source, "seconds": seconds, **{key: value for key, value in copied.items() if key != "event"}}


def _line(source, copied, seconds):
    moved = copied["bytes"] - copied["resumed_at"]
    went_on = f", went on at byte {copied['resumed_at']}" if copied["resumed_at"] else ""
    return (
        f"{spelling.printable(source)}: {copied['bytes']} bytes, XXH3 {copied['digest']}{went_on}, "
        f"{seconds:.1f} s, {spelling.rate(moved, seconds)}"
    )


COMMAND = Command(parser, performer("kumihimo files cp", perform))
