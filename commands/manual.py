"""Manual pages (section 1) of commands, in the language of man(7)."""

import os
import time

from .. import configuration
from ..compiler.option_parser import invocation
from .command_line import Group


def file_name(command):
    return command.replace(" ", "-") + ".1"


def page(name, described, all_names):
    """described: a Parser or a Group; all_names: of the commands that have a page."""
    body = _group if isinstance(described, Group) else _command
    title = name.replace(" ", "-")
    day = time.strftime("%Y-%m-%d", time.gmtime(float(os.environ.get("SOURCE_DATE_EPOCH") or time.time())))
    lines = [f'.TH "{title.upper()}" "1" "{day}" "Kumihimo {configuration.VERSION}" "User commands"']
    lines += [".SH NAME", f"{_escaped(title)} \\- {_escaped(_summary(described))}"]
    lines += body(name, described)
    related = sorted({one.replace(" ", "-") for one in all_names if _related(name, one)})
    lines += [".SH SEE ALSO", ",\n".join(f"\\fB{_escaped(one)}\\fR(1)" for one in related)]
    return "\n".join(lines) + "\n"


def _summary(described):
    words = described.summary.rstrip(".")
    return words[0].lower() + words[1:]


def _related(name, other):
    """The group above, commands of the same group, and those below."""
    above = name.rpartition(" ")[0]
    return other != name and other.rpartition(" ")[0] in (above, name) or other == above


def _group(name, group):
    lines = [".SH SYNOPSIS", f"\\fB{_escaped(name)}\\fR \\fICOMMAND\\fR [\\fIoptions\\fR]"]
    lines += [".SH DESCRIPTION", *_paragraphs(group.summary), ".SH COMMANDS"]
    for word, make in group.commands.items():
        lines += [".TP", f"\\fB{_escaped(word)}\\fR", _line(make().summary)]
    lines += [".TP", "\\fBhelp\\fR \\fICOMMAND\\fR", f"The help of \\fB{_escaped(name)}\\fR \\fICOMMAND\\fR."]
    return lines + [".SH NOTES", *_verbatim(group.notes)]


def _command(name, parser):
    lines = [".SH SYNOPSIS", f"\\fB{_escaped(name)}\\fR [\\fIoptions\\fR] {_escaped(parser.operands)}".rstrip()]
    lines += [".SH DESCRIPTION", *_paragraphs(parser.description)]
    if parser.described_operands():
        lines += [".SH OPERANDS"]
        for action in parser.described_operands():
            lines += [".TP", f"\\fI{_escaped(action.metavar)}\\fR", _line(action.help)]
    lines += [".SH OPTIONS"]
    for action in parser.described_options():
        lines += [".TP", f"\\fB{_escaped(invocation(action))}\\fR", _line(action.help)]
    return lines + ([".SH NOTES", *_verbatim(parser.epilog)] if parser.epilog else [])


def _paragraphs(text):
    lines = []
    for paragraph in text.strip().split("\n\n"):
        lines += ([".PP"] if lines else []) + [_line(line) for line in paragraph.split("\n")]
    return lines


def _verbatim(text):
    """As it is: columns stay columns."""
    return [".nf", *[_line(line) for line in text.strip().split("\n")], ".fi"]


def _line(text):
    """No request of man(7), whatever it begins with."""
    escaped = _escaped(text)
    return "\\&" + escaped if escaped.startswith((".", "'")) else escaped


def _escaped(text):
    return text.replace("\\", "\\e").replace("-", "\\-")
