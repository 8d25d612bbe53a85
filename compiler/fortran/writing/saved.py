"""The form in which --save-temps keeps a translated file: without line markers, no line longer than Fortran allows."""

import re

_MARKER = re.compile(r'# \d+ "')
_ALLOWED, _LIMIT = 132, 120
_FIXED = 72
_PIECE = re.compile(r"(?:'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|!.*|[^ '\"!])+ *|['\"]")


_STATEMENT = re.compile(r"(?:'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|!.*|[^;'\"!]|['\"])+")


def saved(text, fixed=False):
    lines = []
    for line in text.split("\n"):
        if not _MARKER.match(line):
            lines += _of_fixed_form(line) if fixed else _divided(line, _folded)
    return "\n".join(lines)


def _of_fixed_form(line):
    """What the user wrote fits; ours is divided, and each piece stands behind column 6."""
    if len(line) <= _FIXED or line[:1] in ("!", "c", "C", "*", "#") or line.lstrip()[:1] == "!":
        return [line]
    label, pieces = line[:6], _divided(" " * 6 + line[6:], _folded_fixed, 0)
    code = next(number for number, piece in enumerate(pieces) if piece.lstrip()[:1] != "!")
    return [*pieces[:code], label + pieces[code][6:], *pieces[code + 1 :]]


def _folded_fixed(line):
    """Column 72 ends a line wherever it falls: no blank is needed there, and a string goes on behind it."""
    lines = [line[:_FIXED]]
    for at in range(_FIXED, len(line), _FIXED - 6):
        lines.append("     &" + line[at : at + _FIXED - 6])
    return lines


def _divided(line, folded, allowed=_ALLOWED):
    """A long line as one line for each of its statements, its comment before them."""
    if len(line) <= allowed or line.lstrip()[:1] in ("!", "#"):
        return [line]
    indent = " " * (len(line) - len(line.lstrip()))
    lines = []
    for statement in _STATEMENT.findall(line):
        code, comment = _comment(statement.strip())
        if comment:
            lines.insert(0, indent + comment)
        lines += folded(indent + code) if code else []
    return lines


def _comment(statement):
    """(code, comment) of the end of a line."""
    pieces = _PIECE.findall(statement)
    if pieces and "!" in pieces[-1] and pieces[-1].startswith("!"):
        return "".join(pieces[:-1]).rstrip(), pieces[-1]
    return statement, ""


def _folded(line):
    """The line, continued where it is too long, between words outside strings."""
    if len(line) <= _ALLOWED:
        return [line]
    indent = " " * (len(line) - len(line.lstrip()))
    lines, current = [], indent
    for piece in _PIECE.findall(line.strip()):
        if len(current) + len(piece) > _LIMIT and current.strip():
            lines.append(current.rstrip() + " &")
            current = indent + "    "
        current += piece
    return [*lines, current.rstrip()]
