"""The last resort of the weaver: the whole preprocessed text with the edits in it. Not pretty, never wrong."""

import os
from itertools import zip_longest

from .errors import InvalidSyntax
from .lexer import Lexer
from .preprocess import as_system_headers, escape, preprocess_text, run
from .system_headers import separate


def edited_text(unit, edits, header):
    """The preprocessed text with our header's declarations and macros, edited."""
    source = unit.source
    text = source.original()
    if header:
        text = f'#include "{header}"\n#line 1 "{escape(source.path)}"\n' + text
    again = preprocess_text(text, source.path, source.command, source.options)
    lexer = Lexer(again.text)
    for start, end, file, line in separate(again)[0]:
        lexer.run(start, end, file, line)
    _check_same(unit.tokens[:-1], lexer.tokens, header)
    pieces, position = [_definitions(source, header)] if header else [], 0
    for index in edits.touched():
        token = lexer.tokens[index]
        pieces += [again.text[position : token.start], edits.token(index)]
        position = token.end
    pieces.append(again.text[position:])
    if edits.epilogue:
        pieces.append("\n" + "\n".join(edits.epilogue) + "\n")
    return "".join(pieces)


def _check_same(expected, found, header):
    """Our header must not have changed the program's words."""
    for token, other in zip_longest(expected, found):
        if token is None or other is None or token.text != other.text:
            at = token or expected[-1]
            message = f"this means something else behind #include <{header}>; rename the macro or the name"
            raise InvalidSyntax(at.file, at.line, at.column, message)


def _definitions(source, header):
    """The macros that edits may use: those of our header, as #define lines."""
    command = as_system_headers(source.command) + source.options + ["-E", "-dM", "-x", "c"]
    lines = run(command + ["-include", header, os.devnull]).splitlines()
    without = set(run(command + [os.devnull]).splitlines())
    return "".join(line + "\n" for line in lines if line not in without and line.split()[1][:1] != "_")
