"""Messages of the compiler, golden: each program beside the messages that it must cause, word for word.

KUMIHIMO_REGENERATE=1 writes the .expected files again; read the differences before committing them."""

import os
import pathlib
import subprocess

import pytest
from kumihimo.compiler.c.translate import translate
from kumihimo.compiler.diagnostics import Diagnostics, Place

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
PROGRAMS = sorted(path.stem for path in HERE.glob("*.c"))


def messages_of(path, monkeypatch, colour=False):
    monkeypatch.chdir(path.parent)
    headers = ROOT / "runtime" / "include"
    command = ["gcc", "-D_XMP=201811", f"-I{headers}", f"-I{headers / 'kumihimo'}", "-DKUMIHIMO_WITHOUT_MPI"]
    return translate(path.name, command, [], colour=colour)


@pytest.mark.parametrize("name", PROGRAMS)
def test_golden(name, monkeypatch):
    result = messages_of(HERE / f"{name}.c", monkeypatch)
    expected = HERE / f"{name}.expected"
    if os.environ.get("KUMIHIMO_REGENERATE"):
        expected.write_text(result.diagnostics)
    assert result.diagnostics == expected.read_text()
    assert result.ok == (" error: " not in result.diagnostics)
    assert (result.text is None) == (not result.ok)


def test_every_code_is_documented_and_every_documented_code_exists():
    """docs/reference/diagnostics.md lists exactly the codes that the compiler can print."""
    import re

    sources = [*ROOT.glob("compiler/**/*.py")]
    used = {code for path in sources for code in re.findall(r"XMP-[EW]\d{3}", path.read_text())}
    listed = set(re.findall(r"XMP-[EW]\d{3}", (ROOT / "docs" / "reference" / "diagnostics.md").read_text()))
    assert used == listed


def test_colours():
    place = Place("a.c", 1, 5, "word")
    diagnostics = Diagnostics(lambda file: "int word;\n")
    diagnostics.error("XMP-E101", "message", place, (), "help")
    plain, coloured = diagnostics.render(), diagnostics.render(True)
    assert plain == "a.c:1:5: error: message [XMP-E101]\n    1 | int word;\n      |     ^~~~\na.c:1:5: help: help\n"
    assert "\033[" in coloured and "\033[" not in plain


def test_xmpcc_prints_all_errors_and_fails(build, tmp_path):
    done = subprocess.run(
        [build / "bin" / "xmpcc", "-c", HERE / "misspelt.c"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.count(" error: ") > 8
    assert "\033[" not in done.stderr
    assert not list(tmp_path.iterdir())
