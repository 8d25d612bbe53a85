"""Translations are as clean as the programs: no dialect and no warning of gcc refuses what it takes of the user's own text.

Each program is translated and then only parsed by gcc, with all warnings of the matrix, in one dialect after the other. What
gcc says of the program itself, its directives ignored, is the program's; all else is ours."""

import pathlib
import re
import subprocess

import pytest
from kumihimo.compiler.c.translate import translate
from long_form import LONG_FORM

ROOT = pathlib.Path(__file__).resolve().parents[3]
DIALECTS = ("c90", "gnu90", "c99", "gnu99", "c11", "gnu11", "c17", "gnu17", "c2x", "gnu2x")
WARNINGS = "-pedantic -Wall -Wextra -Wshadow -Wconversion -Wno-unknown-pragmas -Wno-long-long".split()
PROGRAMS = sorted(
    path
    for pattern in ("examples/*/*.c", "tests/compiler/lowering/programs/*.c", "tests/compiler/coarrays/programs/*.c")
    for path in ROOT.glob(pattern)
    if path.name not in ("files.h", "main.c") and "pragma xmp" in path.read_text()
)
OLDEST = pathlib.Path(__file__).resolve().parent / "dialects" / "oldest.c"
NEWEST = OLDEST.with_name("newest.c")
_FOUND = re.compile(r"^(?P<file>[^\s:]+):(?P<line>\d+):\d+: (?:warning|error): .*?\[-W(?:error=)?(?P<option>[\w-]+)", re.M)


@pytest.fixture(scope="module")
def command(build):
    done = subprocess.run([build / "bin" / "xmpcc", "-showme:compile"], stdout=subprocess.PIPE, text=True, check=True)
    return ["gcc", *(("-isystem" + word[2:]) if "mpi" in word else word for word in done.stdout.split())]


def parsed(command, dialect, path, text):
    """gcc's exit code and messages about a text that stands in place of a file."""
    words = [*command, f"-std={dialect}", *WARNINGS, "-fsyntax-only", "-iquote", path.parent, "-x", "c", "-"]
    text = f'#line 1 "{path}"\n{text}'
    done = subprocess.run(words, input=text, cwd=path.parent, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


def found(messages):
    """{(file, line, option)} of warnings."""
    return {match.groups() for match in _FOUND.finditer(messages)}


def translated(command, dialect, path):
    result = translate(str(path), command, ["-w", f"-std={dialect}", *WARNINGS, "-iquote", str(path.parent)], colour=False)
    assert result.ok, result.diagnostics
    return result.text


def cases():
    """In CI each program in one dialect, and each dialect in several programs."""
    for number, path in enumerate(PROGRAMS):
        for dialect in DIALECTS[2:] if LONG_FORM else [DIALECTS[2 + number % 8]]:
            yield pytest.param(path, dialect, id=f"{path.stem}-{dialect}")
    for dialect in DIALECTS:
        yield pytest.param(OLDEST, dialect, id=f"oldest-{dialect}")
    for dialect in ("c2x", "gnu2x"):
        yield pytest.param(NEWEST, dialect, id=f"newest-{dialect}")


@pytest.mark.parametrize("path, dialect", cases())
def test_only_the_programs_own_warnings(command, path, dialect):
    understood, own = parsed(command, dialect, path, path.read_text())
    status, messages = parsed(command, dialect, path, translated(command, dialect, path))
    assert status == 0, messages
    ours = found(messages) - found(own)
    if understood != 0:  # what gcc would say of a program with coarrays is not known
        ours = {one for one in ours if one[2] not in ("conversion", "sign-conversion", "shadow")}
    shown = [line for line in messages.splitlines() if any(f"{file}:{number}:" in line for file, number, _ in ours)]
    assert not ours, "\n".join(shown)


@pytest.mark.parametrize("dialect", ["c90", "c99"])
def test_public_headers(command, dialect):
    """Each by itself. The specification's own interface has `long long`, which C90 has not."""
    for header in sorted((ROOT / "runtime" / "include" / "kumihimo").glob("*.h")):
        include = f"#include <kumihimo/{header.name}>"
        if header.name.startswith("xmpnc"):
            include = f"#if __has_include(<pnetcdf.h>)\n{include}\n#endif"
        status, messages = parsed([*command, "-Werror"], dialect, header, f"{include}\nint main(void) {{ return 0; }}\n")
        assert (status, messages) == (0, "")
