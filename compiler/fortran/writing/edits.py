"""Edits of a file's text that keep its line numbers: statements are replaced where they stand; lines that come in addition are
followed by a line marker."""

import re

from ..reading.lines import marker

_MOVED = re.compile("\0(\\d+)\0")


class Edits:
    def __init__(self, source):
        self.source = source
        self._lines = list(source.lines)
        self._changes = {}  # line -> [(first column, column behind, text)]
        self._heads, self._before, self._behind = {}, {}, {}  # line -> lines that come before it, and behind it
        self._ends = {}  # statement whose last lines are empty now -> (line, column) behind it
        self._moved = []  # (statement, first word, last word) of texts that stand in another place
        self._pieces = {}  # (statement, begin and end of a part) that was replaced -> its changes, one for each line

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
        self._ends[statement] = line, len(self.source.lines[line])
        for number in range(line, last + 1):
            behind = end + 1 if number == last else len(self.source.lines[number])
            self.place(number, column, behind, text)
            column, text = 0, ""

    def words(self, statement, first, last, text):
        """Replaces the text from one word to another of the statement; what stands on continuation lines goes."""
        if last.end == len(statement.text) and statement.at[first.start][0] < statement.at[-1][0]:
            self.rest(statement, first, text)  # a mark of continuation would join the next statement
            return
        for number in range(statement.at[first.start][0], statement.at[last.end - 1][0] + 1):
            columns = self._columns(statement, first.start, last.end, number)
            if columns:
                self.place(number, columns[0], columns[-1] + 1, text)
                piece = number, columns[0], columns[-1] + 1, text
                self._pieces.setdefault((statement, first.start, last.end), set()).add(piece)
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
        line, column = self._ends.get(statement) or (statement.at[-1][0], statement.at[-1][1] + 1)
        self.place(line, column, column, text)

    def before(self, statement, text):
        line, column = statement.at[0]
        self.place(line, column, column, text)

    def moved(self, statement, first, last):
        """What stands for the text from one word to another, edited as it would be there, in any other text."""
        self._moved.append((statement, first, last))
        return f"\0{len(self._moved) - 1}\0"

    def lines_before(self, line, lines, first=False, head=False):
        """first: in front of all others; head: in front of those that are neither."""
        present = (self._heads if first or head else self._before).setdefault(line, [])
        at = 0 if first else len(present)
        present[at:at] = lines

    def lines_behind(self, line, lines):
        self._behind.setdefault(line, []).extend(lines)

    def added(self, first, last):
        """All that the lines from one to another get in addition."""
        changed = (text for line in range(first, last + 1) for _, _, text in self._changes.get(line, ()))
        whole = (
            text
            for lines in (self._heads, self._before, self._behind)
            for line in range(first, last + 1)
            for text in lines.get(line, ())
        )
        return "\n".join([*changed, *whole])

    def result(self):
        texts = []
        for number, line in enumerate(self._lines):
            added = [*self._behind.get(number - 1, ()), *self._heads.get(number, ()), *self._before.get(number, ())]
            if added:
                file, origin = self.source.origin[number]
                texts += [*added, marker(origin, file)]
            texts.append(self._changed(line, self._changes.get(number, ())))
        return self._with_moved("\n".join(texts))

    def _with_moved(self, text):
        return _MOVED.sub(lambda match: self._with_moved(self._inside(*self._moved[int(match.group(1))])), text)

    def _inside(self, statement, first, last):
        """The text between two words, with the edits that are for parts of it."""
        start, end, found = first.start, last.end, []
        own = self._pieces.get((statement, start, end), ())
        places = {place: number for number, place in enumerate(statement.at)}
        for line in range(statement.at[start][0], statement.at[end - 1][0] + 1):
            for column, behind, text in self._changes.get(line, ()):
                at, after = places.get((line, column)), places.get((line, behind - 1))
                at = after + 1 if at is None and after is not None and column == behind else at
                after = at if column == behind else None if after is None else after + 1
                inside = None not in (at, after) and start <= at and after <= end and (at, after) not in _outside(start, end)
                if inside and (line, column, behind, text) not in own:
                    found.append((at - start, after - start, text))
        return self._changed(statement.text[start:end], found)

    @staticmethod
    def _changed(line, changes):
        """Insertions at one column stand in the order in which they were made. What replaces a statement has what was
        inside. Of two texts for one place one would be lost."""
        parts, column, last = [], 0, None
        for first, behind, text in sorted(changes, key=lambda change: (change[0], change[1] > change[0], -change[1])):
            if first >= column:
                parts += [line[column:first], text]
                column, last = behind, (first, behind, text)
            elif (first, behind) == last[:2] and text != last[2]:
                raise AssertionError(f"'{last[2]}' and '{text}' in the place of one text")
        return "".join(parts) + line[column:]


def _outside(start, end):
    """Edits that are not for a part of a text: the whole, what comes before it, and what comes behind."""
    return (start, end), (start, start), (end, end)


def indentation(line):
    return line[: len(line) - len(line.lstrip())]
