"""Declarations of system headers, parsed one by one when a name of theirs is used.

A program that includes stdio.h, math.h and mpi.h brings 20,000 tokens of declarations of which it uses a dozen. Their text is
split at the ends of top-level declarations only; looking up a name parses the declarations that mention it, from the
first mention on, until one of them declares it."""

import bisect
import re

from . import types
from .errors import InvalidSyntax
from .lexer import Lexer
from .syntax import Scope

_DELIMITER = re.compile(r"""[;{}]|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'""")
_LETTER = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$")


class SystemHeaders:
    """The text of all system headers of a unit. `scope` is the file's scope, `make_parser(tokens)` makes a parser for it."""

    def __init__(self, pieces, scope, make_parser):
        self.text = "".join(pieces)
        self.scope = scope
        self.make_parser = make_parser
        self.starts = None  # of the declarations
        self.heads = None  # where the body of a function definition begins, else the end of the declaration
        self.parsed = set()
        self.missing = set()
        self.failures = []

    def find(self, name):
        """The system header's Declarator of `name`, after parsing what may declare it."""
        if name in self.missing:
            return None
        for position in self._mentions(name):
            if self._parse_at(position) and name in self.scope.system_names:
                return self.scope.system_names[name]
        self.missing.add(name)
        return None

    def find_tag(self, tag):
        """The struct, union or enum that the system headers mention under this tag, or None. Its fields are looked for when
        they are needed: a header may use a struct long before it defines it."""
        for position in self._mentions(tag):
            keyword = self.text[max(0, position - 40) : position].split()[-1:]
            if keyword == ["enum"]:
                return types.Enum(tag)
            if keyword in (["struct"], ["union"]):
                return types.Struct(keyword[0], tag, lambda: self._define(tag))
        return None

    def _define(self, tag):
        for position in self._mentions(tag):
            if self.text[position + len(tag) : position + len(tag) + 200].lstrip()[:1] == "{":
                self._parse_at(position)

    def _mentions(self, name):
        """Where the word stands, in the heads of declarations."""
        if self.starts is None:
            self._split()
        text, position = self.text, self.text.find(name)
        while position >= 0:
            end = position + len(name)
            if (end == len(text) or text[end] not in _LETTER) and (position == 0 or text[position - 1] not in _LETTER):
                if position < self.heads[bisect.bisect_right(self.starts, position) - 1]:
                    yield position
            position = text.find(name, end)

    def _parse_at(self, position):
        """Parses the declaration there; False if that was done before."""
        number = bisect.bisect_right(self.starts, position) - 1
        if number in self.parsed:
            return False
        self.parse(number)
        return True

    def parse(self, number):
        """Parses one declaration; a failure is remembered and its names stay unknown."""
        self.parsed.add(number)
        start, head = self.starts[number], self.heads[number]
        lexer = Lexer(self.text, system=True)
        lexer.run(start, head, "", 1)
        if not lexer.tokens:
            return
        try:
            self.make_parser(lexer.finish("", 1)).system_declaration()
        except InvalidSyntax as failure:
            failure.message += f": {self.text[start:head].strip()[:200]}"
            self.failures.append(failure)

    def parse_all(self):
        if self.starts is None:
            self._split()
        for number in range(len(self.starts)):
            if number not in self.parsed:
                self.parse(number)

    def _split(self):
        """Finds the top-level declarations. `}` ends one if it ends a function's body: if `)` stands before its `{`."""
        text = self.text
        starts, heads, start = [], [], 0
        braces, body = 0, None
        for match in _DELIMITER.finditer(text):
            character = match.group()
            if character == ";":
                if not braces:
                    starts.append(start)
                    start = match.end()
                    heads.append(start)
            elif character == "{":
                if not braces and self._opens_body(start, match.start()):
                    body = match.start()
                braces += 1
            elif character == "}":
                braces -= 1
                if not braces and body is not None:
                    starts.append(start)
                    heads.append(body)
                    start, body = match.end(), None
        if text[start:].strip():
            starts.append(start)
            heads.append(len(text))
        self.starts, self.heads = starts or [0], heads or [0]

    def _opens_body(self, start, brace):
        """Whether a function's parameters stand before the brace, and not `struct __attribute__((packed))`."""
        before = self.text[start:brace].rstrip()
        if not before.endswith(")"):
            return False
        depth = 0
        for position in range(len(before) - 1, -1, -1):
            depth += {")": 1, "(": -1}.get(before[position], 0)
            if not depth:
                return not before[:position].rstrip().endswith(("__attribute__", "_Alignas"))
        return False


class FileScope(Scope):
    """The scope of the file, which also finds what system headers declare: names of theirs are in `system_names`."""

    __slots__ = ("system_names", "headers")

    def __init__(self):
        super().__init__("file")
        self.system_names = {}
        self.headers = None

    def own(self, name):
        found = self.names.get(name) or self.system_names.get(name)
        if found is None and self.headers is not None:
            found = self.headers.find(name)
        return found

    def own_tag(self, name):
        found = self.tags.get(name)
        if found is None and self.headers is not None:
            found = self.headers.find_tag(name)
            if found is not None:
                self.tags[name] = found
        return found


def separate(source):
    """(user regions, system text pieces): regions as (start, end, file, line). A macro of a system header that is used in a
    user's file is user text, though gcc flags it."""
    user, system = [], []
    user_files = set(source.user_files())
    for start, end, file, line, _ in source.regions():
        if file in user_files:
            user.append((start, end, file, line))
        elif file[:1] != "<":
            system.append(source.text[start:end])
    return user, system
