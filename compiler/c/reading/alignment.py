"""Which words of the user's file became which tokens of the preprocessed text.

Lines that macros did not change are equal on both sides and anchor the rest. Between anchors, the original consists of macro
calls and of plain tokens that must reappear in the same order; the expansions are what lies between them."""

import re

from ...record import Record
from .inclusions import find_inclusions, find_tokens
from .lexer import Lexer
from .tokens import IDENTIFIER, PRAGMA, PRAGMA_END, STRING

_CONDITIONAL = re.compile(r"^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|else|endif)\b", re.M)
_LINE_DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(?:line\b|\d)", re.M)
_BUILTIN = "__LINE__ __FILE__ __COUNTER__ __DATE__ __TIME__ __INCLUDE_LEVEL__ __BASE_FILE__ __TIMESTAMP__ __FILE_NAME__".split()


class Unalignable(Exception):
    """The text cannot be traced back to the user's files (#line directives, splices inside words ...)."""


class Piece(Record):
    """Tokens begin..end (exclusive) of the original file became tokens first..last+1 (exclusive) of the unit.
    exact: one token that stayed as it was. certain: no other alignment is possible."""

    fields = ("begin", "end", "first", "after", "exact", "certain")


class Alignment:
    """Alignments of all inclusions of a source with the tokens of its preprocessed text, made when they are asked for."""

    def __init__(self, source, tokens):
        self.source = source
        self.tokens = tokens
        self.inclusions = find_inclusions(source)
        find_tokens(self.inclusions, tokens)
        self._files = {}
        self._aligned = {}
        self._edges = {}
        self._macros = None
        self._columns = {}

    def inclusion_of(self, index):
        for inclusion in self.inclusions:
            if index in inclusion:
                return inclusion
        return None

    def aligned(self, inclusion):
        """(tokens of the original file, Pieces in order)."""
        if inclusion not in self._aligned:
            self._aligned[inclusion] = self._align(inclusion)
        return self._aligned[inclusion]

    def _original(self, file):
        if file not in self._files:
            text = self.source.original(file)
            if _LINE_DIRECTIVE.search(text):
                raise Unalignable(f"{file} has #line directives")
            lexer = Lexer(text)
            lexer.run(0, len(text), file, 1)
            for token in lexer.tokens:
                if "\\" in token.text:
                    token.text = token.text.replace("\\\r\n", "").replace("\\\n", "")
            self._files[file] = lexer.tokens
        return self._files[file]

    def macros(self):
        """name -> whether it takes arguments; of all macros ever defined."""
        if self._macros is None:
            self._macros = self.source.macros()
            self._macros.update(dict.fromkeys(_BUILTIN, False), _Pragma=True)
        return self._macros

    def _align(self, inclusion):
        tokens, indices = self.tokens, list(inclusion.indices())
        original = _active(
            self._original(inclusion.file), self.source.original(inclusion.file), {tokens[index].line for index in indices}
        )
        pieces, pending = [], None
        for begin, end, first, after in _lines(original, tokens, indices):
            if pending is not None:
                begin, first = pending
            elif end - begin == after - first and all(
                original[begin + k].text == tokens[indices[first + k]].text for k in range(end - begin)
            ):
                self._exact(pieces, begin, end, indices[first] if first < after else 0, True)
                continue
            following = indices[first] if first < len(indices) else (indices or [0])[-1] + 1
            placed = self._place(original, begin, end, indices[first:after], following)
            if placed is None:
                pending = begin, first
                continue
            pieces += placed
            pending = None
        if pending is not None:
            pieces.append(_opaque(begin, len(original), indices[first:]))
        return original, pieces

    def _exact(self, pieces, begin, end, index, certain):
        for k in range(end - begin):
            pieces.append(Piece(begin + k, begin + k + 1, index + k, index + k + 1, True, certain))

    def _place(self, original, begin, end, indices, base):
        """Pieces of a stretch of lines that macros changed, or None if it does not end where a line of the result ends: a call
        that goes on. base: the index of the next token of the result, also where there is none."""
        calls, complete = self._calls(original, begin, end)
        if not complete or indices and indices[-1] - indices[0] + 1 != len(indices):
            return None
        expected = [token.text for token in original[begin:end]]
        actual = [self.tokens[index].text for index in indices]
        positions, certain = _embed_runs(calls, expected, actual, begin)
        if positions is None:
            return None
        if not certain:
            return [_opaque(begin, end, indices)]
        pieces, position, index = [], begin, 0
        for (call_begin, call_end), (first, after) in zip(calls, positions):
            self._exact(pieces, position, call_begin, base + index, True)
            pieces.append(Piece(call_begin, call_end, base + first, base + after, False, True))
            position, index = call_end, after
        self._exact(pieces, position, end, base + index, True)
        return pieces

    def _calls(self, original, begin, end):
        """([(begin, end)] of the macro calls among tokens of the original, neighbours taken together; whether all are
        complete)."""
        macros, calls, position = self.macros(), [], begin
        while position < end:
            start = position
            token = original[position]
            takes_arguments = macros.get(token.text) if token.kind is IDENTIFIER else None
            position += 1
            if takes_arguments is None:
                continue
            if takes_arguments:
                if position == end or original[position].text != "(":
                    continue
                position = _closing(original, position, end)
                if position is None:
                    return calls, False
            if calls and calls[-1][1] == start:
                calls[-1] = calls[-1][0], position
            else:
                calls.append((start, position))
        return calls, True

    def written(self, first, last):
        """Tokens first..last of the unit as the user wrote them, macros not expanded; None where that is no text on one line
        (a part of a macro's expansion, for example)."""
        inclusion = self.inclusion_of(first)
        if inclusion is None:
            return None
        try:
            original, _ = self.aligned(inclusion)
        except Unalignable:
            return None
        begins, ends = self._edges_of(inclusion)
        begin, end = begins.get(first), ends.get(last + 1)
        if begin is None or end is None or original[begin].line != original[end - 1].line:
            return None
        text = self.source.original(inclusion.file)[original[begin].start : original[end - 1].end]
        return None if "\n" in text or "/*" in text else text

    def _edges_of(self, inclusion):
        """({first: begin}, {after: end}) of the Pieces that became tokens."""
        if inclusion not in self._edges:
            _, pieces = self.aligned(inclusion)
            became = [piece for piece in pieces if piece.after > piece.first]
            self._edges[inclusion] = {p.first: p.begin for p in became}, {p.after: p.end for p in became}
        return self._edges[inclusion]

    def column(self, token):
        """The 1-based column of a token of the unit, or of the macro call that it comes from; 0 where not known."""
        inclusion = next((i for i in self.inclusions if any(start <= token.start < end for start, end, _ in i.spans)), None)
        if inclusion is None:
            return 0
        if inclusion not in self._columns:
            self._columns[inclusion] = self._find_columns(inclusion)
        return self._columns[inclusion].get(token.start, 0)

    def _find_columns(self, inclusion):
        """Where a token starts in the preprocessed text -> its column."""
        try:
            original, pieces = self.aligned(inclusion)
        except Unalignable:
            return {}
        text, columns = self.source.original(inclusion.file), {}
        for piece in pieces:
            if piece.exact or piece.certain and piece.first < piece.after:
                start = original[piece.begin].start
                column = start - text.rfind("\n", 0, start)
                columns.update(dict.fromkeys((self.tokens[index].start for index in range(piece.first, piece.after)), column))
                if not piece.exact:
                    columns.update(self._columns_in_pragmas(original, piece, text))
        return columns

    def _columns_in_pragmas(self, original, piece, text):
        """The same for words in the strings of `_Pragma("xmp ...")` operators that stand in the file itself."""
        strings = [
            original[number + 2]
            for number in range(piece.begin, piece.end - 2)
            if original[number].text == "_Pragma" and original[number + 2].kind is STRING
        ]
        pragmas = [index for index in range(piece.first, piece.after) if self.tokens[index].kind is PRAGMA]
        if len(strings) != len(pragmas):
            return {}  # some come out of macros
        columns = {}
        for string, index in zip(strings, pragmas):
            position, end = string.start + 1, string.end - 1
            for token in self.tokens[index + 1 : piece.after]:
                if token.kind is PRAGMA_END:
                    break
                found = text.find(token.text, position, end)
                if found < 0:
                    break
                columns[token.start] = found - text.rfind("\n", 0, found)
                position = found + len(token.text)
        return columns


def alignment_of(source, tokens):
    """The Alignment of a source, kept with it."""
    if source.alignment is None:
        source.alignment = Alignment(source, tokens)
    return source.alignment


def _active(original, text, used):
    """The tokens that #if leaves in. A branch of which no line has a token of the unit (`used`: the lines that have) was left
    out, or came to nothing."""
    branches = [(0, -1)]  # (first line, index of the enclosing branch)
    current, owner, previous = 0, {}, 1
    line, position = 1, 0
    for match in _CONDITIONAL.finditer(text):
        line += text.count("\n", position, match.start())
        position = match.start()
        owner[previous, line] = current
        previous = line
        word = match.group(1)
        if word != "if" and not word.startswith("ifd") and not word.startswith("ifn"):
            current = max(branches[current][1], 0)
        if word != "endif":
            branches.append((line, current))
            current = len(branches) - 1
    if len(branches) == 1:
        return original
    owner[previous, float("inf")] = current
    stretches = sorted(owner)
    alive = {0}
    for first, end in stretches:
        if any(first <= number < end for number in used):
            alive.add(owner[first, end])
    kept, number = [], 0
    for token in original:
        while token.line >= stretches[number][1]:
            number += 1
        if owner[stretches[number]] in alive:
            kept.append(token)
    return kept


def _lines(original, tokens, indices):
    """(begin, end, first, after) of each line: positions in `original` and in `indices`."""
    begin = first = 0
    while begin < len(original) or first < len(indices):
        lines = []
        if begin < len(original):
            lines.append(original[begin].line)
        if first < len(indices):
            lines.append(tokens[indices[first]].line)
        line, end, after = min(lines), begin, first
        while end < len(original) and original[end].line <= line:
            end += 1
        while after < len(indices) and tokens[indices[after]].line <= line:
            after += 1
        yield begin, end, first, after
        begin, first = end, after


def _opaque(begin, end, indices):
    """A stretch that can only be replaced as a whole."""
    if not indices:
        return Piece(begin, end, 0, 0, False, False)
    if indices[-1] - indices[0] + 1 != len(indices):
        raise Unalignable("a header is included inside a macro call")
    return Piece(begin, end, indices[0], indices[-1] + 1, False, False)


def _closing(original, position, end):
    """Behind the parenthesis that closes the one at `position`; None if it is not there."""
    depth = 0
    while position < end:
        depth += {"(": 1, ")": -1}.get(original[position].text, 0)
        position += 1
        if not depth:
            return position
    return None


def _embed_runs(calls, expected, actual, base):
    """Where the plain runs between macro calls stand in `actual`: ([(first, after) of each call's expansion], whether there
    is no other way), or (None, False) if they do not fit."""
    runs, position = [], 0
    for begin, end in calls:
        runs.append(expected[position : begin - base])
        position = end - base
    runs.append(expected[position:])
    if not calls:
        return ([], True) if expected == actual else (None, False)
    leftmost = _embed(runs, actual)
    if leftmost is None:
        return None, False
    mirrored = _embed([run[::-1] for run in reversed(runs)], actual[::-1])
    size = len(actual)
    rightmost = [size - start - len(run) for start, run in zip(reversed(mirrored), runs)]
    positions = [(leftmost[k] + len(runs[k]), leftmost[k + 1]) for k in range(len(calls))]
    return positions, leftmost == rightmost


def _embed(runs, actual):
    """The leftmost starts of the runs: the first at the beginning, the last at the end, all in order; None if they do not
    fit."""
    starts, position = [], 0
    last = len(actual) - len(runs[-1])
    for number, run in enumerate(runs[:-1]):
        limit = 0 if number == 0 else last - len(run)
        while position <= limit and actual[position : position + len(run)] != run:
            position += 1
        if position > limit or position + len(run) > last:
            return None
        starts.append(position)
        position += len(run)
    if actual[last:] != runs[-1] or last < position:
        return None
    return starts + [last]
