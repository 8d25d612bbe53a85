"""The page of all commands, made of the parsers that print --help and of which the manual pages are made."""

import sys

import docstrings

INTRODUCTION = """# Commands

What the commands print with `--help`, and what their manual pages say. Options that `xmpcc`, `xmpf90` and `xmprun` do not know
go to the compiler or to the launcher.
"""


def page(build):
    sys.path.insert(0, str(build / "python"))
    from kumihimo.commands import command_line, documentation
    from kumihimo.compiler.option_parser import invocation

    texts = [INTRODUCTION]
    for name, described in documentation.commands():
        grouped = isinstance(described, command_line.Group)
        texts.append(group(name, described) if grouped else command(name, described, invocation))
    return "\n".join(texts)


def command(name, parser, invocation):
    operands = f" {parser.operands}" if parser.operands else ""
    rows = [(action.metavar, action.help) for action in parser.described_operands()]
    rows += [(invocation(action), action.help) for action in parser.described_options()]
    notes = code(parser.epilog) if parser.epilog else ""
    return section(name, code(f"{name} [options]{operands}"), prose(parser.description), table("option", rows), notes)


def group(name, described):
    rows = [(word, make().summary) for word, make in described.commands.items()]
    notes = code(described.notes) if described.notes else ""
    return section(name, code(f"{name} COMMAND [options]"), prose(described.summary), table("command", rows), notes)


def section(name, *parts):
    return "\n".join([f"## {name}\n", *filter(None, parts)])


def code(text):
    return f"<!-- test: text -->\n```text\n{text.strip()}\n```\n"


def prose(text):
    paragraphs = (docstrings.wrapped(docstrings.escaped(" ".join(part.split()))) for part in text.split("\n\n"))
    return "\n\n".join(paragraphs) + "\n"


def table(what, rows):
    lines = [f"| {word(left)} | {cell(right)} |" for left, right in rows]
    return "\n".join([f"| {what} | |", "|---|---|", *lines]) + "\n"


def word(text):
    """As code. A `|` between backticks would end the cell."""
    return f"`{text}`" if "|" not in text else f"<code>{text.replace('|', '&#124;')}</code>"


def cell(text):
    return docstrings.escaped(" ".join(text.split())).replace("|", "\\|")
