"""Physical lines of free-form Fortran to logical statements that know where each of their characters stands."""

import re

_SENTINEL = re.compile(r"[ \t]*!\$xmp(?=[ \t&]|$)", re.I)
_MARKER = re.compile(r'#(?:line)?[ \t]+(\d{1,18})[ \t]+"((?:[^"\\]|\\.)*)"')


class InvalidLines(Exception):
    """What is wrong with the lines of a file, and at which physical line (0-based)."""

    def __init__(self, message, line):
        super().__init__(message)
        self.message = message
        self.line = line


class Source:
    """The lines of a file without their ends; `origin` says for each the file and line that messages name."""

    def __init__(self, path, text):
        self.path = path
        self.lines = text.split("\n")
        self.origin = []
        file, number = path, 1
        for line in self.lines:
            marker = _MARKER.match(line)
            if marker:
                file, number = marker.group(2).replace('\\"', '"').replace("\\\\", "\\"), int(marker.group(1)) - 1
            self.origin.append((file, number))
            number += 1


class Statement:
    """One statement or directive without continuations, comments and labels.

    text, lower: as written, and in lower case (letters outside strings and in them: same length)
    at[i]: (line, column) of character i, 0-based, in the source's lines; directive: whether it follows the sentinel"""

    def __init__(self, directive):
        self.directive = directive
        self.characters = []
        self.at = []
        self.first_line = self.last_line = None  # with everything the statement's lines hold, the sentinel too
        self.text = self.lower = ""

    def add(self, character, line, column):
        self.characters.append(character)
        self.at.append((line, column))

    def finish(self):
        """Cuts white space at both ends. False if nothing is left."""
        text = "".join(self.characters)
        start = len(text) - len(text.lstrip())
        end = len(text.rstrip())
        self.text, self.at = text[start:end], self.at[start:end]
        self.lower = self.text.lower()
        return bool(self.text)


def statements_of(source):
    """The Statements of a free-form source, in order. Raises InvalidLines."""
    return _Scanner(source).scan()


class _Scanner:
    def __init__(self, source):
        self.source = source
        self.found = []
        self.current = None  # the statement that the next line continues
        self.quote = None  # the string that it continues

    def scan(self):
        for number, line in enumerate(self.source.lines):
            stripped = line.lstrip()
            sentinel = _SENTINEL.match(line) if self.quote is None else None
            if not stripped or stripped[0] == "#" or (stripped[0] == "!" and not sentinel):
                continue  # empty, of the preprocessor, a comment (which may lie inside a continued statement)
            if self.current is not None and self.current.directive != bool(sentinel):
                if sentinel:
                    raise InvalidLines("a directive inside a continued statement", number)
                self._end()  # the directive's last line ends with a stray `&`
            self._line(number, line, sentinel.end() if sentinel else 0, bool(sentinel))
        self._end()
        return self.found

    def _begin(self, directive, number):
        self.current = Statement(directive)
        self.current.first_line = number

    def _end(self):
        if self.current is not None and self.current.finish():
            self.found.append(self.current)
        self.current = self.quote = None

    def _line(self, number, line, column, directive):
        continued = self.current is not None
        if not continued:
            self._begin(directive, number)
        column = self._skip_ampersand(line, column) if continued else column
        while column < len(line):
            character = line[column]
            if self.quote is not None:
                if character == "&" and not line[column + 1 :].strip():
                    self.current.last_line = number
                    return
                if character == self.quote:
                    self.quote = None
            elif character in "'\"":
                self.quote = character
            elif character == "!":
                break
            elif character == "&" and _only_comment(line[column + 1 :]):
                self.current.last_line = number
                self.current.add(" ", number, column)
                return
            elif character == ";" and not directive:
                self.current.last_line = number
                self._end()
                self._begin(False, number)
                column += 1
                continue
            self.current.add(character, number, column)
            column += 1
        self.current.last_line = number
        self._end()

    def _skip_ampersand(self, line, column):
        start = len(line) - len(line[column:].lstrip())
        return start + 1 if line[start : start + 1] == "&" else column


def _only_comment(text):
    text = text.lstrip()
    return not text or text[0] == "!"
