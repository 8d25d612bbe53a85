"""The words of a Fortran statement: the same objects as those of a directive (directives/words.py), with their place in the
statement. Names and operators are in lower case, because Fortran does not tell the cases apart."""

import re

from ...directives.words import Word

_WORD = re.compile(
    r"""[ \t\f\r]*(?:(?P<string>(?:[a-z]\w*_)?(?:'(?:[^']|'')*'|"(?:[^"]|"")*"))|(?P<boz>[bozx](?:'[0-9a-f]*'|"[0-9a-f]*"))
    |(?P<operator>\.[a-z]+\.)
    |(?P<number>(?:\d+\.(?![a-z]+\.)\d*|\.\d+|\d+)(?:[edq][+-]?\d+)?(?:_\w+)?)
    |(?P<identifier>[a-z_$][\w$]*)
    |(?P<punctuator>=>|::|==|/=|<=|>=|\*\*|//|[^ \t\f\r]))""",
    re.X | re.S | re.I,
)


class FortranWord(Word):
    """start, end: the word is statement.text[start:end]; inside: of a word that stands for several, these."""

    __slots__ = ("start", "end", "inside")


def words_of(statement, source):
    """The FortranWords of a Statement."""
    words, origin, original, lower, place = [], source.origin, statement.text, statement.lower, statement.place
    for match in _WORD.finditer(_quoted(statement)):
        kind = match.lastgroup
        start, end = match.span(kind)
        line, column = place(start)
        file, number = origin[line]
        text = (original if kind == "string" else lower)[start:end]
        word = FortranWord(text, file, number, column + 1, start > match.start(), "number" if kind == "boz" else kind)
        word.start, word.end = start, end
        words.append(word)
    return words


def _quoted(statement):
    """A statement's text, with `5Hhello` as if it were between quotes."""
    text = statement.text
    for first, end in statement.texts:
        text = f"{text[:first]}'{' ' * (end - first - 2)}'{text[end:]}"
    return text


def divided(words, at):
    """The words with the first one as two, of which the first has `at` characters."""
    first = words[0]
    parts = []
    for low, high in ((0, at), (at, len(first.text))):
        text = first.text[low:high]
        part = FortranWord(
            text, first.file, first.line, first.column + low, low > 0 or first.space, "number" if text.isdigit() else first.kind
        )
        part.start, part.end = first.start + low, first.start + high
        parts.append(part)
    return [*parts, *words[1:]]


def closing(words, position):
    """Position of the bracket that closes the one at `position`; len(words) if there is none."""
    depth = 0
    for number in range(position, len(words)):
        if words[number].text in ("(", "["):
            depth += 1
        elif words[number].text in (")", "]"):
            depth -= 1
            if depth == 0:
                return number
    return len(words)


def unmatched(words):
    """The first bracket that does not close, or closes nothing; None if all match."""
    opened = []
    for word in words:
        if word.text in ("(", "["):
            opened.append(word)
        elif word.text in (")", "]") and (not opened or opened.pop().text != ("(" if word.text == ")" else "[")):
            return word
    return opened[0] if opened else None


def split(words, separator=","):
    """Lists of words between separators outside brackets."""
    parts, depth = [[]], 0
    for word in words:
        if word.text in ("(", "["):
            depth += 1
        elif word.text in (")", "]"):
            depth -= 1
        if depth == 0 and word.text == separator:
            parts.append([])
        else:
            parts[-1].append(word)
    return parts


def find(words, text, start=0):
    """Position of a word outside brackets, None if it is not there."""
    depth = 0
    for number in range(start, len(words)):
        word = words[number].text
        if depth == 0 and word == text:
            return number
        if word in ("(", "["):
            depth += 1
        elif word in (")", "]"):
            depth -= 1
    return None
