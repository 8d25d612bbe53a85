"""The form in which --save-temps keeps a translated file: without line markers, no line longer than Fortran allows."""

import re

_MARKER = re.compile(r'# \d+ "')
_ALLOWED, _LIMIT = 132, 120
_PIECE = re.compile(r"(?:'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|!.*|[^ '\"!])+ *|['\"]")


_STATEMENT = re.compile(r"(?:'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|!.*|[^;'\"!]|['\"])+")


def saved(text):
    lines = []
    for line in text.split("\n"):
        if not _MARKER.match(line):
            lines += _divided(line)
    return "\n".join(lines)


def _divided(line):
    """A long line as one line for each of its statements, its comment before them."""
    if len(line) <= _ALLOWED or line.lstrip()[:1] in ("!", "#"):
        return [line]
    indent = " " * (len(line) - len(line.lstrip()))
    lines = []
    for statement in _STATEMENT.findall(line):
        code, comment = _comment(statement.strip())
        if comment:
            lines.insert(0, indent + comment)
        lines += _folded(indent + code) if code else []
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
