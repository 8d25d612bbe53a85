"""One wrong directive in a right program: every directive and clause with something missing, given twice, misspelt, of a wrong
type or rank, in a wrong place. one_directive.txt has each directive and under it what the compiler says, with the caret.

KUMIHIMO_REGENERATE=1 writes the messages again; read the differences before committing them. A statement that the directive
governs may stand behind it as a comment; the line [kind: place] says where the next directives stand."""

import os
import pathlib
import re
import sys

from kumihimo.compiler.directives.parser import _READERS

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "fuzz"))
from translation import translated_without_gcc  # noqa: E402

CASES = HERE / "one_directive.txt"
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
KINDS = ("missing", "twice", "misspelt", "wrong type", "wrong rank", "wrong nesting", "wrong value")
STATEMENTS = {"loop": "for (int i = 0; i < N; i++) v[i] = i;", "gmove": "v[0] = x;", "task": ";", "tasks": ";", "image": ";"}
FORTRAN_ONLY = {"end", "file_sync_all"}
_MESSAGE = re.compile(r"program\.c:(\d+)(?::(\d+))?: (error|warning|help|note): (.*)")


def cases():
    """(section, place, directive line) of the file, in order."""
    section = place = None
    for line in CASES.read_text().splitlines():
        heading = re.fullmatch(r"\[(.*): (\w+)\]", line)
        if heading:
            section, place = heading.groups()
        elif line.startswith("#pragma xmp"):
            yield section, place, line


def told(place, line):
    """What the compiler says about the directive, written under it."""
    directive, _, statement = line.partition(" // ")
    words = directive.split()
    statement = statement or STATEMENTS.get(words[2] if len(words) > 2 else "", "")
    at = PLACES[place].split("{}")[0].count("\n") + 1
    result = translated_without_gcc(PLACES[place].replace("{}", directive + "\n" + statement), "program.c")
    assert not result.ok, f"{line}: no error"
    lines = []
    for number, column, kind, message in _MESSAGE.findall(result.diagnostics):
        where = int(number) - at
        if kind in ("error", "warning"):
            indent = int(column or 1) - 1
            mark = " " * indent + "^" if where == 0 else f"    {'next line' if where == 1 else f'line {number}'}:"
            lines.append(f"{mark} {kind}: {message}")
        else:
            lines.append(f"    {kind}: {message}")
    return lines


def test_golden():
    sections, written = {}, []
    for section, place, line in cases():
        if sections.get((section, place)) is None:
            written += [""] * bool(written) + [f"[{section}: {place}]"]
        sections[section, place] = True
        written += [line, *told(place, line)]
    text = "\n".join(written) + "\n"
    if os.environ.get("KUMIHIMO_REGENERATE"):
        CASES.write_text(text)
    assert text == CASES.read_text()


def test_every_directive_is_there():
    found = list(cases())
    named = {name for _, _, line in found for name in re.findall(r"#pragma xmp (\w+)", line)}
    assert len(found) >= 150 and len({(place, line) for _, place, line in found}) == len(found)
    assert {section for section, _, _ in found} == set(KINDS)
    assert not set(_READERS) - FORTRAN_ONLY - named
