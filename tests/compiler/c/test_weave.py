"""The translated file is the user's file: byte for byte where nothing was edited, line by line everywhere."""

import random
import re
import subprocess

import pytest
from kumihimo.compiler.c.reading import syntax
from kumihimo.compiler.c.reading.preprocessed import edited_text
from kumihimo.compiler.c.writing.edits import Edits
from kumihimo.compiler.c.writing.weave import Weaver, weave
from support import compile_text, named, nodes, unit_of

PROGRAM = r"""/* A program of many kinds of lines. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include "values.h"
#define N 6
#define SQUARE(x) ((x) * (x))
#define SWAP(a, b) do { int t = (a); (a) = (b); (b) = t; } while (0)
#define EACH(i, n) for (int i = 0; i < (n); i++)
#define NAME(x) #x
#define JOIN(a, b) a##b
#define NOTHING
/* a comment
   of two lines */ static int u[N], v[N]; // tail
#if 0
don't look " here
#elif defined(N)
static int chosen = N NOTHING;
#else
static int chosen = ;
#endif
static int add(int left,  /* first */
               int right) // second
{
    return left + right;
}
int main(void) {
	int i, total = 0; char *text = "two \
lines";
    EACH(k, N) { u[k] = SQUARE(k + 1); v[k] = VALUE; }
    for (i = 0;  /* upwards */
         i < N;
         i++) { total += u[i] * v[i] + SQUARE(u[i]); }
    SWAP(u[0],
         u[1]); SWAP(v[0], v[1]);
    SWAP(u[2], u[3]); total = add(total, JOIN(to, tal)); NOTHING
    printf("%s %s %d %d %d\n", text, NAME(u[i]), total, __LINE__, chosen);
    EACH(k, N) printf("%d ", u[k]); printf("%d\n", abs(-N) + (int)sizeof(u));
    return 0;
}
"""
VALUES = "#ifndef VALUES_H\n#define VALUES_H\n#define VALUE (k - 2)\nstatic int in_header(int n) { return n + 1; }\n#endif\n"


@pytest.fixture
def unit(tmp_path):
    (tmp_path / "values.h").write_text(VALUES)
    return unit_of(tmp_path, PROGRAM)


def woven(unit, edits):
    return weave(unit, edits, header=None)


def line(text, start):
    return next(line for line in text.split("\n") if line.lstrip().startswith(start))


@pytest.mark.parametrize("text", [PROGRAM, "", "int a;", "int a;\r\n\r\n", "#pragma xmp nodes p[*]", "\n\n// x\n", "int é;\n"])
def test_without_edits_byte_for_byte(tmp_path, text):
    (tmp_path / "values.h").write_text(VALUES)
    path = tmp_path / "program.c"
    path.write_bytes(text.encode())
    unit = unit_of(tmp_path, text)
    path.write_bytes(text.encode())
    assert weave(unit, Edits(unit.tokens)).encode() == path.read_bytes()


def test_one_word(unit):
    edits = Edits(unit.tokens)
    edits.replace(named(unit, "right")[-1].first, named(unit, "right")[-1].first, "(RIGHT)")
    assert woven(unit, edits) == f'#line 1 "{unit.source.path}"\n' + PROGRAM.replace("left + right", "left + (RIGHT)")


def test_macros_stay_where_edits_do_not_touch_them(unit):
    edits = Edits(unit.tokens)
    for node in named(unit, "total"):
        edits.before(node.first, "(")
        edits.after(node.last, ")")
    result = woven(unit, edits)
    assert line(result, "i++").strip() == "i++) { (total) += u[i] * v[i] + SQUARE(u[i]); }"
    assert line(result, "SWAP(u[2]").strip() == "SWAP(u[2], u[3]); (total) = add((total), (JOIN(to, tal))); NOTHING"
    assert "static int chosen = N NOTHING;" in result


def test_an_edit_in_a_macro_replaces_the_call_only(unit):
    edits = Edits(unit.tokens)
    square = next(n for n in named(unit, "u") if unit.tokens[n.first - 1].text == "(" and n.token.line == 33)
    edits.replace(square.first, square.first, "w")
    assert line(woven(unit, edits), "i++").strip() == "i++) { total += u[i] * v[i] + ((w[i]) * (u[i])); }"


def test_replaced_lines_remain_lines(unit):
    edits = Edits(unit.tokens)
    loop = [n for n in nodes(unit, syntax.For) if n.init is not None and n.token.line == 31][0]
    edits.replace(loop.first, loop.body.first - 1, "for (;;)")
    result = woven(unit, edits)
    assert result.count("\n") == PROGRAM.count("\n") + 1
    assert "    for (;;)  /* upwards */\n         \n          { total += u" in result


def test_a_call_over_two_lines(unit):
    edits = Edits(unit.tokens)
    call = [n for n in named(unit, "u") if n.token.line == 34][0]
    edits.replace(call.first, call.first, "w")
    result = woven(unit, edits).split("\n")
    assert result[34].startswith("    do { int t = (w[0]); (u[0]) = (u[1]); (u[1]) = t; } while (0)")
    assert result[36] == PROGRAM.split("\n")[35], "the next line is as it was"


def test_directives(tmp_path):
    text = """#define N 4
  #pragma xmp template t[N] /* why */
#pragma xmp distribute \\
    t[block] \\
    onto p // how
int a;
void f(void) {
    int i;
#pragma xmp loop on t[i]
    for (i = 0; i < N; i++) ;
#pragma xmp barrier
#pragma omp barrier
}
"""
    unit = unit_of(tmp_path, text)
    edits = Edits(unit.tokens)
    for directive, code in zip(unit.directives, ["XMP_Template *t;", "", "{ loop();", "XMP_Barrier();"]):
        edits.replace(directive.first, directive.last, code)
    edits.after(nodes(unit, syntax.For)[0].last, " }")
    lines = weave(unit, edits).split("\n")
    assert lines == [
        f'#line 1 "{unit.source.path}"', "#define N 4", '#include "kumihimo/generated.h"', f'#line 2 "{unit.source.path}"',
        "  XMP_Template *t;", "", "", "",
        "int a;", "void f(void) {", "    int i;",
        "    { loop(); /* #pragma xmp loop on t[i] */", "    for (i = 0; i < N; i++) ; }",
        "    XMP_Barrier(); /* #pragma xmp barrier */", "#pragma omp barrier", "}", "",
    ]  # fmt: skip


def test_declaration_around_a_conditional(tmp_path):
    unit = unit_of(tmp_path, "static int a[3], // first\n#ifdef MORE\n  more,\n#else\n  less,\n#endif\n  last;\nint b;\n")
    edits = Edits(unit.tokens)
    edits.replace(unit.items[0].first, unit.items[0].last, "int c;")
    result = woven(unit, edits)
    assert result.split("\n", 1)[1] == "int c; // first\n#ifdef MORE\n  more,\n#else\n  \n#endif\n  \nint b;\n"


def test_conditional_between_edits_at_a_directive(tmp_path):
    unit = unit_of(tmp_path, "int a;\nvoid f(void) {\n    a = 1;\n#if 1 /* why */\n#pragma xmp barrier\n#endif\n}\n")
    edits = Edits(unit.tokens)
    edits.replace(nodes(unit, syntax.ExpressionStatement)[0].first, nodes(unit, syntax.ExpressionStatement)[0].last, "f();")
    edits.replace(unit.directives[0].first, unit.directives[0].last, "g();")
    assert "    f();\n#if 1 /* why */\n    g(); /* #pragma xmp barrier */\n#endif\n}" in weave(unit, edits)


def test_epilogue_and_header(unit):
    edits = Edits(unit.tokens)
    edits.epilogue = ["int after;"]
    assert weave(unit, edits).endswith('}\n#include "kumihimo/generated.h"\nint after;\n')
    edits.after(unit.items[-1].last, " /* end */")
    lines = weave(unit, edits).split("\n")
    main = lines.index("int main(void) {")
    assert lines[main - 2 : main] == ['#include "kumihimo/generated.h"', f'#line 27 "{unit.source.path}"']
    assert lines[-2] == "int after;"


def test_headers_with_edits_are_included_textually(tmp_path):
    (tmp_path / "inner.h").write_text("#pragma once\n#define STEP 2\nstatic int first(int n) { return n + STEP; }\n")
    (tmp_path / "outer.h").write_text(
        '#ifndef OUTER\n#define OUTER\n#include "inner.h"\nstatic int second(int n) { return n * STEP; }\n#endif'
    )
    (tmp_path / "plain.h").write_text("static int third(int n) { return n - 1; }\n")
    text = '#include <stdio.h>\n#include "plain.h"\n#include "outer.h"\n'
    text += 'int main(void) { printf("%d %d\\n", first(second(third(4))), __LINE__); return 0; }\n'
    unit = unit_of(tmp_path, text)
    edits = Edits(unit.tokens)
    returned = [n for n in named(unit, "n") if n.token.file.endswith("inner.h")][0]
    edits.replace(returned.first, returned.first, "(n * 10)")
    result = woven(unit, edits)
    assert "#include <stdio.h>" in result
    assert '#include "plain.h"' in result
    assert "return (n * 10) + STEP;" in result
    assert "return n * STEP;" in result
    assert f'#line 3 "{tmp_path}/inner.h"' not in result  # lines go on counting
    assert compile_text(tmp_path, result) == "62 4\n"


def test_pragma_operators_survive_in_an_expansion(tmp_path):
    text = '#include <stdio.h>\n#define LOOP(n) _Pragma("omp simd") for (int k = 0; k < 1; k++) '
    text += '_Pragma("GCC unroll 4") for (int i = 0; i < (n); i++)\n'
    text += 'int main(void) { int s = 0, n = 3; LOOP(n) s += i; printf("%d\\n", s); return 0; }\n'
    unit = unit_of(tmp_path, text)
    edits = Edits(unit.tokens)
    bound = [n for n in named(unit, "n") if n.token.line == 3][0]
    edits.replace(bound.first, bound.first, "n + 2")
    result = woven(unit, edits)
    assert '_Pragma("omp simd")' in result and '_Pragma("GCC unroll 4")' in result
    assert compile_text(tmp_path, result, options=["-fopenmp-simd"]) == "10\n"


def harmless_edits(unit, generator):
    """Edits that do not change what a program does, wherever they fall."""
    edits, busy = Edits(unit.tokens), -1
    for node in sorted(unit.walk(), key=lambda n: (n.first, -n.last)):
        if node.first <= busy or generator.random() < 0.6:
            continue
        if isinstance(node, syntax.For):
            header = " ".join(t.text for t in unit.tokens[node.first : node.body.first])
            edits.replace(node.first, node.body.first - 1, header)
            busy = node.body.first - 1
        elif isinstance(node, syntax.Identifier):
            edits.before(node.first, "(")
            edits.after(node.last, ")")
            if generator.random() < 0.5:
                edits.replace(node.first, node.last, f"({node.name})")
            busy = node.last
        elif isinstance(node, syntax.ExpressionStatement) and node.first < node.last:
            edits.replace(
                node.first, node.last, "{ " + " ".join(t.text for t in unit.tokens[node.first : node.last + 1]) + " }"
            )
            busy = node.last
    return edits


@pytest.mark.parametrize("seed", range(6))
def test_random_edits_keep_the_program(unit, tmp_path, seed):
    expected = compile_text(tmp_path, PROGRAM)
    edits = harmless_edits(unit, random.Random(seed))
    result = woven(unit, edits)
    assert result.count("\n") in (PROGRAM.count("\n") + 1, PROGRAM.count("\n") + 1 + VALUES.count("\n") + 1)
    assert compile_text(tmp_path, result) == expected
    assert compile_text(tmp_path, edited_text(unit, edits, None)) == expected


def test_last_resort_has_our_header_and_its_macros(tmp_path):
    (tmp_path / "kumihimo").mkdir()
    (tmp_path / "kumihimo" / "generated.h").write_text(
        "#include <float.h>\n#define XMP_TWICE(x) ((x) * 2)\nstatic int xmp_one = 1;\n"
    )
    text = '#define N 3\n#include <stdio.h>\nint main(void) {\n#line 100 "other.c"\n'
    text += '    printf("%d %d\\n", N, __LINE__);\n    return 0;\n}\n'
    command = ["gcc", f"-I{tmp_path}"]
    unit = unit_of(tmp_path, text, command=command)
    edits = Edits(unit.tokens)
    three = nodes(unit, syntax.Number)[0]
    edits.replace(three.first, three.first, "(int)(XMP_TWICE(N_) + xmp_one + DBL_DIG)".replace("N_", "3"))
    result = weave(unit, edits)
    assert "#define XMP_TWICE(x)" in result, "#line directives cannot be aligned: the preprocessed text it is"
    assert compile_text(tmp_path, result, options=[f"-I{tmp_path}"]) == "22 100\n"


def test_messages_of_gcc_name_the_users_lines(unit, tmp_path):
    edits = Edits(unit.tokens)
    call = named(unit, "abs")[0]
    edits.replace(call.first, call.first, "undeclared_variable.abs")
    text = woven(unit, edits)
    result = subprocess.run(
        ["gcc", "-fsyntax-only", "-iquote", str(tmp_path), "-x", "c", "-"], input=text, capture_output=True, text=True
    )
    number = 1 + PROGRAM.split("\n").index(line(PROGRAM, "EACH(k, N) printf"))
    assert f"{unit.source.path}:{number}:" in result.stderr


def test_what_the_user_wrote(unit):
    loop = [n for n in nodes(unit, syntax.For) if n.token.line == 31][0]
    assert unit.written(loop.condition.first, loop.condition.last) == "i < N"
    assert unit.written(loop.condition.right.first, loop.condition.right.last) == "N"
    square = next(n for n in nodes(unit, syntax.Parenthesized) if n.text() == "((u[i]) * (u[i]))")
    assert unit.written(square.first, square.last) == "SQUARE(u[i])"
    assert unit.written(square.first + 1, square.last) is None
    assert unit.written(loop.first, loop.last) is None


def test_columns(unit):
    """Each word is found where the message will point: at itself or at the macro call that it comes from."""
    lines, call = PROGRAM.split("\n"), re.compile(r"(SQUARE|SWAP|EACH|NAME|JOIN|N|VALUE|__LINE__)\b")
    at_itself = at_call = 0
    for token in unit.tokens[:-1]:
        if token.file != unit.source.path or token.line == 28:  # a string over two lines, of which gcc makes one
            continue
        text = lines[token.line - 1][token.column - 1 :] if token.column else ""
        if text.startswith(token.text):
            at_itself += 1
        elif token.column:
            assert call.match(text), token
            at_call += 1
    assert at_itself > 120
    assert at_call > 40


def test_certain_weavings_need_no_check(unit):
    edits = Edits(unit.tokens)
    for node in named(unit, "i"):
        edits.before(node.first, "(")
        edits.after(node.last, ")")
    weaver = Weaver(unit, edits, None)
    weaver.text()
    assert weaver.certain
