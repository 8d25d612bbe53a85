"""Messages about the user's program: what is wrong, where, and what to do. The layout is gcc's, so editors understand it;
the codes are listed in docs/reference/diagnostics.md."""

import os

from .record import Record


class Place:
    """Where a message points: a file, a line, a column (1-based; 0: look for `text` in the line) and the text there."""

    __slots__ = ("file", "line", "column", "text")

    def __init__(self, file, line, column, text):
        self.file = file
        self.line = line
        self.column = column
        self.text = text


class Diagnostic(Record):
    """notes: pairs (message, place)."""

    fields = ("severity", "code", "message", "place", "notes", "help")


class Diagnostics:
    """The messages of one run. `read`: a function file name -> text, for the source lines; `locate`: a function that fills
    in the column of a word, where the language's front end has one; warnings: whether they are wanted. written: a function
    text -> the same with what stands for the user's text as the user wrote it."""

    def __init__(self, read=None, locate=None, warnings=True):
        self.items = []
        self.written = None
        self._told = set()
        self._read = read or _read
        self._locate = locate
        self._warnings = warnings
        self._lines = {}

    @property
    def ok(self):
        return all(item.severity != "error" for item in self.items)

    def error(self, code, message, place, notes=(), help=None):
        self._add(Diagnostic("error", code, message, place, tuple(notes), help))

    def warning(self, code, message, place, notes=(), help=None):
        if self._warnings:
            self._add(Diagnostic("warning", code, message, place, tuple(notes), help))

    def _add(self, diagnostic):
        """One message for one place: an error repeated by a second pass over a header is the same error."""
        if self.written is not None:
            diagnostic.message = self.written(diagnostic.message)
            diagnostic.help = diagnostic.help and self.written(diagnostic.help)
            diagnostic.notes = tuple((self.written(message), place) for message, place in diagnostic.notes)
        place = diagnostic.place
        key = diagnostic.code, place.file, place.line, diagnostic.message
        if key not in self._told:
            self._told.add(key)
            self.items.append(diagnostic)

    def render(self, colour=False):
        """All messages as text, in the order of the source."""
        paint = _Paint(colour)
        order = sorted(range(len(self.items)), key=lambda n: (self.items[n].place.line, n))
        files = {}
        for item in self.items:
            files.setdefault(item.place.file, len(files))
        order.sort(key=lambda n: files[self.items[n].place.file])
        return "".join(self._render(self.items[n], paint) for n in order)

    def _render(self, item, paint):
        label = paint.error("error:") if item.severity == "error" else paint.warning("warning:")
        text = self._message(item.place, f"{label} {item.message} [{item.code}]", paint)
        if item.help:
            text += f"{self._prefix(item.place, paint)} {paint.note('help:')} {item.help}\n"
        for message, place in item.notes:
            text += self._message(place, f"{paint.note('note:')} {message}", paint)
        return text

    def _prefix(self, place, paint):
        column = self._column(place)
        return paint.bold(f"{place.file}:{place.line}:{column}:" if column else f"{place.file}:{place.line}:")

    def _message(self, place, text, paint):
        head = f"{self._prefix(place, paint)} {text}\n"
        line = self._line(place.file, place.line)
        if line is None:
            return head
        shown = line.expandtabs(8)
        column = self._column(place)
        body = f"{place.line:5} | {shown}\n"
        if column:
            indent = len(line[: column - 1].expandtabs(8))
            length = max(1, min(len(place.text), len(shown) - indent))
            body += f"{'':5} | {'':{indent}}{paint.error('^' + '~' * (length - 1))}\n"
        return head + body

    def _line(self, file, number):
        if file not in self._lines:
            try:
                self._lines[file] = self._read(file).splitlines()
            except OSError:
                self._lines[file] = []
        lines = self._lines[file]
        return lines[number - 1] if 0 < number <= len(lines) else None

    def _column(self, place):
        if not place.column and self._locate:
            self._locate(place)
        if place.column:
            return place.column
        return _find(self._line(place.file, place.line), place.text)


def _find(line, text):
    """Column of a word in a line, 0 if it is not there (it came out of a macro)."""
    if not line or not text:
        return 0
    import re

    edge = r"\b" if text[0].isalnum() or text[0] == "_" else ""
    found = re.search(edge + re.escape(text) + edge, line)
    return found.start() + 1 if found else 0


def _read(file):
    with open(file, encoding="utf-8", errors="surrogateescape") as stream:
        return stream.read()


class _Paint:
    """gcc's colours, or none."""

    def __init__(self, on):
        self._on = on

    def _wrap(self, code, text):
        return f"\033[{code}m{text}\033[0m" if self._on else text

    def bold(self, text):
        return self._wrap("01", text)

    def error(self, text):
        return self._wrap("01;31", text)

    def warning(self, text):
        return self._wrap("01;35", text)

    def note(self, text):
        return self._wrap("01;36", text)


def wants_colour(stream):
    """Colours on a terminal, unless NO_COLOR is set."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
