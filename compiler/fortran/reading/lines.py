"""Physical lines of Fortran, in free or fixed form, to logical statements that know where each of their characters stands."""

import re

_FREE_SENTINEL = re.compile(r"[ \t]*!(?:\$(xmp|omp)|(gcc\$))(?=[ \t&]|$)", re.I)
_FIXED_SENTINEL = re.compile(r"[!cC*](?:\$(xmp|omp)|(gcc\$))(?![A-Za-z_])", re.I)
MARKER = re.compile(r'#(?:line)?[ \t]+(\d{1,18})[ \t]+"((?:[^"\\]|\\.)*)"')
_HOLLERITH = re.compile(r"(?:^|[^\w)])(\d{1,4})$")
_LENGTH = re.compile(r"\s*(?:real|integer|complex|logical|character)\s*\*\s*\d+", re.I)
_SPECIAL = re.compile(r"[!&;'\"]|\d[hH]")  # what ends a line or statement, or hides such a character
_LAST_COLUMN = 72  # of fixed form, if no option says more


def marker(line, file):
    """The line that says which file and line the next one is."""
    return '# {} "{}"'.format(line, file.replace("\\", "\\\\").replace('"', '\\"'))


def unescaped(name):
    return name.replace('\\"', '"').replace("\\\\", "\\")


class InvalidLines(Exception):
    """What is wrong with a file, at which physical line (0-based) and column (1-based; 0 for the line)."""

    def __init__(self, message, line, column=0, code="XMP-E100"):
        super().__init__(message)
        self.message, self.line, self.column, self.code = message, line, column, code


class Source:
    """The lines of a file without their ends; `origin` says for each the file and line that messages name.

    fixed: whether they are in fixed form; width: its last column, None for no end. What stands behind that is no part of the
    program, and goes. Directives may be longer: compilers take them for comments."""

    def __init__(self, path, text, fixed=False, width=_LAST_COLUMN):
        self.path, self.fixed, self.width = path, fixed, width
        self.lines = text.split("\n")
        if fixed and width is not None:
            self.lines = [line if line[:1] == "#" or _FIXED_SENTINEL.match(line) else line[:width] for line in self.lines]
        self.origin = []
        file, number = path, 1
        for line in self.lines:
            marked = MARKER.match(line) if line[:1] == "#" else None
            if marked:
                file, number = unescaped(marked.group(2)), int(marked.group(1)) - 1
            self.origin.append((file, number))
            number += 1


class Statement:
    """One statement or directive without continuations, comments, and, in fixed form, its label.

    text, lower: as written, and in lower case (letters outside strings and in them: same length)
    at[i]: (line, column) of character i, 0-based, in the source's lines
    texts: (first, end) of texts in the form `5Hhello`, as positions in `text`
    sentinel: None, `xmp`, `omp` or `gcc$`: whose directive it is; label: that of fixed form, or None"""

    def __init__(self, sentinel=None, label=None):
        self.sentinel, self.label = sentinel, label
        self.directive = sentinel is not None
        self.characters = []
        self._pieces = []  # (line, first column, column behind) of characters that stand side by side
        self._at, self._cut = None, slice(None)
        self.texts = []
        self.first_line = self.last_line = None  # with everything the statement's lines hold, the sentinel too
        self.text = self.lower = ""

    @property
    def at(self):
        """Made when it is asked for the first time: of most statements nobody asks."""
        if self._at is None:
            self._at = [(line, column) for line, first, end in self._pieces for column in range(first, end)][self._cut]
        return self._at

    def place(self, number):
        """at[number]; without making all of them for a statement on one line."""
        if self._at is None and len(self._pieces) == 1 and self._cut.start is not None:
            line, first, _ = self._pieces[0]
            return line, first + self._cut.start + number
        return self.at[number]

    @property
    def column(self):
        """Of the first character."""
        before = self._cut.start
        for _, first, end in self._pieces:
            if before < end - first:
                return first + before
            before -= end - first

    @property
    def last_column(self):
        return self._pieces[-1][2] - 1

    def add(self, character, line, column):
        self.characters.append(character)
        self._pieces.append((line, column, column + 1))

    def add_all(self, text, line, column):
        """All of a line from a column on."""
        self.characters += text[column:]
        self._pieces.append((line, column, max(column, len(text))))

    def drop(self, count):
        """Takes the last characters away."""
        del self.characters[len(self.characters) - count :]
        while count:
            line, first, end = self._pieces.pop()
            if end - first > count:
                self._pieces.append((line, first, end - count))
            count -= min(count, end - first)

    def finish(self):
        """Cuts white space at both ends. False if nothing is left."""
        text = "".join(self.characters)
        start = len(text) - len(text.lstrip())
        end = len(text.rstrip())
        self.text, self._cut = text[start:end], slice(start, end)
        self.texts = [(first - start, min(last, end) - start) for first, last in self.texts]
        self.lower = self.text.lower()
        return bool(self.text)


def statements_of(source):
    """The Statements of a Source, in order. Raises InvalidLines."""
    scanner = _FixedForm(source) if source.fixed else _FreeForm(source)
    for number, line in enumerate(source.lines):
        scanner.line(number, line)
    scanner.end()
    return scanner.found


class _Scanner:
    """found: the Statements so far; current: the one that the next line may continue; quote: the string that it continues."""

    def __init__(self, source):
        self.source = source
        self.found = []
        self.current = self.quote = None

    def begin(self, number, sentinel=None, label=None):
        self.current = Statement(sentinel, label)
        self.current.first_line = number

    def end(self):
        if self.current is not None and self.current.finish():
            self.found.append(self.current)
        elif self.current is not None and self.current.sentinel == "xmp":
            line = self.current.first_line
            column = self.source.lines[line].lower().index("$xmp")
            raise InvalidLines("a directive without a name", line, column, "XMP-E101")
        self.current = self.quote = None

    def read(self, number, line, column, sentinel):
        """Takes the characters of a line from a column on. Returns where the rest of it is a mark of continuation, or None."""
        if self.quote is None and not _SPECIAL.search(line, column):
            self.current.add_all(line, number, column)
            column = len(line)
        while column < len(line):
            character = line[column]
            if self.quote is None and character == "!":
                break
            if character == "&" and self.continues(line, column):
                return column
            if self.quote is None and character == ";" and not sentinel:
                self.current.last_line = number
                self.end()
                self.begin(number)
                column += 1
                continue
            if self.quote is not None:
                self.quote = None if character == self.quote else self.quote
            elif character in "'\"":
                self.quote = character
            for _ in range(self.verbatim(character, sentinel)):
                self.current.add(line[column : column + 1] or " ", number, column)
                column += 1
        self.current.last_line = number
        return None

    def continues(self, line, column):
        """Whether the `&` at a column is the mark of continuation."""
        return False

    def verbatim(self, character, sentinel):
        """How many characters are taken whatever they are."""
        return 1


def _sentinel(match):
    return (match.group(1) or match.group(2)).lower() if match else None


class _FreeForm(_Scanner):
    def line(self, number, line):
        stripped = line.lstrip()
        match = _FREE_SENTINEL.match(line) if self.quote is None else None
        if not stripped or stripped[0] == "#" or (stripped[0] == "!" and not match):
            return  # empty, of the preprocessor, a comment (which may lie inside a continued statement)
        sentinel = _sentinel(match)
        if self.current is not None and self.current.sentinel != sentinel:
            if sentinel and not self.current.directive:
                raise InvalidLines("a directive inside a continued statement", number)
            self.end()  # the directive's last line ends with a stray `&`
        self._read(number, line, match.end() if match else 0, sentinel)

    def _read(self, number, line, column, sentinel):
        if self.current is None:
            self.begin(number, sentinel)
        else:
            column = self._behind_ampersand(line, column)
        mark = self.read(number, line, column, sentinel)
        if mark is None:
            self.end()
            return
        self.current.last_line = number
        if self.quote is None:
            self.current.add(" ", number, mark)

    def continues(self, line, column):
        rest = line[column + 1 :]
        return not rest.strip() if self.quote is not None else _only_comment(rest)

    @staticmethod
    def _behind_ampersand(line, column):
        start = len(line) - len(line[column:].lstrip())
        return start + 1 if line[start : start + 1] == "&" else column


def _only_comment(text):
    text = text.lstrip()
    return not text or text[0] == "!"


class _FixedForm(_Scanner):
    """Columns 1 to 5 hold a label or a sentinel, column 6 says whether the line continues the one before. A tab among them
    leads to column 7, and a digit behind it is that of column 6, as compilers take it."""

    def line(self, number, line):
        match = _FIXED_SENTINEL.match(line)
        if match:
            self._start(number, line, _sentinel(match), None, 5)
            return
        if not line.strip() or line[0] in "cC*!dD#":
            return
        front = line[:6]
        if "\t" in front:
            tab = front.index("\t")
            digit = line[tab + 1 : tab + 2]
            column = tab + 1 if "1" <= digit <= "9" else tab
            self._start(number, line, None, line[:tab].strip() or None, column)
        elif line.lstrip()[0] != "!" or line[5:6] == "!":
            self._start(number, line, None, line[:5].strip() or None, 5)

    def _start(self, number, line, sentinel, label, mark):
        """mark: the column of the mark of continuation."""
        continued = line[mark : mark + 1] not in ("", " ", "0", "\t")
        if not continued or self.current is None or self.current.sentinel != sentinel:
            self.end()
            self.begin(number, sentinel, label)
        elif sentinel:
            self._drop_ampersand()
        self._read(number, line, mark + 1, sentinel)

    def _drop_ampersand(self):
        """At the end of a continued directive's line, as in free form: some write it in addition."""
        characters = self.current.characters
        kept = len("".join(characters).rstrip())
        if kept and characters[kept - 1] == "&":
            self.current.drop(len(characters) - kept + 1)

    def _read(self, number, line, column, sentinel):
        if self.current.characters and self.quote is None and self.current.last_column + 1 != self.source.width:
            self.current.add(" ", number, column)  # else a word may go on behind the last column
        self.read(number, line, column, sentinel)

    def verbatim(self, character, sentinel):
        """All of a text in the form `5Hhello`, whose H comes next."""
        if self.quote is not None or character not in "hH" or sentinel:
            return 1
        characters = self.current.characters
        match = _HOLLERITH.search("".join(characters[-6:]))
        if match is None or _LENGTH.fullmatch("".join(characters)):  # `REAL*8HEAT`
            return 1
        count, here = int(match.group(1)), len(characters)
        self.current.texts.append((here - len(match.group(1)), here + 1 + count))
        return 1 + count
