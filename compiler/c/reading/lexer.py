"""Splits preprocessed text into tokens. One compiled expression does the work; gcc's line markers say where text comes from."""

import re
import sys

from .tokens import CHARACTER, END, IDENTIFIER, NUMBER, PRAGMA, PRAGMA_END, PUNCTUATOR, STRING, Token

_TOKEN = re.compile(
    r"""(?P<space>(?:[ \t\f\v\r\n]|\\\r?\n|/\*.*?\*/|//[^\n]*)+)
|(?P<string>(?:L|u8?|U)?"(?:[^"\\\n]|\\.)*")
|(?P<character>[LuU]?'(?:[^'\\\n]|\\.)*')
|(?P<identifier>(?:[^\W\d]|\$|\\[uU][0-9a-fA-F])(?:[\w$]|\\[uU][0-9a-fA-F])*)
|(?P<number>\.?[0-9](?:[eEpP][+-]|'?[A-Za-z0-9_]|\.)*)
|(?P<line>\#(?!\#)(?://[^\n]*|/\*.*?\*/|[^\\\n]|\\\r?\n|\\)*)
|(?P<punctuator>\.\.\.|<<=|>>=|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&^|]=|\#\#|<:|:>|<%|%>|.)""",
    re.X | re.S,
)
_MARKER = re.compile(r'#[ \t]*(?:line[ \t]+)?(\d{1,18})(?:[ \t]+"((?:[^"\\]|\\.)*)"([ \t\d]*))?')
_PRAGMA = re.compile(r"#(?:[ \t]|\\\r?\n)*pragma(?:[ \t]|\\\r?\n)+(xmp\b|omp\b|GCC(?=[ \t]+(?:ivdep|unroll|novector)\b))")
_UNIVERSAL = re.compile(r"\\u([0-9a-fA-F]{4})|\\U([0-9a-fA-F]{8})")
_DIGRAPHS = {"<:": "[", ":>": "]", "<%": "{", "%>": "}"}
_KINDS = {"identifier": IDENTIFIER, "number": NUMBER, "string": STRING, "character": CHARACTER, "punctuator": PUNCTUATOR}


def _character(name):
    """gcc -E writes letters outside ASCII as `\\u00e9`. What names no character stays."""
    code = int(name.group(1) or name.group(2), 16)
    return chr(code) if code < 0xD800 or 0xDFFF < code <= sys.maxunicode else name.group()


class Lexer:
    """Tokens of pieces of one text, in order, in `tokens`."""

    def __init__(self, text, system=False):
        self.text = text
        self.system = system
        self.tokens = []

    def run(self, start, end, file, line):
        """Appends the tokens of text[start:end], which begins at file:line."""
        tokens, text = self.tokens, self.text
        space = True
        position = start
        while position < end:
            for match in _TOKEN.finditer(text, position, end):
                group = match.lastgroup
                if group == "space":
                    space = True
                    line += text.count("\n", match.start(), match.end())
                    continue
                if group == "line":
                    break
                word = match.group()
                kind = _KINDS[group]
                if kind is IDENTIFIER and "\\" in word:
                    word = _UNIVERSAL.sub(_character, word)
                if kind is PUNCTUATOR:
                    word = _DIGRAPHS.get(word, word)
                tokens.append(Token(kind, word, file, line, match.start(), match.end(), space, self.system))
                space = False
                if kind is STRING:
                    line += word.count("\n")  # continued inside
            else:
                return file, line
            space = True
            position = match.end()
            pragma = _PRAGMA.match(match.group())
            if pragma:
                self._pragma(match.start(), match.start() + pragma.end(), match.end(), pragma.group(1), file, line)
                line += match.group().count("\n")
                continue
            marker = _MARKER.match(match.group())
            if marker:
                line = int(marker.group(1)) - 1
                file = marker.group(2).replace("\\\\", "\\") if marker.group(2) else file
            line += match.group().count("\n")
        return file, line

    def _pragma(self, start, operands, end, language, file, line):
        """`#pragma language operands`: all its tokens are on the line where it begins, continuation lines or not."""
        self.tokens.append(Token(PRAGMA, "#pragma " + language, file, line, start, operands, True, self.system))
        first = len(self.tokens)
        self.run(operands, end, file, line)
        for token in self.tokens[first:]:
            token.line = line
        self.tokens.append(Token(PRAGMA_END, "", file, line, end, end, False, self.system))

    def finish(self, file, line):
        """Appends the END token."""
        end = len(self.text)
        self.tokens.append(Token(END, "", file, line, end, end, True, self.system))
        return self.tokens


def tokenize(text, file="", line=1, system=False):
    """The tokens of a text without gcc's markers for system headers (original files, tests, declarations), END included."""
    lexer = Lexer(text, system)
    return lexer.finish(*lexer.run(0, len(text), file, line))
