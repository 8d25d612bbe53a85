"""argparse with Kumihimo's habits, for xmpcc and xmpf90 (help.py) and for all commands (commands/command_line.py)."""

import argparse
import re

from .spelling import nearest


class Formatter(argparse.RawDescriptionHelpFormatter):
    """Long options with their operand as GNU writes it: --name=OPERAND, and --name[=OPERAND] where it may be left out."""

    def _format_action_invocation(self, action):
        if not action.option_strings:
            return super()._format_action_invocation(action)
        return invocation(action)


def invocation(action):
    """-n N, --name=OPERAND, --flag."""
    operand = operand_of(action)
    if not operand:
        return ", ".join(action.option_strings)
    long = action.option_strings[-1].startswith("--")
    if action.nargs == "?":
        return ", ".join(action.option_strings) + f"[={operand}]"
    return ", ".join(action.option_strings) + ("=" if long else " ") + operand


def operand_of(action):
    """The name of an option's operand; empty where it takes none."""
    if action.nargs == 0:
        return ""
    return action.metavar or ("|".join(action.choices) if action.choices else action.dest.upper())


class Parser(argparse.ArgumentParser):
    """argparse with our habits: what is wrong is told in one line with what may have been meant, and the exit code is 2; help
    that was asked for goes to standard output."""

    def __init__(self, name, text, operands="", epilog=None):
        """name: all words of the command; text: its first paragraph is what lists of commands show."""
        super().__init__(
            prog=name,
            usage=f"{name} [options]{' ' if operands else ''}{operands}",
            description=text,
            epilog=epilog,
            allow_abbrev=False,
            formatter_class=Formatter,
            add_help=False,
        )
        self.operands = operands
        self._positionals.title, self._optionals.title = "operands", "options"
        self.add_argument("-h", "--help", action="help", help="this text")

    def described_options(self):
        return [action for action in self._actions if action.option_strings and action.help != argparse.SUPPRESS]

    def described_operands(self):
        return [action for action in self._actions if not action.option_strings and action.help != argparse.SUPPRESS]

    @property
    def summary(self):
        return self.description.split("\n\n")[0].replace("\n", " ")

    def parse_args(self, args=None, namespace=None):
        options, unknown = self.parse_known_args(args, namespace)
        if unknown:
            self.error(self._unknown(unknown))
        return options

    def error(self, message):
        self.exit(2, f"{self.prog}: {_in_our_words(message)} ({self.prog} --help)\n")

    def _unknown(self, words):
        """What is wrong with words that have no place; after -- all are operands."""
        end = words.index("--") if "--" in words else len(words)
        option = next((word for word in words[:end] if word.startswith("-") and word != "-"), None)
        if option is None:
            return f"one operand too many: '{next(word for word in words if word != '--')}'"
        name = option.split("=")[0]
        return f"unknown option '{name}'" + meant(name, [one for action in self._actions for one in action.option_strings])


def _in_our_words(message):
    """What argparse says, as our other messages are written."""
    for theirs, ours in (
        (r"argument (\S+): expected (one|at least one) argument", r"missing operand after '\1'"),
        (r"argument (\S+): not allowed with argument (\S+)", r"\2 or \1, not both"),
        (r"the following arguments are required: (.*)", r"missing: \1"),
        (r"argument (\S+): ignored explicit argument .*", r"\1 takes no operand"),
    ):
        message = re.sub(theirs, ours, message)
    choice = re.fullmatch(r"argument (\S+): invalid choice: '(.*)' \(choose from (.*)\)", message)
    if choice:
        option, word, known = choice.group(1), choice.group(2), choice.group(3).replace("'", "")
        return f"{option}: there is no '{word}'{meant(word, known.split(', '))}; there are: {known}"
    return message.replace("argument -", "-", 1)


def meant(word, candidates):
    """What follows the message that there is no such word."""
    found = nearest(word, candidates)
    return f"; did you mean '{found}'?" if found else ""
