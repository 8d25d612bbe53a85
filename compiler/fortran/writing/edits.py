"""Edits of a file's text that keep its line numbers: statements are replaced where they stand; lines that come in addition are
followed by a line marker."""


class Edits:
    def __init__(self, source):
        self.source = source
        self._lines = list(source.lines)
        self._changes = {}  # line -> [(first column, column behind, text)]
        self._before = {}  # line -> lines that come before it

    def place(self, line, first, behind, text):
        self._changes.setdefault(line, []).append((first, behind, text))

    def statement(self, statement, text):
        """Replaces a whole statement, or directive with its sentinel; its continuation lines become empty."""
        (line, column), (last, end) = statement.at[0], statement.at[-1]
        if statement.directive:
            original = self.source.lines[line]
            column = len(original) - len(original.lstrip())
        if statement.first_line == statement.last_line:
            self.place(line, column, len(self.source.lines[line]) if statement.directive else end + 1, text)
            return
        self.place(line, column, len(self.source.lines[line]), text)
        for number in range(line + 1, statement.last_line + 1):
            behind = end + 1 if number == last else len(self.source.lines[number])
            self.place(number, 0, behind, "")

    def after(self, statement, text):
        line, column = statement.at[-1]
        self.place(line, column + 1, column + 1, text)

    def before(self, statement, text):
        line, column = statement.at[0]
        self.place(line, column, column, text)

    def lines_before(self, line, lines):
        self._before.setdefault(line, []).extend(lines)

    def result(self):
        texts = []
        for number, line in enumerate(self._lines):
            if number in self._before:
                file, origin = self.source.origin[number]
                texts += self._before[number]
                texts.append('# {} "{}"'.format(origin, file.replace("\\", "\\\\").replace('"', '\\"')))
            texts.append(self._changed(line, self._changes.get(number, ())))
        return "\n".join(texts)

    @staticmethod
    def _changed(line, changes):
        """Insertions at one column stand in the order in which they were made."""
        parts, column = [], 0
        for first, behind, text in sorted(changes, key=lambda change: (change[0], change[1])):
            parts += [line[column:first], text]
            column = max(column, behind)
        return "".join(parts) + line[column:]


def indentation(line):
    return line[: len(line) - len(line.lstrip())]
