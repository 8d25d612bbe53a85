"""Tokens: kinds, places, directives."""

from kumihimo.compiler.c.reading import tokens
from kumihimo.compiler.c.reading.lexer import tokenize


def texts(text):
    return [token.text for token in tokenize(text)[:-1]]


def test_kinds():
    found = [(t.kind, t.text) for t in tokenize('x1 .5e+3 0x1p-2f L"a\\"b" \'c\' u8"" >>= ... <: é')[:-1]]
    assert found == [
        (tokens.IDENTIFIER, "x1"), (tokens.NUMBER, ".5e+3"), (tokens.NUMBER, "0x1p-2f"), (tokens.STRING, 'L"a\\"b"'),
        (tokens.CHARACTER, "'c'"), (tokens.STRING, 'u8""'), (tokens.PUNCTUATOR, ">>="), (tokens.PUNCTUATOR, "..."),
        (tokens.PUNCTUATOR, "["), (tokens.IDENTIFIER, "é"),
    ]  # fmt: skip


def test_places_and_spaces():
    found = tokenize('a/* x\n */b\n# 7 "other.h"\n  c\\\n d', "f.c")
    assert [(t.text, t.file, t.line, t.space) for t in found] == [
        ("a", "f.c", 1, True), ("b", "f.c", 2, True), ("c", "other.h", 7, True),
        ("d", "other.h", 8, True), ("", "other.h", 8, True),
    ]  # fmt: skip


def test_directive_is_tokens_between_two_marks():
    found = tokenize("a\n  # pragma xmp loop \\\n on t[i] // why\nb\n#pragma once\nc\n")
    assert [t.text for t in found] == ["a", "#pragma xmp", "loop", "on", "t", "[", "i", "]", "", "b", "c", ""]
    assert [t.line for t in found] == [1, 2, 2, 2, 2, 2, 2, 2, 2, 4, 6, 7]
    assert found[8].kind == tokens.PRAGMA_END


def test_definitions_are_no_tokens():
    assert texts("#define A(x) \\\n x /* y\n z */ w\nint a;") == ["int", "a", ";"]
