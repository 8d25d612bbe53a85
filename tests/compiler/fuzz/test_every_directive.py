"""Every directive at every place where one may end up, as it should be and mutilated: a translation or a diagnostic, never an
exception. A new directive needs a line in SAMPLES. All texts are tried at the first places, a part of them at each other
place, unless KUMIHIMO_TEST_LONG=1.

In the programs, `{}` is the place; other braces are doubled, because C_HEAD.format() halves them."""

import itertools

import pytest
from kumihimo.compiler.directives.parser import _READERS
from kumihimo.compiler.fortran.translate import translate_text
from long_form import LONG_FORM
from translation import translated_without_gcc, what_is_wrong

SAMPLES = {
    "nodes": "nodes q[2]",
    "template": "template s[0:N]",
    "distribute": "distribute d[block] onto p",
    "align": "align v[i] with t[i]",
    "shadow": "shadow v[1]",
    "template_fix": "template_fix[block] d[N]",
    "task": "task on p[0]",
    "tasks": "tasks",
    "loop": "loop on t[i] reduction(+:x)",
    "array": "array on t[0:N]",
    "reflect": "reflect (u) width(1) async(1)",
    "gmove": "gmove in async(1)",
    "barrier": "barrier on p",
    "reduction": "reduction(+:x) on p",
    "bcast": "bcast (x) from p[0] on p",
    "wait_async": "wait_async (1) on p",
    "reduce_shadow": "reduce_shadow (u)",
    "local_alias": "local_alias l => u",
    "coarray": "coarray v:[*]",
    "static_desc": "static_desc u, v",
    "save_desc": "save_desc u",
    "image": "image (p)",
    "post": "post (p[0], 1)",
    "wait": "wait (p[0], 1)",
    "lock": "lock (k:[0]) stat(x)",
    "unlock": "unlock (k:[0]) stat(x)",
    "sync_memory": "sync_memory",
    "master_io": "master_io",
    "global_io": "global_io atomic begin",
    "file_sync_all": "file_sync_all (x)",
    "end": "end task",
}
COMBINED = (
    "nodes(2), dimension p2, q2",
    "template(N) :: a1, b1",
    "align [i] with t[i] :: v",
    "shadow [1] :: v",
    "coarray on p :: v",
)

ALWAYS, PART = 3, 9  # places at which all texts are tried; elsewhere one in PART

C_HEAD = """enum {{ N = 8 }};
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp template d[:]
#pragma xmp distribute t[block] onto p
double u[N], v[N], x; int i, l[N];
#pragma xmp align u[i] with t[i]
#pragma xmp shadow u[1]
{}
"""
C_FUNCTION = "void f(int n) {{ int j = 0;\n{}\n}}\n"
C_PLACES = {
    "file scope": C_HEAD.format("{}\nint after;"),
    "in a structure": C_HEAD.format("struct s {{ int a;\n{}\nint b; }};"),
    "function scope": C_HEAD.format(C_FUNCTION.format("{}\nfor (i = 0; i < N; i++) u[i] = i;")),
    "before everything": "{}\n" + C_HEAD.format(""),
    "before the end of the file": C_HEAD.format("int main(void) { return 0; }\n{}").rstrip("\n"),
    "alone": "{}",
    "before a declaration": C_HEAD.format(C_FUNCTION.format("{}\nint k = i;")),
    "before a block's end": C_HEAD.format(C_FUNCTION.format("i = 1;\n{}")),
    "before the function's end and the file's": C_HEAD.format("void f(void) {{\n{}"),
    "after return": C_HEAD.format(C_FUNCTION.format("return;\n{}\ni = 1;")),
    "before else": C_HEAD.format(C_FUNCTION.format("if (n)\n{}\ni = 1; else\n{}\ni = 2;")),
    "between if and else": C_HEAD.format(C_FUNCTION.format("if (n) i = 1;\n{}\nelse i = 2;")),
    "behind a label": C_HEAD.format(C_FUNCTION.format("out:\n{}\ni = 1;")),
    "in switch": C_HEAD.format(C_FUNCTION.format("switch (n) {{ case 1:\n{}\ni = 1; default:\n{}\n}}")),
    "in a loop without braces": C_HEAD.format(C_FUNCTION.format("for (i = 0; i < N; i++)\n{}\nu[i] = i;")),
    "in an enumeration": C_HEAD.format("enum e {{ A,\n{}\nB }};"),
    "in an initialiser": C_HEAD.format("int list[] = {{ 1,\n{}\n2 }};"),
    "in an expression": C_HEAD.format(C_FUNCTION.format("x = u[0] +\n{}\nu[1];")),
    "in a call": C_HEAD.format(C_FUNCTION.format("f(1\n{}\n);")),
    "in a statement expression": C_HEAD.format(C_FUNCTION.format("x = ({{\n{}\ni = 1; i; }});")),
    "in a declaration": C_HEAD.format("int a,\n{}\nb;"),
    "in specifiers": C_HEAD.format("static\n{}\nint b;"),
    "among parameters": C_HEAD.format("void g(int a,\n{}\nint b);"),
    "in a head of for": C_HEAD.format(C_FUNCTION.format("for (i = 0;\n{}\ni < N; i++) u[i] = 0;")),
    "before a body": C_HEAD.format("void g(int a)\n{}\n{{ }}"),
    "in a prototype's shadow": C_HEAD.format("void g(int a)\n{}\n;"),
    "in another directive": C_HEAD.format("#pragma xmp loop on t[i] {}"),
}
FORTRAN_HEAD = """program main
integer, parameter :: N = 8
real(8) :: u(N), v(N), x
integer :: i, l(N)
!$xmp nodes p(*)
!$xmp template t(N)
!$xmp distribute t(block) onto p
!$xmp align u(i) with t(i)
!$xmp shadow u(1)
{}
end program
"""
FORTRAN_PLACES = {
    "specification part": FORTRAN_HEAD.format("{}\nx = 1"),
    "in a type": FORTRAN_HEAD.format("type s\n{}\ninteger :: a\nend type"),
    "executable part": FORTRAN_HEAD.format("x = 1\n{}\ndo i = 1, N\nu(i) = i\nend do"),
    "before everything": "{}\n" + FORTRAN_HEAD.format(""),
    "before the end of the file": FORTRAN_HEAD.format("x = 1") + "{}",
    "alone": "{}",
    "before the end": FORTRAN_HEAD.format("x = 1\n{}"),
    "without an end": FORTRAN_HEAD.format("x = 1\n{}").replace("end program\n", ""),
    "after stop": FORTRAN_HEAD.format("stop\n{}"),
    "before else": FORTRAN_HEAD.format("if (x > 1) then\nx = 1\n{}\nelse\n{}\nx = 2\nend if"),
    "in select": FORTRAN_HEAD.format("select case (i)\n{}\ncase (1)\n{}\nend select"),
    "in a do loop": FORTRAN_HEAD.format("do i = 1, N\n{}\nu(i) = i\nend do"),
    "in an interface": FORTRAN_HEAD.format("interface\n{}\nend interface"),
    "in a continued statement": FORTRAN_HEAD.format("x = 1 + &\n{}\n2"),
    "in a subroutine": FORTRAN_HEAD.format("x = 1\ncontains\nsubroutine g\n{}\nend subroutine"),
    "behind contains": FORTRAN_HEAD.format("x = 1\ncontains\n{}\nsubroutine g\nend subroutine"),
    "in a module": "module m\n{}\nend module\n",
    "in another directive": FORTRAN_HEAD.format("!$xmp loop on t(i) {}"),
}


def mutilations(text):
    """The directive, and what may be left of it."""
    words = text.split()
    yield from (text, words[0], f"{words[0]} {words[0]}", text + " (", text + ")", text.replace(")", "", 1), text + " :")
    yield text.replace("]", "", 1).replace("(", "", 1)
    yield text + " on"
    yield from (" ".join(words[:count]) for count in range(2, len(words)))
    for cut in ("(", "[", ",", "=", "+:", ":["):
        yield text.partition(cut)[0] + cut
    yield text.replace("p", "nobody").replace("t[", "u[").replace("u)", "p)").replace("v", "p")
    yield text.replace("[", "[-").replace("(", "(-")
    yield text.replace("N", "99999999999999999999").replace("1", "88172645463325252ULLpragma")


def all_texts():
    samples = (*SAMPLES.values(), *COMBINED)
    return sorted({text for sample in samples for text in mutilations(sample)} | {"", "nods p[*]", "é", "#"})


def failures(translate, places, sentinel, adapt=str):
    """kind of failure -> the first of it."""
    found = {}
    for (at, (place, program)), (number, text) in itertools.product(enumerate(places.items()), enumerate(all_texts())):
        if at >= ALWAYS and (at + number) % PART and not LONG_FORM:
            continue
        line = sentinel + adapt(text)
        source = program.replace("{{", "{").replace("}}", "}").replace("{}", line)
        wrong = what_is_wrong(lambda source=source: translate(source))
        if wrong:
            found.setdefault(wrong[0], f"{line}, {place}: {wrong[0]}\n{wrong[1]}")
    return found


def test_a_sample_for_every_directive():
    assert set(SAMPLES) == set(_READERS)


def test_c():
    found = failures(lambda source: translated_without_gcc(source, "program.c"), C_PLACES, "#pragma xmp ")
    assert not found, "\n".join(found.values())


def test_fortran():
    found = failures(
        lambda source: translate_text("program.f90", source),
        FORTRAN_PLACES,
        "!$xmp ",
        lambda text: text.replace("[", "(").replace("]", ")"),
    )
    assert not found, "\n".join(found.values())


@pytest.mark.parametrize("name", ["xmp", "xmp ", "xmp\t\\", "xmp loop on t[i] \\"])
def test_a_sentinel_at_the_very_end(name):
    assert not what_is_wrong(lambda: translated_without_gcc(f"int a;\n#pragma {name}", "program.c"))
