"""INCLUDE lines: the user's files take the place of the lines that name them, because they may hold declarations and
directives. Files of libraries stay with the compiler."""

import os
import re
from functools import cache

from .lines import MARKER, marker, unescaped

_INCLUDE = re.compile(r"[ \t\d]*include[ \t]*(['\"])([^'\"]+)\1[ \t]*(?:!.*)?$", re.I)
_DEEPEST = 20


def expanded(path, text, directories):
    """The text with line markers around what is included. directories: where to look besides that of the file."""
    if "include" not in text.lower():
        return text
    return "\n".join(_lines(path, text, cache(lambda name, beside: _opened(name, beside, directories)), 0))


def _lines(path, text, opened, depth):
    lines, file, number = [], path, 0
    for line in text.split("\n"):
        number += 1
        marked = MARKER.match(line) if line[:1] == "#" else None
        match = _INCLUDE.match(line) if "nclude" in line.lower() else None
        if marked:
            file, number = unescaped(marked.group(2)), int(marked.group(1)) - 1
        found = opened(match.group(2), file) if match and depth < _DEEPEST else None
        if found is None:
            lines.append(line)
        else:
            name, included = found
            lines += [marker(1, name), *_lines(name, included.rstrip("\n"), opened, depth + 1), marker(number + 1, file)]
    return lines


def _opened(name, path, directories):
    for directory in ("", *directories) if os.path.isabs(name) else (os.path.dirname(path), *directories):
        found = os.path.join(directory, name)
        try:
            with open(found, encoding="utf-8", errors="surrogateescape", newline="") as file:
                return found, file.read().replace("\r\n", "\n")
        except OSError:
            continue
    return None
