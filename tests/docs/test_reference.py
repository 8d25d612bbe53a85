"""The reference is complete and up to date: generated pages are what their source gives, every public function says what it
does, who calls it and what its errors are, and every code of a message stands in the list of messages and is given."""

import importlib
import pathlib
import re
import subprocess
import sys

import pytest
from kumihimo.compiler.directives import tree

ROOT = pathlib.Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "docs" / "reference"
HEADERS = ("xmp.h", "xmp_io.h", "xmpnc.h", "xmpnc_access.h", "xmpnc_requests.h", "xmpnc_several.h")
CODE = re.compile(r"\bXMP-[EW]\d+\b")

sys.path.insert(0, str(ROOT / "tools" / "reference"))
c_interface, fortran_interface, generator = map(importlib.import_module, ("c_interface", "fortran_interface", "pages"))


@pytest.fixture(scope="module")
def pages(build):
    return generator.pages(ROOT, build)


@pytest.mark.parametrize("name", generator.NAMES)
def test_page_is_current(name, pages):
    path = REFERENCE / f"{name}.md"
    assert path.read_text() == pages[name], f"{path} is out of date: python3 tools/reference"


def declared(header):
    """Names of the functions that a C header declares, found without regard to its layout."""
    text = re.sub(
        r"/\*.*?\*/|^\s*#(?:[^\n]*\\\n)*[^\n]*", " ", (ROOT / generator.HEADERS / header).read_text(), flags=re.S | re.M
    )
    return re.findall(r"\b(xmp\w+)\s*\(", text)


@pytest.mark.parametrize("header", HEADERS)
def test_every_function_of_a_header_is_described(header):
    sections = c_interface.sections((ROOT / generator.HEADERS / header).read_text())
    found = {
        name: group.docstring.completed_by(section.about)
        for section in sections
        for group in section.groups
        for name in group.functions
    }
    assert sorted(found) == sorted(declared(header))
    assert [name for name, docstring in found.items() if not all(docstring)] == []


def test_every_procedure_of_the_fortran_module_is_described():
    module = (ROOT / "runtime/fortran/xmp_lib.h").read_text()
    found = fortran_interface.procedures(module)
    assert len(found) == len(re.findall(r"^ *end (?:function|subroutine)", module, re.M))
    assert [name for name, head, docstring in found if not (head and all(docstring))] == []


def test_a_function_without_its_errors_is_found():
    header = "/* ---- Files ---- */\n\n/* Opens.\n * Local. */\nint xmp_open(void);\nint xmp_at(void);\n\nint xmp_none(void);\n"
    (section,) = c_interface.sections(header)
    described = [(group.functions, group.docstring) for group in section.groups]
    assert described == [(["xmp_open", "xmp_at"], ("Opens.", "Local.", "")), (["xmp_none"], ("", "", ""))]


def test_codes_of_messages():
    sources = [path.read_text() for path in (ROOT / "compiler").rglob("*.py")]
    given = {code for text in sources for code in CODE.findall(text)}
    listed = CODE.findall("\n".join(re.findall(r"^\| (XMP-\w+) \|", (REFERENCE / "diagnostics.md").read_text(), re.M)))
    listed_anywhere = set(CODE.findall((REFERENCE / "diagnostics.md").read_text()))
    assert sorted(listed) == sorted(set(listed)), "a code stands in the list twice"
    assert given - set(listed) == set(), "codes that the list of messages lacks"
    assert listed_anywhere - given == set(), "codes that no message has"


def headings(pages):
    """The words of all headings `## name` or `## name, name`."""
    lines = [line for page in pages for line in re.findall(r"^## (.*)$", page.read_text(), re.M)]
    return {word for line in lines for word in line.split(", ")}


def refused():
    """Directives that the overview lists as not translated."""
    text = (REFERENCE / "directives.md").read_text()
    rows = re.findall(r"^\| (`.*?) \|", text[text.index("## Not translated") : text.index("## What is the same")], re.M)
    return {name for row in rows for name in re.findall(r"`(.*?)`", row)}


def test_every_directive_has_its_section():
    described = headings(REFERENCE.glob("directives-*.md"))
    known = {kind.kind for kind in tree.Directive.__subclasses__()} - {"end"}  # of Fortran's blocks: stands with them
    assert known - described == {name for name in refused() if " " not in name}
    for name in known & described:
        assert re.search(rf"\[{name}\]\(directives-[^)]*#", (REFERENCE / "directives.md").read_text()), name


SURROUNDINGS = {".c": (ROOT / "tests/docs/surroundings/line.c").read_text(), ".f90": "program p\n@@\nend program\n"}
REFUSED = {}


@pytest.mark.parametrize("name", sorted(refused()))
def test_what_is_not_translated_is_refused(name, build, tmp_path):
    suffix, text = REFUSED[name]
    source = tmp_path / f"refused{suffix}"
    source.write_text(SURROUNDINGS[suffix].replace("@@", text))
    compiler = build / "bin" / {".c": "xmpcc", ".f90": "xmpf90"}[suffix]
    done = subprocess.run([compiler, "-c", source.name], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "[XMP-E190]" in done.stderr, done.stderr
