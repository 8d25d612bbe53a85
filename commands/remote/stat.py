"""`kumihimo files stat`: what is known of a file without its contents."""

import json

from ..command_line import Command, Parser
from . import spelling, tool
from .running import performer


def parser():
    one = Parser(
        "kumihimo files stat",
        "Tells what a file or directory is: size, time, permissions, and the free space beside it.\n\n"
        "Names are stampi://[user@]host[:port]/path, or paths of this machine.\n"
        "stampi+meta:METAFILE is a file that lies in several.",
        "NAME...",
        epilog="exit code: 0, or 2 for what cannot be looked at",
    )
    one.add_argument("names", metavar="NAME", nargs="+", help="a file or a directory")
    one.add_argument("--json", action="store_true", help="for programs: a list")
    return one


def perform(options):
    found = [{"given": name, **tool.answer("look", name)} for name in options.names]
    if options.json:
        keys = ("given", "kind", "bytes", "modified", "permissions", "free_bytes")
        print(json.dumps([{("name" if key == "given" else key): one[key] for key in keys} for one in found], indent=2))
        return 0
    for one in found:
        print(
            f"{spelling.printable(one['given'])}: {one['kind']}, {one['bytes']} bytes, {spelling.mode(one)}, "
            f"{spelling.moment(one['modified'])}, {spelling.size(one['free_bytes'])} free"
        )
    return 0


COMMAND = Command(parser, performer("kumihimo files stat", perform))
