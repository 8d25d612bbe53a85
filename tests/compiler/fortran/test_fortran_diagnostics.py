"""Messages for wrong and for not yet supported Fortran, and advice, against golden files: errors/x.f90 gives errors/x.txt."""

import pathlib

import pytest
from kumihimo.compiler.fortran.translate import Options, translate, translate_text

ERRORS = pathlib.Path(__file__).resolve().parent / "errors"
ADVICE = ERRORS.parent / "advice"


@pytest.mark.parametrize("name", sorted(path.stem for path in ERRORS.glob("*.f90")))
def test_golden(name):
    result = translate_text(f"{name}.f90", (ERRORS / f"{name}.f90").read_text())
    assert not result.ok and result.text is None
    head = [line for line in result.diagnostics.splitlines() if line.startswith(f"{name}.f90:")]
    assert "\n".join(head) + "\n" == (ERRORS / f"{name}.txt").read_text()


@pytest.mark.parametrize("name", sorted(path.stem for path in ADVICE.glob("*.f90")))
def test_advice(name):
    text = (ADVICE / f"{name}.f90").read_text()
    result = translate_text(f"{name}.f90", text)
    assert result.ok
    head = [line for line in result.diagnostics.splitlines() if line.startswith(f"{name}.f90:")]
    assert "\n".join(head) + "\n" == (ADVICE / f"{name}.txt").read_text()
    assert translate_text(f"{name}.f90", text, wishes=Options(warnings=False)).diagnostics == ""


def test_caret(tmp_path):
    path = tmp_path / "misspelt.f90"
    path.write_text("integer :: i\n!$XMP   nods p(*)\nend\n")
    result = translate(str(path), ["gfortran"], (), colour=False)
    assert result.diagnostics == (
        f"{path}:2:9: error: unknown directive 'nods' [XMP-E101]\n"
        "    2 | !$XMP   nods p(*)\n"
        "      |         ^~~~\n"
        f"{path}:2:9: help: did you mean 'nodes'?\n"
    )


@pytest.mark.parametrize(
    "text, message",
    [
        ("program a\n  if (x) then\nend program\n", "'end program' where 'end if' is expected"),
        ("program a\n  x = 1 + &\n!$xmp nodes p(*)\n  2\nend program\n", "a directive inside a continued statement"),
        ("module m\n  use, intrinsic ::\n!$xmp nodes p(*)\nend module\n", "the name of a module is missing"),
        ("module m\n!$xmp barrier\nend module\n", "'barrier' cannot stand in a module"),
    ],
)
def test_structure(text, message):
    result = translate_text("a.f90", text)
    assert not result.ok
    assert message in result.diagnostics
