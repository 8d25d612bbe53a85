"""The two forms of Fortran: a program's lines, written once, as free or fixed source."""

import re

WIDTH = {"free": 100, "fixed": 72}
# Between tokens, where a line may be broken; free form cannot break inside of a token.
TOKEN = re.compile(r"\s*(?:'(?:[^']|'')*'|\w+|\.\w+\.|\*\*|::|//|/=|==|<=|>=|=>|[^\w\s])")


def source(lines, form):
    """Lines of statements and directives ('!$xmp ...'), a label in front of a statement where it has one."""
    return "\n".join(text for line in lines for text in _written(line.strip(), form)) + "\n"


def _written(line, form):
    line = line.replace("#pragma xmp", "!$xmp")  # of statements that C has, too
    directive = line.startswith("!$xmp")
    label, rest = ("", line[5:]) if directive else re.match(r"(\d*)\s*(.*)", line).groups()
    if form == "free":
        first, again = ("!$xmp", "!$xmp ") if directive else (f"{label} ", "  ")
        parts = _broken(rest, WIDTH[form] - 10)
        ends = [" &"] * (len(parts) - 1) + [""]
        return [(first if k == 0 else again) + part + end for k, (part, end) in enumerate(zip(parts, ends))]
    first, again = ("!$xmp ", "!$xmp&") if directive else (f"{label:<6}", "     &")
    return [(first if k == 0 else again) + part for k, part in enumerate(_broken(rest.strip(), WIDTH[form] - 6))]


def _broken(text, width):
    """Pieces of at most so many characters."""
    pieces, piece = [], ""
    for token in TOKEN.findall(text):
        if piece and len(piece) + len(token) > width:
            pieces.append(piece)
            piece = ""
        piece += token
    return [*pieces, piece]
