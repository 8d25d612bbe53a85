"""The words of a directive and what is built from them. C's lexer gives its own tokens, which have the same attributes;
Fortran and the tests use `words_of`."""

import re

_WORD = r"""(?P<space>[ \t\f\v]+)|(?P<identifier>[A-Za-z_$][A-Za-z_0-9$]*)|(?P<number>\.?[0-9](?:[eEpP][+-]|[A-Za-z0-9_.])*)
    |(?P<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(?P<operator>\.[A-Za-z]+\.)
    |(?P<punctuator><<=|>>=|=>|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||::|//|.)"""


class Word:
    __slots__ = ("text", "file", "line", "column", "space", "kind")

    def __init__(self, text, file, line, column, space=False, kind="punctuator"):
        self.text = text
        self.file = file
        self.line = line
        self.column = column
        self.space = space
        self.kind = kind


def words_of(text, file="", line=1, column=1):
    """The words of one line of text. Lines joined by the caller call this once for each and concatenate."""
    words, space = [], False
    for match in re.finditer(_WORD, text, re.X | re.S):
        if match.lastgroup == "space":
            space = True
            continue
        words.append(Word(match.group(), file, line, column + match.start(), space, match.lastgroup))
        space = False
    return words


class Expression:
    """An integer expression, a variable: text, where it stands, and the names in it."""

    __slots__ = ("text", "words", "word")

    def __init__(self, text, word, words=()):
        self.text = text
        self.word = word  # the first one, for messages
        self.words = words

    @staticmethod
    def of(words):
        parts = []
        for number, word in enumerate(words):
            parts.append((" " if number and word.space else "") + word.text)
        return Expression("".join(parts), words[0], tuple(words))

    @property
    def names(self):
        """Names that the expression mentions, in order. Members (`s.n`, `p->n`) are not names."""
        names, before = [], ""
        for word in self.words:
            if word.kind == "identifier" and before not in (".", "->", "%"):
                names.append(word.text)
            before = word.text
        return names

    @property
    def name(self):
        """The name if the expression is nothing else, else None."""
        return self.text if len(self.words) == 1 and self.words[0].kind == "identifier" else None

    def __str__(self):
        return self.text

    def __repr__(self):
        return f"Expression({self.text!r})"


# ---- arithmetic on the text of expressions: `N` - 1 is "N - 1", `4` - 1 is "3" ----

_INTEGER = re.compile(r"[+-]?(?:0x[\da-f]{1,40}|0b[01]{1,160}|0|[1-9]\d{0,40})", re.I)
_ATOM = re.compile(r"[A-Za-z_0-9$.]+\Z")


def integer(text):
    """The value of an integer literal (with a sign perhaps), else None."""
    text = text.strip().rstrip("uUlL")
    return int(text, 0) if _INTEGER.fullmatch(text) else None


def parenthesised(text):
    """The text as an operand."""
    text = text.strip()
    if _ATOM.match(text) or _is_call(text):
        return text
    return f"({text})"


def _is_call(text):
    """`(...)`, `f(...)`, `a[...][...]`: closed by the brackets that it opens first."""
    opened = re.match(r"[A-Za-z_0-9$]*[(\[]", text)
    if not opened:
        return False
    depth = 0
    for position, character in enumerate(text):
        if character in "([":
            depth += 1
        elif character in ")]":
            depth -= 1
            if depth == 0 and position + 1 < len(text) and text[position + 1] not in "[(":
                return False
    return depth == 0


def plus(text, number):
    """text + number, a Python int."""
    value = integer(text)
    if value is not None:
        return str(value + number)
    if number == 0:
        return text
    return f"{parenthesised(text)} {'+' if number > 0 else '-'} {abs(number)}"


def added(left, right):
    a, b = integer(left), integer(right)
    if b is not None:
        return plus(left, b)
    if a is not None:
        return plus(right, a)
    return f"{parenthesised(left)} + {parenthesised(right)}"


def negated(text):
    value = integer(text)
    if value is not None:
        return str(-value)
    return f"-{parenthesised(text)}"


def section_end(base, length, step):
    """Last index of base:length:step."""
    b, n, s = integer(base), integer(length), integer(step)
    if None not in (b, n, s):
        return str(b + (n - 1) * s)
    if s == 1 and n is not None:
        return plus(base, n - 1)
    if s == 1:
        return plus(added(base, length), -1)
    return f"{parenthesised(base)} + ({plus(length, -1)}) * {parenthesised(step)}"
