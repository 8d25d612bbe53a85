"""The code blocks of a Markdown page with their marks, HTML comments that readers do not see (docs/contributing/writing-docs.md
describes them). Pure: reads text, runs nothing."""

import dataclasses
import re
import shlex

from markdown_it import MarkdownIt

MARK = re.compile(r"\s*<!-- test: *(?P<words>.*?)\s*-->\s*", re.S)
SURROUNDING = re.compile(r"<!-- surrounding: *(?P<name>\S+)[^\n]*\n(?P<text>.*?)-->", re.S)

COMPILED = {"c", "cpp", "fortran"}
SHELLS = {"sh", "console"}
DATA = {"json", "toml", "yaml"}
# {verb: (languages in which it makes sense (empty: all), the words that it takes)}
VERBS = {
    "program": (COMPILED, {"name", "nodes", "options", "arguments", "exit", "serial"}),
    "fragment": (COMPILED, {"in"}),
    "error": (COMPILED, {"in", "code"}),
    "shell": (SHELLS, {"in", "with", "exit", "installed"}),
    "valid": (DATA, {"name"}),
    "output": ({"text"}, {"sorted"}),
    "errors": ({"text"}, set()),
    "text": ({"text"}, set()),
    "file": (set(), {"name"}),
    "excerpt": (set(), {"of"}),
    "skip": (set(), {"reason"}),
}
NEEDED = {"error": {"code"}, "file": {"name"}, "excerpt": {"of"}, "skip": {"reason"}}


class Unmarked(Exception):
    """Blocks that the test cannot take: they have no mark, or a wrong one. The message names page and line of each."""


@dataclasses.dataclass
class Block:
    """One fenced block: what it is to be tested as, its text, and the blocks with what it prints."""

    page: str
    line: int
    language: str
    verb: str
    words: dict
    text: str
    shown: list = dataclasses.field(default_factory=list)

    @property
    def place(self):
        return f"{self.page}:{self.line}"


@dataclasses.dataclass
class Page:
    name: str
    blocks: list[Block]
    surroundings: dict[str, str]

    def before(self, block):
        """The files that the blocks above this one define, {name: text}."""
        above = self.blocks[: self.blocks.index(block)]
        return {other.words["name"]: other.text for other in above if "name" in other.words}


def read_page(name, text):
    """A Page; raises Unmarked with all the blocks that would escape the test."""
    page = Page(name, [], {found["name"]: found["text"] for found in SURROUNDING.finditer(text)})
    mark, problems = None, []
    for token in MarkdownIt().parse(text):
        try:
            if token.type in ("fence", "code_block"):
                attach(page, block_of(name, token, mark))
        except Unmarked as problem:
            problems.append(str(problem))
        mark = token if token.type == "html_block" and MARK.fullmatch(token.content) else None
    if problems:
        raise Unmarked("\n".join(problems))
    return page


def block_of(page, token, mark):
    place, language = f"{page}:{token.map[0] + 1}", token.info.strip()
    if token.type == "code_block":
        raise Unmarked(f"{place}: an indented code block; write it between ``` with a mark above")
    if not language:
        raise Unmarked(f"{place}: a block without a language; write for example ```c, or ```text")
    if mark is None:
        raise Unmarked(f"{place}: a block without a mark; write <!-- test: ... --> on the line above")
    verb, words = words_of(MARK.fullmatch(mark.content)["words"], place)
    languages, known = VERBS.get(verb, (set(), set()))
    if verb not in VERBS or (languages and language not in languages):
        raise Unmarked(f"{place}: '{verb}' is no test of a block of {language}")
    if not set(words) <= known or not NEEDED.get(verb, set()) <= set(words):
        raise Unmarked(f"{place}: '{verb}' takes {sorted(known)} and needs {sorted(NEEDED.get(verb, []))}, not {sorted(words)}")
    return Block(page, token.map[0] + 1, language, verb, words, token.content)


def words_of(text, place):
    """('program', {'nodes': '4', 'serial': ''}) of 'program nodes=4 serial'; what follows 'skip' is its reason."""
    if text.startswith("skip"):
        reason = text[len("skip") :].strip(" :")
        return "skip", {"reason": reason} if reason else {}
    try:
        verb, *rest = shlex.split(text)
    except ValueError as problem:
        raise Unmarked(f"{place}: the mark '{text}' cannot be read: {problem}") from None
    return verb, {key: value for key, _, value in (word.partition("=") for word in rest)}


def attach(page, block):
    """What a block prints belongs to the block above it."""
    if block.verb not in ("output", "errors"):
        page.blocks.append(block)
    elif page.blocks and page.blocks[-1].verb in ("program", "error", "shell"):
        page.blocks[-1].shown.append(block)
    else:
        raise Unmarked(f"{block.place}: '{block.verb}' follows no block that prints")


def difference(shown, printed, in_order=True):
    """None if a page shows what was printed: `...` alone on a line is any number of lines, within a line any text."""
    if not in_order:
        shown, printed = ("\n".join(sorted(text.strip().splitlines())) for text in (shown, printed))
    expected = [line.rstrip() for line in shown.strip("\n").splitlines()]
    lines = [line.rstrip() for line in printed.strip("\n").splitlines()]
    pattern = "".join("(?:.*\n)*" if line.strip() == "..." else pattern_of(line) + "\n" for line in expected)
    if re.fullmatch(pattern, "".join(line + "\n" for line in lines)):
        return None
    return f"the page shows\n{shown}\nbut this was printed:\n{printed}"


def pattern_of(line):
    return ".*".join(re.escape(part) for part in line.split("..."))


def woven(surrounding, fragment):
    """The surrounding with the fragment in place of its line `@@`. A `...` stands for statements left out."""
    fragment = re.sub(r"^\s*\.\.\.\s*$|(?<=\{ )\.\.\.(?= \})", "", fragment, flags=re.M)
    before, line, after = re.split(r"^(.*@@.*\n)", surrounding, maxsplit=1, flags=re.M)
    assert line.strip() == "@@", f"the line with @@ has more on it: {line}"
    return before + fragment + after


def is_excerpt(part, whole):
    """Whether a block shows lines of a file as they stand there, but for indentation; `...` alone is any lines left out."""
    lines = [line.strip() for line in whole.splitlines()]
    position = 0
    for piece in re.split(r"^\s*\.\.\.\s*$", part, flags=re.M):
        wanted = [line.strip() for line in piece.strip("\n").splitlines()]
        starts = range(position, len(lines) - len(wanted) + 1)
        found = next((start for start in starts if lines[start : start + len(wanted)] == wanted), None)
        if found is None:
            return False
        position = found + len(wanted)
    return True
