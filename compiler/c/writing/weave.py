"""The translated file: the user's own text with the edits woven in, line by line.

What no edit touches stays as it was: comments, macros, #include and #if lines, line numbers. An edit inside a macro's
expansion replaces the call by its (edited) expansion. Headers with edits are included textually, all others keep their
#include. Where a macro leaves more than one reading of which word is which, gcc checks the result; if that fails, or the text
cannot be traced back, the whole preprocessed text is the translation."""

import bisect
import re

from ..reading.alignment import Unalignable, alignment_of
from ..reading.errors import PreprocessingFailed
from ..reading.lexer import Lexer
from ..reading.preprocess import escape, preprocess_text
from ..reading.system_headers import separate
from ..reading.tokens import PRAGMA, PRAGMA_END

GENERATED_HEADER = "kumihimo/generated.h"
LOCAL_VIEW_HEADER = "kumihimo/coarrays.h"
_INCLUDE = re.compile(r"[ \t]*#[ \t]*include\b")
_ONCE = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+once\b.*$", re.M)
_NEXT_LINE = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\r?\n)*([ \t]*)(?=[^\s#])")  # behind directives and blank lines
_READABLE = 140  # columns of a line that still carries the directive as a comment


def weave(unit, edits, header=GENERATED_HEADER):
    """The text to compile in place of unit.source.path (with `-iquote` its directory). Without edits: the file as it is."""
    if not edits.touched() and not edits.epilogue:
        return unit.source.original()
    try:
        weaver = Weaver(unit, edits, header)
        text = weaver.text()
        if weaver.certain or _confirmed(unit, edits):
            return text
    except Unalignable:
        pass
    from ..reading.preprocessed import edited_text

    return edited_text(unit, edits, header)


class Weaver:
    """One weaving. `certain` is False after `text` when the alignment left a choice at some edit."""

    def __init__(self, unit, edits, header):
        self.unit = unit
        self.edits = edits
        self.header = header
        self.source = unit.source
        self.alignment = alignment_of(unit.source, unit.tokens)
        self.certain = True
        touched = edits.touched()
        self.touched = set(touched)
        self.edited = self._edited_inclusions(touched)
        self.main = self.alignment.inclusions[0]
        self.header_line = self._header_line(touched)

    def text(self):
        body = self._weave(self.main)
        start = f'#line 1 "{escape(self.source.path)}"\n'
        if self.header and self.header_line == 1:
            start = f'#include "{self.header}"\n' + start
        if self.edits.epilogue:
            body += "" if body.endswith("\n") or not body else "\n"
            if self.header and self.header_line is None:
                body += f'#include "{self.header}"\n'
            body += "\n".join(self.edits.epilogue) + "\n"
        return start + body

    # -- where things are

    def _edited_inclusions(self, touched):
        """The inclusions that have edits themselves or in what they include."""
        edited, position = set(), 0
        ranges = sorted((first, end, i) for i, inc in enumerate(self.alignment.inclusions) for first, end in inc.tokens)
        starts = [r[0] for r in ranges]
        for index in touched:
            position = bisect.bisect_right(starts, index) - 1
            if position < 0 or index >= ranges[position][1]:
                raise Unalignable("an edit at a token of no file")
            inclusion = self.alignment.inclusions[ranges[position][2]]
            while inclusion is not None and inclusion not in edited:
                edited.add(inclusion)
                inclusion = inclusion.parent
        return edited

    def _header_line(self, touched):
        """The line of the file before which our header is included: that of the first declaration with edits, so that the
        user's own feature-test macros and #includes come before it. None: only the epilogue needs it."""
        if not touched:
            return None
        items, tokens = self.unit.items, self.unit.tokens
        number = bisect.bisect_right([item.first for item in items], touched[0]) - 1
        while number >= 0:
            first = items[number].first
            inclusion = self.alignment.inclusion_of(first)
            if inclusion is not None and inclusion is not self.main:
                while inclusion.parent is not self.main:
                    inclusion = inclusion.parent
                return inclusion.line
            line = tokens[first].line
            alone = first == 0 or (tokens[first - 1].file, tokens[first - 1].line) != (tokens[first].file, line)
            if inclusion is self.main and alone and self._starts_line(line, tokens[first]):
                return line
            number -= 1
        return 1

    def _starts_line(self, line, token):
        """Whether nothing stands before the item on its line, not even the end of a comment."""
        lines = self.source.original().split("\n")
        text = lines[line - 1].lstrip() if line <= len(lines) else ""
        word = "#" if token.kind is PRAGMA else token.text
        return text.startswith(word) or text[:1].isalpha() or text[:1] == "_"

    # -- one file

    def _weave(self, inclusion):
        original = self.source.original(inclusion.file)
        splices = self._token_splices(inclusion, original) + self._include_splices(inclusion, original)
        if inclusion is self.main and self.header and self.header_line and self.header_line > 1:
            start = _line_start(original, self.header_line)
            line = f'#line {self.header_line} "{escape(inclusion.file)}"\n'
            splices.append((start, start, f'#include "{self.header}"\n{line}'))
        pieces, position = [], 0
        for start, end, text in sorted(splices, key=lambda splice: splice[:2]):
            pieces += [original[position:start], text]
            position = end
        pieces.append(original[position:])
        return "".join(pieces)

    def _include_splices(self, inclusion, original):
        """The headers with edits, in place of their #include lines."""
        splices = []
        for child in self.alignment.inclusions:
            if child.parent is not inclusion or child not in self.edited:
                continue
            if child.line < 1:
                raise Unalignable(f"{child.file} is included by an option")
            start = _line_start(original, child.line)
            end = original.find("\n", start)
            end = len(original) if end < 0 else end
            if not _INCLUDE.match(original, start) or original[end - 1 : end] == "\\":
                raise Unalignable(f"no #include of {child.file} at {inclusion.file}:{child.line}")
            self.certain = False
            text = _ONCE.sub("", self._weave(child))
            text += "" if text.endswith("\n") else "\n"
            splices.append(
                (start, end, f'#line 1 "{escape(child.file)}"\n{text}#line {child.line + 1} "{escape(inclusion.file)}"')
            )
        return splices

    def _token_splices(self, inclusion, original):
        words, pieces = self.alignment.aligned(inclusion)
        edits, splices, previous = self.edits, [], None
        in_pragma = None
        for piece in pieces:
            if piece.first == piece.after:
                if previous is not None and self._deleted(piece.first) and self._deleted(piece.first - 1):
                    previous = self._replace(splices, original, words, piece, "", previous, False)
                continue
            if not any(index in self.touched for index in range(piece.first, piece.after)):
                previous = None
                continue
            self.certain = self.certain and piece.certain
            if piece.exact:
                text = edits.token(piece.first)
            elif self._outside_only(piece):
                splices.append((words[piece.begin].start, words[piece.begin].start, edits.prefix(piece.first)))
                splices.append((words[piece.end - 1].end, words[piece.end - 1].end, edits.suffix(piece.after - 1)))
                previous = None
                continue
            else:
                text = self._expansion(piece)
            token = self.unit.tokens[piece.first]
            if piece.exact and token.kind is PRAGMA and piece.first in edits.replaced:
                in_pragma = words[piece.begin].start, text
                previous = None  # what lies before the directive (an #if, a comment) stays
                text = _indentation(original, words[piece.begin].start) + text if text else text
            if in_pragma and token.kind is PRAGMA_END:
                text += _comment(original[in_pragma[0] : words[piece.begin].start], in_pragma[1])
            previous = self._replace(splices, original, words, piece, text, previous, in_pragma is not None)
            if token.kind is PRAGMA_END:
                in_pragma = previous = None
        return splices

    def _deleted(self, index):
        return self.edits.replaced.get(index) == ""

    def _outside_only(self, piece):
        """Whether the edits of a macro's expansion only stand before its first and behind its last token."""
        edits, last = self.edits, piece.after - 1
        inner = [index for index in range(piece.first, piece.after) if index in self.touched]
        if any(index in edits.replaced or index not in (piece.first, last) for index in inner):
            return False
        return piece.first == last or not edits.suffix(piece.first) and not edits.prefix(last)

    def _expansion(self, piece):
        """The edited expansion of a macro call on one line; directives in it become _Pragma operators."""
        tokens, texts = self.unit.tokens, []
        pragma = None
        for index in range(piece.first, piece.after):
            text, kind = self.edits.token(index), tokens[index].kind
            if kind is PRAGMA and index not in self.edits.replaced:
                pragma = len(texts)
                text = text.replace("#pragma", "", 1)
            if kind is PRAGMA_END and pragma is not None:
                words = "".join(texts[pragma:]).strip()
                texts[pragma:] = [' _Pragma("{}") '.format(words.replace("\\", "\\\\").replace('"', '\\"'))]
                pragma = None
            if text:
                texts.append(" " + text if texts and tokens[index].space else text)
        return "".join(texts)

    def _replace(self, splices, original, words, piece, text, previous, in_pragma):
        """The words of a piece become `text`. Gaps between words that go go too, their line ends do not.
        previous: where the last replaced word ended, if the piece follows it at once."""
        for number in range(piece.begin, piece.end):
            word = words[number]
            start = word.start
            if previous is not None and not text:
                gap = original[previous:start]
                if "\n" not in gap:
                    start = previous
                elif in_pragma:
                    start, text = previous, "\n" * gap.count("\n") + text
            elif previous is not None and in_pragma and "\n" in original[previous:start]:
                start, text = previous, "\n" * original[previous:start].count("\n") + text
            splices.append((start, word.end, text))
            previous, text = word.end, ""
        return previous


def _comment(directive, text):
    """A directive that became `text`, as the comment behind it."""
    words = " ".join(directive.replace("\\\r\n", " ").replace("\\\n", " ").split())
    if "/*" in words or "//" in words or text and len(text) + len(words) > _READABLE:
        return ""
    return f"{' ' if text else ''}/* {words} */"


def _indentation(text, position):
    """Code in place of a directive in the first column is indented as the line that follows."""
    if position and text[position - 1] != "\n":
        return ""
    end = text.find("\n", position)
    while text[end - 1 : end] == "\\":
        end = text.find("\n", end + 1)
    following = _NEXT_LINE.match(text, end) if end >= 0 else None
    if not following:
        return ""
    return following.group(1) + "    " * (text[following.end() : following.end() + 1] == "}")


def _line_start(text, line):
    position = 0
    for _ in range(line - 1):
        position = text.find("\n", position) + 1
        if not position:
            raise Unalignable(f"there is no line {line}")
    return position


# ---- checking ------------------------------------------------------------------------------------------------------------


class _Probes:
    """The same edits with a word of their own for each text, so that gcc's expansion of the result can be predicted."""

    def __init__(self, edits):
        self.edits = edits
        self.tokens = edits.tokens
        self.epilogue = []
        self.replaced = {i: f" xmp_probe_{i} " if text else "" for i, text in edits.replaced.items()}

    def touched(self):
        return self.edits.touched()

    def prefix(self, index):
        return f" xmp_before_{index} " if self.edits.prefix(index) else ""

    def suffix(self, index):
        return f" xmp_behind_{index} " if self.edits.suffix(index) else ""

    def token(self, index):
        return self.prefix(index) + self.replaced.get(index, self.tokens[index].text) + self.suffix(index)


def _confirmed(unit, edits):
    """Whether gcc makes of the woven text what the edited tokens say."""
    probes = _Probes(edits)
    weaver = Weaver(unit, probes, None)
    source = unit.source
    try:
        result = preprocess_text(weaver.text(), source.path, source.command, source.options)
    except PreprocessingFailed:
        return False
    lexer = Lexer(result.text)
    for start, end, file, line in separate(result)[0]:
        lexer.run(start, end, file, line)
    expected = []
    for index, token in enumerate(unit.tokens[:-1]):
        expected += probes.token(index).split() if index in weaver.touched else [token.text]
    return expected == [token.text for token in lexer.tokens]
