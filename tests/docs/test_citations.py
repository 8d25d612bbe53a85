"""What comments cite exists: pages and their sections, decisions by name in docs/decisions, answers to open places of the
specification by code."""

import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DECISIONS = ROOT / "docs" / "decisions"
PAGES = sorted(DECISIONS.glob("[0-9]*.md"))
SOURCES = "base bench collectives commands compiler docs examples iod mpiio runtime sets tests".split()
SUFFIXES = {".c", ".h", ".cpp", ".hpp", ".py", ".f90", ".F90", ".md", ".txt", ".cmake"}

NAME = r"[a-z0-9]+(?:-[a-z0-9]+)+"
CITED_NAME = re.compile(rf"\b[Dd]ecision ({NAME})")
CITED_NUMBER = re.compile(r"\b[Dd]ecisions? [0-9]|architecture\.md,? (?:decision )?[0-9]|\bpaper [0-9]")
GROUPS = "GEN|MAP|WRK|COM|COA|LIB|IO|NC|TSK"
CITED_CODE = re.compile(rf"\b(?:{GROUPS})-\d\d\b")
LISTED_CODE = re.compile(rf"^\| ((?:{GROUPS})-\d\d) \|", re.M)


CITED_PAGE = re.compile(r"\b(docs/[\w/.-]+\.md)(?:, \"([^\"]+)\")?")
NEXT_LINE_OF_A_COMMENT = re.compile(r"\n[ \t]*(?://|\*|#)[ \t]*")


def sources():
    for room in SOURCES:
        for path in sorted((ROOT / room).rglob("*")):
            if path.suffix in SUFFIXES and path.resolve() != pathlib.Path(__file__).resolve():
                yield str(path.relative_to(ROOT)), path.read_text(errors="replace")


def cited(pattern):
    return {found: name for name, text in sources() for found in pattern.findall(text)}


def name_of(page):
    return re.fullmatch(r"\d{4}-\d{2}-(.+)", page.stem).group(1)


def sections(page):
    return re.findall(r"^#+ (.*)$", page.read_text(), re.M)


def test_cited_pages_and_sections_exist():
    found = {}
    for name, text in sources():
        found |= dict.fromkeys(CITED_PAGE.findall(NEXT_LINE_OF_A_COMMENT.sub(" ", text)), name)
    assert found
    pages = {page for page, _ in found}
    assert not [page for page in pages if not (ROOT / page).is_file()]
    assert not {cited: place for cited, place in found.items() if cited[1] and cited[1] not in sections(ROOT / cited[0])}


def test_cited_decisions_exist():
    found = cited(CITED_NAME)
    assert found
    assert not {name: place for name, place in found.items() if name not in map(name_of, PAGES)}


def test_decisions_are_cited_by_name():
    assert not cited(CITED_NUMBER)


def test_cited_codes_are_listed():
    found = cited(CITED_CODE)
    listed = LISTED_CODE.findall((DECISIONS / "specification.md").read_text())
    assert found and len(listed) == len(set(listed))
    assert not {code: place for code, place in found.items() if code not in listed and not place.startswith("docs/")}


def test_settings_in_pages_exist():
    """Settings, and variables of the build and of tests: a name that no code has any more is not left in a page."""
    names = re.compile(r"\bKUMIHIMO_[A-Z_]*[A-Z]\b")
    told, known = {}, set()
    for name, text in sources():
        if name.endswith(".md"):
            told |= dict.fromkeys(names.findall(text), name)
        else:
            known.update(names.findall(text))
    for file in [ROOT / "CMakeLists.txt", *(path for path in (ROOT / "cmake").rglob("*") if path.is_file())]:
        known.update(
            name for family in ("OPENMPI", "MPICH") for name in names.findall(file.read_text().replace("${upper}", family))
        )
    assert told and not {name: page for name, page in told.items() if name not in known}


def measuring_commands():
    """{script: the options that pages give it}"""
    found = {}
    for page in sorted((ROOT / "docs").rglob("*.md")):
        for script, arguments in re.findall(r"python3 (bench/\w+\.py)([^\n`]*)", page.read_text()):
            found.setdefault(script, set()).update(re.findall(r"--[\w-]+", arguments))
    return sorted(found.items())


@pytest.mark.parametrize(("script", "options"), measuring_commands(), ids=lambda value: value if isinstance(value, str) else "")
def test_measuring_commands_exist(build, script, options):
    command = [sys.executable, ROOT / script, "--build", build, "--help"]
    help_text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert options <= set(re.findall(r"--[\w-]+", help_text))


def test_index_names_each_decision_once():
    index = re.findall(rf"^\| \[({NAME})\]\(([^)]*)\)", (DECISIONS / "index.md").read_text(), re.M)
    assert sorted(index) == sorted((name_of(page), page.name) for page in PAGES)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_decision_is_whole(page):
    """Each page is dated as its file, names its rooms, and has the three parts."""
    text = page.read_text()
    dated = re.search(r"^Decided (\d{4}-\d{2})-\d{2}\. Rooms: .", text, re.M)
    assert dated and page.stem.startswith(dated.group(1))
    assert re.findall(r"^## (.*)$", text, re.M) == ["Context", "Decision", "Consequence"]
    assert all(part.strip() for part in re.split(r"^## .*$", text, flags=re.M)[1:])
