"""One wrong directive in a right program: every directive and clause with something missing, given twice, misspelt, of a wrong
type or rank, in a wrong place. one_directive.txt (C) and one_directive_fortran.txt have each directive and under it what the
compiler says, with the caret.

KUMIHIMO_REGENERATE=1 writes the messages again; read the differences before committing them. A statement that the directive
governs may stand behind it as a comment; the line [kind: place] says where the next directives stand."""

import os
import pathlib
import re
import sys

import pytest
from kumihimo.compiler.directives.parser import _READERS
from kumihimo.compiler.fortran.translate import translate_text

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "fuzz"))
from translation import translated_without_gcc  # noqa: E402

KINDS = {"missing", "twice", "misspelt", "wrong type", "wrong rank", "wrong nesting", "wrong value"}


class C:
    cases, file = HERE / "one_directive.txt", "program.c"
    sentinel, comment = "#pragma xmp", " // "
    kinds, least, without = KINDS, 150, {"end", "file_sync_all"}
    translated = staticmethod(translated_without_gcc)
    HEAD = """enum { N = 8, NONE = 0 };
typedef struct xmp_lock { int opaque; } xmp_lock_t;
#pragma xmp nodes p[*], g[*][2]
#pragma xmp template t[N], s[N][N], d[:], r[:], c[N], free[N]
#pragma xmp distribute t[block] onto p
#pragma xmp distribute s[block][block] onto g
#pragma xmp distribute d[block] onto p
#pragma xmp distribute r[gblock(*)] onto p
#pragma xmp distribute c[cyclic] onto p
double u[N], v[N], w[N], a[N][N], cy[N], b[N], local[N], x, *pointer, image_data[N]:[*];
int k, n, counts[2], m[4];
struct pair { int first, second; } pair, pairs[N];
xmp_lock_t key:[*];
#pragma xmp align u[i] with t[i]
#pragma xmp align v[i] with t[i]
#pragma xmp align w[i] with t[i]
#pragma xmp align a[i][j] with s[i][j]
#pragma xmp align cy[i] with c[i]
#pragma xmp align pairs[i] with t[i]
#pragma xmp shadow u[1]
#pragma xmp shadow pairs[1]
"""
    PLACES = {
        "file": HEAD + "{}\n",
        "function": HEAD + "void f(int parameter, double *array) { int i = 0, j = 0;\n{}\n}\n",
        "parameters": HEAD + "void f(int parameter, double *array)\n{}\n{ }\n",
        "structure": HEAD + "struct inner {\n{}\nint member; };\n",
        "task": HEAD + "void f(void) {\n#pragma xmp task on p[0]\n{\n{}\n}\n}\n",
        "tasks": HEAD + "void f(void) {\n#pragma xmp tasks\n{\n{}\n}\n}\n",
        "loop": HEAD + "void f(void) {\n#pragma xmp loop on t[i]\nfor (int i = 0; i < N; i++) {\n{}\n}\n}\n",
    }
    STATEMENTS = {
        "loop": "for (int i = 0; i < N; i++) v[i] = i;",
        "gmove": "v[0] = x;",
        "task": ";",
        "tasks": ";",
        "image": ";",
    }


class Fortran:
    cases, file = HERE / "one_directive_fortran.txt", "program.f90"
    sentinel, comment = "!$xmp", " ! "
    kinds, least, without = KINDS | {"with other statements"}, 120, set()
    HEAD = """implicit none
integer, parameter :: n = 8, none = 0, table(n) = 1
integer :: i, j, k, counts(2), m(4)
real(8) :: u(n), v(n), w(n), a(n, n), cy(n), b(n), local(n), x
real(8) :: overlaid(n), listed(n), shared(n)
logical :: flag
type pair
  integer :: first, second
end type
type(pair) :: one
!$xmp nodes p(*), g(*, 2)
!$xmp template t(n), s(n, n), c(n), free(n)
!$xmp distribute t(block) onto p
!$xmp distribute s(block, block) onto g
!$xmp distribute c(cyclic) onto p
!$xmp align u(i) with t(i)
!$xmp align v(i) with t(i)
!$xmp align w(i) with t(i)
!$xmp align a(i, j) with s(i, j)
!$xmp align cy(i) with c(i)
!$xmp shadow u(1)
"""
    _UNIT = "subroutine f(parameter, array)\n" + HEAD + "integer :: parameter\nreal(8) :: array(*)\n"
    PLACES = {
        "specification": _UNIT + "{}\ni = 1\nend subroutine\n",
        "statements": _UNIT + "i = 1\n{}\nend subroutine\n",
        "task": _UNIT + "!$xmp task on p(1)\n{}\n!$xmp end task\nend subroutine\n",
        "tasks": _UNIT + "!$xmp tasks\n{}\n!$xmp end tasks\nend subroutine\n",
        "loop": _UNIT + "!$xmp loop on t(i)\ndo i = 1, n\n{}\nend do\nend subroutine\n",
        "pure": "module m0\n" + HEAD + "contains\npure subroutine h\n{}\nend subroutine\nend module\n",
        "module": "module m0\n" + HEAD + "{}\nend module\n",
        "contains": "module m0\n" + HEAD + "contains\n{}\nend module\n",
        "blockdata": "block data\n" + HEAD + "{}\nend block data\n",
        "type": _UNIT + "type inner\n{}\ninteger :: member(n)\nend type\nend subroutine\n",
        "interface": _UNIT + "interface\nsubroutine h()\n{}\nend subroutine\nend interface\nend subroutine\n",
        "file": "{}\nsubroutine f\nend subroutine\n",
        "use": "subroutine f\nuse elsewhere\nreal :: b(8)\n{}\nend subroutine\n",
    }
    STATEMENTS = {"loop": "do i = 1, n; v(i) = i; end do", "gmove": "v(1) = x", "array": "v(:) = 1"}

    @staticmethod
    def translated(text, path):
        return translate_text(path, text)


LANGUAGES = pytest.mark.parametrize("language", [C, Fortran], ids=["c", "fortran"])


def cases(language):
    """(section, place, directive line) of the file, in order."""
    section = place = None
    for line in language.cases.read_text().splitlines():
        heading = re.fullmatch(r"\[(.*): (\w+)\]", line)
        if heading:
            section, place = heading.groups()
        elif line.startswith(language.sentinel):
            yield section, place, line


def told(language, place, line):
    """What the compiler says about the directive, written under it."""
    directive, _, statement = line.partition(language.comment)
    name = next(iter(directive[len(language.sentinel) :].split()), "")
    statement = statement or language.STATEMENTS.get(name, "")
    before, behind = language.PLACES[place].split("{}", 1)
    at = before.count("\n") + 1
    result = language.translated(before + directive + "\n" + statement + behind, language.file)
    assert not result.ok, f"{line}: no error"
    lines = []
    message_at = re.escape(language.file) + r":(\d+)(?::(\d+))?: (error|warning|help|note): (.*)"
    for number, column, kind, message in re.findall(message_at, result.diagnostics):
        where = int(number) - at
        if kind in ("error", "warning"):
            indent = int(column or 1) - 1
            mark = " " * indent + "^" if where == 0 else f"    {'next line' if where == 1 else f'line {number}'}:"
            lines.append(f"{mark} {kind}: {message}")
        else:
            lines.append(f"    {kind}: {message}")
    return lines


@LANGUAGES
def test_golden(language):
    sections, written = {}, []
    for section, place, line in cases(language):
        if sections.get((section, place)) is None:
            written += [""] * bool(written) + [f"[{section}: {place}]"]
        sections[section, place] = True
        written += [line, *told(language, place, line)]
    text = "\n".join(written) + "\n"
    if os.environ.get("KUMIHIMO_REGENERATE"):
        language.cases.write_text(text)
    assert text == language.cases.read_text()


@LANGUAGES
def test_every_directive_is_there(language):
    found = list(cases(language))
    named = {name for _, _, line in found for name in re.findall(re.escape(language.sentinel) + r" (\w+)", line)}
    assert len(found) >= language.least and len({(place, line) for _, place, line in found}) == len(found)
    assert {section for section, _, _ in found} == language.kinds
    assert not set(_READERS) - language.without - named
