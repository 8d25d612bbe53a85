"""The command lines of Kumihimo, each described once: parsers print the help, say what is wrong with a command line, and are
what manual pages and completions are made of (documentation.py)."""

import argparse
import importlib
import re
import sys

from .. import configuration
from ..compiler.option_parser import Parser, meant


def version(name):
    return f"{name.split()[0]} (Kumihimo) {configuration.VERSION}"


class Command:
    """What a command's words lead to: a parser and what is done with the options."""

    def __init__(self, make_parser, perform):
        self.parser, self._perform = make_parser, perform

    @property
    def summary(self):
        return self.parser().summary

    def main(self, words):
        if words == ["--version"]:
            print(version(self.parser().prog))
            return 0
        return self._perform(self.parser().parse_args(words))

    def help(self, words):
        parser = self.parser()
        if words:
            parser.error(f"has no commands of its own: '{words[0]}'")
        parser.print_help()
        return 0


def member(group, usage, text, **more):
    """The parser of a command of a group. usage: the command and its operands."""
    name, _, operands = usage.partition(" ")
    return Parser(f"{group} {name}", text, operands, **more)


def performed_by(module, command):
    """What does a command: `perform(command, options)` of a module of the package, imported only when it is needed."""

    def perform(options):
        return importlib.import_module(f"..{module}", __package__).perform(command, options)

    return perform


def add_json(parser):
    parser.add_argument("--json", action="store_true", help="as one JSON object")


def positive(text):
    """A type of argparse."""
    if not re.fullmatch(r"[0-9]{1,18}", text) or int(text) == 0:
        raise argparse.ArgumentTypeError(f"'{text}' is no positive whole number")
    return int(text)


class Group:
    """Commands that begin with the same words. commands: {name: function that returns a Command or Group}, so that only what is
    needed is imported."""

    def __init__(self, name, summary, commands, notes):
        self.name, self.summary, self.commands, self.notes = name, summary, commands, notes

    def main(self, words):
        if not words:
            print(self.text(), end="", file=sys.stderr)
            return 2
        word, *rest = words
        if word in ("-h", "--help"):
            return self.help([])
        if word == "--version":
            print(version(self.name))
            return 0
        if word == "help":
            return self.help(rest)
        command = self._find(word)
        return command.main(rest) if command else 2

    def help(self, words):
        """Of itself, or of the command that the words name."""
        if not words:
            print(self.text(), end="")
            return 0
        command = self._find(words[0])
        return command.help(words[1:]) if command else 2

    def text(self):
        width = max(len(name) for name in self.commands) + 2
        lines = [f"  {name:<{width}}{make().summary}" for name, make in self.commands.items()]
        lines += [f"  {'help':<{width}}{self.name} help COMMAND: what {self.name} COMMAND --help prints"]
        return "\n".join([f"usage: {self.name} COMMAND [options]", "", self.summary, "", *lines, "", self.notes.strip(), ""])

    def _find(self, word):
        if word in self.commands:
            return self.commands[word]()
        what = "option" if word.startswith("-") else "command"
        known = ["--help", "--version"] if what == "option" else [*self.commands, "help"]
        print(f"{self.name}: unknown {what} '{word}'{meant(word, known)} ({self.name} --help)", file=sys.stderr)
        return None
