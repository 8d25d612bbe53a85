"""The reading of marks itself: nothing escapes, and what differs is told."""

import pytest
from blocks import Unmarked, difference, is_excerpt, read_page, woven

FENCE = "```"


def page(mark, language="c", text="int x;\n"):
    return f"# Title\n\nText.\n\n{mark}\n{FENCE}{language}\n{text}{FENCE}\n"


def test_marks_are_read():
    block = read_page("p.md", page('<!-- test: program nodes=4 options="-O0 -g" serial -->')).blocks[0]
    assert (block.verb, block.line, block.text) == ("program", 6, "int x;\n")
    assert block.words == {"nodes": "4", "options": "-O0 -g", "serial": ""}


@pytest.mark.parametrize(
    "text, says",
    [
        (page(""), "p.md:6: a block without a mark"),
        (page("<!-- test: program -->\n\nText between.\n"), "without a mark"),
        (page("<!-- test: program -->", ""), "without a language"),
        (page("<!-- test: progam -->"), "'progam' is no test of a block of c"),
        (page("<!-- test: shell -->"), "'shell' is no test of a block of c"),
        (page("<!-- test: program node=4 -->"), "'program' takes"),
        (page("<!-- test: skip -->"), "needs ['reason']"),
        (page("<!-- test: program options=' -->"), "cannot be read"),
        (page("<!-- test: output -->", "text"), "follows no block that prints"),
        ("Text:\n\n    make demo\n", "p.md:3: an indented code block"),
        (f"- item\n\n  {FENCE}c\n  int x;\n  {FENCE}\n", "without a mark"),
    ],
)
def test_nothing_escapes(text, says):
    with pytest.raises(Unmarked) as raised:
        read_page("p.md", text)
    assert says in str(raised.value)


def test_what_is_printed_belongs_to_the_block_above():
    text = (
        page("<!-- test: program -->") + page("<!-- test: output -->", "text", "a\n") + page("<!-- test: skip: why -->", "sh")
    )
    program, skipped = read_page("p.md", text).blocks
    assert [block.text for block in program.shown] == ["a\n"]
    assert skipped.words == {"reason": "why"}


@pytest.mark.parametrize(
    "shown, printed, same",
    [
        ("a\nb\n", "a\nb\n", True),
        ("a\nb\n", "a\n", False),
        ("a\nb\n", "b\na\n", False),
        ("a\n...\nd\n", "a\nb\nc\nd\n", True),
        ("a\n...\nd\n", "a\nd\n", True),
        ("a\n...\nd\n", "a\nb\n", False),
        ("took ... s\n", "took 1.25 s\n", True),
        ("took ... s\n", "took 1.25 ms\n", False),
        ("x.y\n", "xzy\n", False),
        ("", "a\n", False),
    ],
)
def test_difference(shown, printed, same):
    assert (difference(shown, printed) is None) == same


def test_lines_of_nodes_come_in_any_order():
    assert difference("b\na\n", "a\nb\n", in_order=False) is None
    assert difference("b\na\n", "a\nb\nc\n", in_order=False)


def test_woven():
    whole = woven("int main(void) {\n@@\n}\n", "...\nif (x) { ... }\n")
    assert [line for line in whole.splitlines() if line] == ["int main(void) {", "if (x) {  }", "}"]


@pytest.mark.parametrize(
    "part, same",
    [("b;\nc;\n", True), ("  b;\n  c;\n", True), ("a;\nc;\n", False), ("a;\n...\nc;\n", True), ("c;\n...\na;\n", False)],
)
def test_is_excerpt(part, same):
    assert is_excerpt(part, "a;\n    b;\n    c;\nd;\n") == same
