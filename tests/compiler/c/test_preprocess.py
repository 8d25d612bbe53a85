"""Macros in directives, options, gcc's own messages."""

import os
import subprocess
import sys

import pytest
from kumihimo.compiler.c.reading.errors import PreprocessingFailed
from kumihimo.compiler.c.reading.parser import parse
from kumihimo.compiler.c.reading.preprocess import preprocess, protect_words
from support import source_of, unit_of


def directives(unit):
    """Each directive's words behind `#pragma xmp`, with one blank between them."""
    return [" ".join(token.text for token in unit.tokens[slice(*directive.operands)]) for directive in unit.directives]


def test_macros_in_operands_are_expanded(tmp_path):
    unit = unit_of(
        tmp_path,
        """#include <limits.h>
#define N 8
#define M (N*N)
#define NEGATIVE -1
#define SQUARE(x) ((x)*(x))
#pragma xmp template t[M]
#pragma xmp template s[SQUARE(N)]
#undef N
#define N 9
#pragma xmp template r[N+INT_MAX]
#pragma xmp shadow a[-NEGATIVE]
""",
    )
    assert directives(unit) == [
        "template t [ ( 8 * 8 ) ]", "template s [ ( ( 8 ) * ( 8 ) ) ]", "template r [ 9 + 0x7fffffff ]", "shadow a [ - - 1 ]",
    ]  # fmt: skip


def test_one_plain_macro_needs_no_second_pass_and_means_the_same(tmp_path):
    unit = unit_of(tmp_path, "#define N (M + 1)\n#define M N\n#define STEP -1\n#pragma xmp template t[N][-STEP]\n")
    assert directives(unit) == ["template t [ ( N + 1 ) ] [ - - 1 ]"]


def test_words_of_the_language_are_not_macros(tmp_path):
    text = "#define loop 1\n#define on 2\n#define block 3\n#define max 4\n#define t 5\n#define reduction 6\n"
    text += "#pragma xmp distribute t[block] onto p\n#pragma xmp loop on t[block] reduction(max:x)\n"
    assert directives(unit_of(tmp_path, text)) == [
        "distribute 5 [ block ] onto p", "loop on 5 [ 3 ] reduction ( max : x )",
    ]  # fmt: skip
    assert "__xmp" not in protect_words("t[n]").replace("__xmp_word__t", "")


def test_headers_are_expanded_too(tmp_path):
    (tmp_path / "mesh.h").write_text("#define WIDTH 3\n#pragma xmp shadow u[WIDTH]\n")
    unit = unit_of(tmp_path, '#include "mesh.h"\n#pragma xmp shadow v[WIDTH]\n')
    assert directives(unit) == ["shadow u [ 3 ]", "shadow v [ 3 ]"]
    assert [os.path.basename(d.token.file) for d in unit.directives] == ["mesh.h", "program.c"]
    assert [d.token.line for d in unit.directives] == [2, 2]


def test_pragma_operator_is_a_directive(tmp_path):
    unit = unit_of(
        tmp_path, '#define LOOP _Pragma("xmp loop on t[i]")\nvoid f(void) { int i; LOOP for (i = 0; i < 3; i++) ; }\n'
    )
    assert directives(unit) == ["loop on t [ i ]"]


def test_comments_and_strings_hide_pragmas(tmp_path):
    unit = unit_of(
        tmp_path, '/*\n#pragma xmp nodes p[*]\n*/\nchar *s = "\\\n#pragma xmp nodes q[*]";\n#if 0\n#pragma xmp x\n#endif\n'
    )
    assert directives(unit) == []


def test_apostrophes_in_inactive_text(tmp_path):
    unit = unit_of(tmp_path, "#if 0\ndon't \" look\n#endif\nint a;\n#pragma xmp nodes p[*]\n")
    assert directives(unit) == ["nodes p [ * ]"]


def test_options(tmp_path):
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "size.h").write_text("#define SIZE 5\n")
    (tmp_path / "forced.h").write_text("typedef int forced;\n")
    text = "#include <size.h>\nforced a[SIZE][N];\n#ifdef M\n#error M\n#endif\n#ifdef _OPENMP\nint openmp;\n#endif\n"
    options = [
        "-I",
        str(tmp_path / "include"),
        "-DN=3",
        "-DM",
        "-UM",
        "-include",
        str(tmp_path / "forced.h"),
        "-std=c11",
        "-fopenmp",
    ]
    unit = unit_of(tmp_path, text, options=options)
    assert [item.text() for item in unit.items] == ["typedef int forced;", "forced a[5][3];", "int openmp;"]


def test_includes_of_the_command_are_system_headers(tmp_path):
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "library.h").write_text("typedef double real;\nint function(real);\n")
    unit = unit_of(tmp_path, "#include <library.h>\nreal x;\n", command=["gcc", f"-I{tmp_path / 'include'}"])
    assert [item.text() for item in unit.items] == ["real x;"]
    assert unit.scope.lookup("function").system


def test_user_files_under_debugging_are_files_only(tmp_path):
    """With -g gcc names its working directory among the files."""
    (tmp_path / "g.h").write_text("int x;\n")
    (tmp_path / "g.c").write_text('#include <stdio.h>\n#include "g.h"\nint y;\n')
    found = preprocess(str(tmp_path / "g.c"), ["gcc"], ["-g"]).user_files()
    assert [os.path.basename(name) for name in found] == ["g.c", "g.h"]


def test_changing_macros(tmp_path):
    (tmp_path / "m.c").write_text("#define A 1\n#define B 2\n#undef B\n#define B 3\n#define C 4\n#define C 4\nint x = A;\n")
    changing = preprocess(str(tmp_path / "m.c"), ["gcc"]).changing_macros()
    assert "B" in changing and not {"A", "C"} & changing


def test_gcc_speaks_for_itself(tmp_path):
    path = tmp_path / "program.c"
    path.write_text("#include <no_such_header.h>\n")
    expected = subprocess.run(["gcc", "-E", "-x", "c", str(path)], capture_output=True, text=True)
    with pytest.raises(PreprocessingFailed) as failure:
        preprocess(str(path), ["gcc"])
    assert failure.value.output == expected.stderr
    assert failure.value.status == expected.returncode


def test_missing_compiler_is_a_failure_of_its_own(tmp_path):
    with pytest.raises(PreprocessingFailed, match="no-such-gcc"):
        source_of(tmp_path, "", command=["no-such-gcc"])


def test_bytes_that_are_no_utf8_survive(tmp_path):
    path = tmp_path / "program.c"
    path.write_bytes(b'char *s = "\xe9\xff"; /* \xe9 */\r\n')
    source = preprocess(str(path), ["gcc"])
    assert source.original().encode("utf-8", "surrogateescape") == path.read_bytes()
    assert parse(source).items[0].text().encode("utf-8", "surrogateescape") == b'char *s = "\xe9\xff";'


def test_no_slow_imports():
    """The start of Python is part of every compilation."""
    code = "import conftest; import kumihimo.compiler.c.writing.weave, kumihimo.compiler.c.reading.parser; "
    slow = {"argparse", "subprocess", "dataclasses", "typing", "inspect", "difflib", "tempfile"}
    code += f"import sys; print(sorted(set(sys.modules) & {slow!r}))"
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    code = f"import sys; sys.path.insert(0, {here!r}); " + code
    assert subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
