"""Edits of a file's text that keep its line numbers: statements are replaced where they stand; lines that come in addition are
followed by a line marker."""

from ..reading.lines import marker


class Edits:
    def __init__(self, source):
        self.source = source
        self._lines = list(source.lines)
        self._changes = {}  # line -> [(first column, column behind, text)]
        self._before, self._behind = {}, {}  # line -> lines that come before it, and behind it

    def place(self, line, first, behind, text):
        self._changes.setdefault(line, []).append((first, behind, text))

    def statement(self, statement, text):
        """Replaces a whole statement, or directive with its sentinel; its continuation lines become empty."""
        (line, column), (last, end) = statement.at[0], statement.at[-1]
        if statement.directive:
            line, original = statement.first_line, self.source.lines[statement.first_line]
            column = len(original) - len(original.lstrip())
            text = " " * 6 + text if self.source.fixed else text
        if statement.first_line == statement.last_line:
            self.place(line, column, len(self.source.lines[line]) if statement.directive else end + 1, text)
            return
        self.place(line, column, len(self.source.lines[line]), text)
        for number in range(line + 1, statement.last_line + 1):
            rest = number != last or statement.directive
            self.place(number, 0, len(self.source.lines[number]) if rest else end + 1, "")

    def rest(self, statement, first, text):
        """Replaces a statement from a word to its end, with all marks of continuation. No line can begin with a semicolon."""
        (line, column), (last, end) = statement.at[first.start], statement.at[-1]
        if last > line and (self.source.lines[last][end + 1 :].strip()[:1] == ";" or statement.label):
            self.place(last, end + 1, end + 1, "      continue")
        for number in range(line, last + 1):
            behind = end + 1 if number == last else len(self.source.lines[number])
            self.place(number, column, behind, text)
            column, text = 0, ""

    def words(self, statement, first, last, text):
        """Replaces the text from one word to another of the statement; what stands on continuation lines goes."""
        for number in range(statement.at[first.start][0], statement.at[last.end - 1][0] + 1):
            columns = self._columns(statement, first.start, last.end, number)
            if columns:
                self.place(number, columns[0], columns[-1] + 1, text)
                text = ""

    def _columns(self, statement, start, end, number):
        """Columns of a part of the statement on one line, without the mark of continuation."""
        line = self.source.lines[number]
        places = zip(statement.text[start:end], statement.at[start:end])
        return [column for character, (at, column) in places if at == number and not (character == " " and line[column] == "&")]

    def word(self, statement, word, text):
        self.words(statement, word, word, text)

    def before_word(self, statement, word, text):
        line, column = statement.at[word.start]
        self.place(line, column, column, text)

    def after_word(self, statement, word, text):
        line, column = statement.at[word.end - 1]
        self.place(line, column + 1, column + 1, text)

    def after(self, statement, text):
        line, column = statement.at[-1]
        self.place(line, column + 1, column + 1, text)

    def before(self, statement, text):
        line, column = statement.at[0]
        self.place(line, column, column, text)

    def lines_before(self, line, lines):
        self._before.setdefault(line, []).extend(lines)

    def lines_behind(self, line, lines):
        self._behind.setdefault(line, []).extend(lines)

    def result(self):
        texts = []
        for number, line in enumerate(self._lines):
            added = self._behind.get(number - 1, []) + self._before.get(number, [])
            if added:
                file, origin = self.source.origin[number]
                texts += [*added, marker(origin, file)]
            texts.append(self._changed(line, self._changes.get(number, ())))
        return "\n".join(texts)

    @staticmethod
    def _changed(line, changes):
        """Insertions at one column stand in the order in which they were made. What replaces a statement has what was
        inside."""
        parts, column = [], 0
        for first, behind, text in sorted(changes, key=lambda change: (change[0], change[1] > change[0], -change[1])):
            if first >= column:
                parts += [line[column:first], text]
                column = behind
        return "".join(parts) + line[column:]


def indentation(line):
    return line[: len(line) - len(line.lstrip())]
