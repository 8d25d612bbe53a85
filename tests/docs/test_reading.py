"""Pages can be read: sentences and paragraphs stay short. What is measured is prose; code, tables and headings are left out."""

import pathlib
import re

import pytest
from markdown_it import MarkdownIt

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROOMS = ("bench", "collectives", "commands", "compiler", "docs", "examples", "iod", "mpiio", "runtime", "sets", "tests")
PAGES = [ROOT / "README.md", *sorted(page for room in ROOMS for page in (ROOT / room).rglob("*.md"))]
PAGES = [page for page in PAGES if not any(part.startswith(".") for part in page.relative_to(ROOT).parts)]  # caches
WORDS_OF_A_SENTENCE = 25  # on average
WORDS_OF_A_PARAGRAPH = 160


def paragraphs(text):
    """Paragraphs and items of lists, as they are read: links are their texts, code in a line is a word."""
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    for before, token in zip(tokens, tokens[1:]):
        if before.type == "paragraph_open":
            yield "".join({"text": c.content, "code_inline": "code", "softbreak": " "}.get(c.type, "") for c in token.children)


def sentences(paragraph):
    """A full stop within a number or a name ends none."""
    return re.split(r"(?<=[.!?])[)\"]?\s+(?=[\"(A-Z]|code\b)", paragraph)


def words(text):
    return [word for word in text.split() if re.search(r"\w", word)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_page_can_be_read(page):
    read = list(paragraphs(page.read_text()))
    lengths = [(len(words(s)), s) for paragraph in read for s in sentences(paragraph)]
    lengths = [(n, s) for n, s in lengths if n > 2]  # "See below" and labels would make the average look better
    average = sum(n for n, _ in lengths) / max(1, len(lengths))
    longest = "\n".join(f"{n}: {s}" for n, s in sorted(lengths, reverse=True)[:5])
    assert average <= WORDS_OF_A_SENTENCE, f"{average:.1f} words in a sentence on average; the longest:\n{longest}"
    for paragraph in read:
        assert len(words(paragraph)) <= WORDS_OF_A_PARAGRAPH, f"{len(words(paragraph))} words in a paragraph:\n{paragraph}"


def test_no_marks_of_a_merge_are_left():
    marked = [str(page.relative_to(ROOT)) for page in PAGES if re.search(r"^(<{7}|>{7}) ", page.read_text(), re.MULTILINE)]
    assert not marked


def test_measure_counts_what_a_reader_reads():
    page = """# A heading of many words that is no sentence

Two words. Here are [four words](a/very/long/link.md).
It has 1.5 ms, as `a.b. C` says.

```c
This is code. It does not count.
```

- An item.
- Another item
  that goes on

| a table | with cells |
|---|---|
| and | its rows |
"""
    assert [[len(words(s)) for s in sentences(p)] for p in paragraphs(page)] == [[2, 4, 7], [2], [5]]
