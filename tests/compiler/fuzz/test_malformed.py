"""Programs that once ended in a traceback, and the messages that they get instead."""

import pytest
from kumihimo.compiler import detect, driver
from kumihimo.compiler.c.translate import translate
from kumihimo.compiler.fortran.translate import translate as translate_fortran
from kumihimo.compiler.fortran.translate import translate_text
from translation import C_COMPILER, translated_without_gcc, what_is_wrong

HEAD = "#pragma xmp nodes p[*]\n#pragma xmp template t[8]\n#pragma xmp distribute t[block] onto p\ndouble u[8];\n"
HEAD += "#pragma xmp align u[i] with t[i]\n"


def message(text):
    result = translated_without_gcc(text, "a.c")
    assert not result.ok
    return result.diagnostics


@pytest.mark.parametrize(
    "text, expected",
    [
        ("int x = 88172645463325252ULLpragma;", "a.c:1:9: error: this is no number of C; found '88172645463325252ULLpragma'"),
        ("int x = 08;", "this is no number of C"),
        ("int x = 1_000;", "this is no number of C"),
        (f"int x = {'9' * 5000};", "this is no number of C"),
        ("double x = 1.0e+;", "this is no number of C"),
        (f"double x = 1.{'9' * 50000}e+;", "this is no number of C"),  # in no time
        (f"double x = 0x{'9' * 50000}.p;", "this is no number of C"),
        ("enum ;", "a name or '{' is expected; found ';'"),
        ("struct ;", "a name or '{' is expected; found ';'"),
        ("void f(void) { __label__", "a name is expected; found the end of the file"),
        (HEAD + "#pragma xmp array on t[0:8]", "a.c:6:13: error: the directive 'array' stands outside every function"),
        ("int x = " + "(" * 5000 + "1" + ")" * 5000 + ";", "a.c:1: error: the program is nested too deeply here [XMP-E100]"),
        (HEAD + "#pragma xmp nodes t[*]\n#pragma xmp distribute t[block] onto p", "a.c:6:19: error: 't' is declared twice"),
        ("struct f {\n#pragma xmp shadow nothing.value[1]\nint v[8];\n};", "the directive 'shadow' stands inside a structure"),
        (HEAD + "void f(void) {\n" + "{" * 5000 + "}" * 5000 + "}", "a.c:7: error: the program is nested too deeply here"),
    ],
    ids=lambda value: value[:20],
)
def test_messages_of_c(text, expected):
    assert expected in message(text)


@pytest.mark.parametrize(
    "number",
    "0 0x1fUL 0b11 017 1.5f 1.e3 .5L 0x1p-3 0x.8p1f 1.0f128 2.5if 3i 1e5 1.0df 1.5q 7LLU 0x1.8p3l 1.0bf16".split(),
)
def test_numbers_of_c(number):
    assert translated_without_gcc(f"double x = {number};", "a.c").ok


def test_constants_stay_small():
    """1 << 4000000000 would take half a gigabyte, and its decimal digits an hour."""
    text = "enum { A = 1 << 4000000000ull, B = 1ull << 88172645463325252ull };\n" + HEAD
    assert what_is_wrong(lambda: translated_without_gcc(text, "a.c"), 5) is None


def test_long_sums_and_chains_are_no_deep_nesting():
    """Generated programs have them; each term is one level of the tree."""
    terms = " + ".join(f"u[{n % 8}]" for n in range(1500))
    chain = " else ".join(f"if (n == {n}) n = 0;" for n in range(1000))
    result = translated_without_gcc(HEAD + f"double f(int n) {{ {chain} return {terms}; }}", "a.c")
    assert result.ok, result.diagnostics


@pytest.mark.parametrize(
    "directive, expected",
    [
        ("nodes q[F(3]", ":3:24: error: expected ')' before ']' [XMP-E103]"),
        ("nodes q[F(3, 4)]", '.c:3:'),
    ],
)  # fmt: skip
def test_macro_calls_in_directives(tmp_path, directive, expected):
    path = tmp_path / "a.c"
    path.write_text(f"#define F(x) (x + 1)\n#pragma xmp nodes p[F(1)]\n#pragma xmp {directive}\nint a;\n")
    result = translate(str(path), C_COMPILER, [], colour=False)
    assert not result.ok and result.text is None
    assert expected in result.diagnostics


def test_names_of_headers_that_no_file_can_have():
    assert not detect.has_directives(b'#include "a\0b.h"\nint xmp;\n', "a.c", "c", [])


def test_carriage_returns_end_lines(tmp_path):
    """As for gcc: in files of old editors they are all there is."""
    text = HEAD + "int main(void) {\n#pragma xmp barrier\n    return 0;\n}\n"
    results = []
    for ending in ("\n", "\r"):
        path = tmp_path / "a.c"
        path.write_bytes(text.replace("\n", ending).encode())
        assert detect.has_directives(path.read_bytes(), str(path), "c", [])
        results.append(translate(str(path), C_COMPILER, [], colour=False).text)
    assert results[0] is not None and results[0] == results[1]


@pytest.mark.parametrize(
    "body, expected",
    [
        (
            "real, allocatable :: later(:)\n!$xmp nodes p(*)\n!$xmp template t(8)\n!$xmp distribute t(block) onto p\n"
            "!$xmp align later(i) with t(i)\nx = 1",
            None,
        ),
        ("x = (1 + 2", "a.f90:2:5: error: this bracket has no partner in the statement"),
        ("x = [1 + 2)", "a.f90:2:11: error: this bracket has no partner"),
        (
            "!$xmp nodes p(*)\n!$xmp template t(8)\n!$xmp distribute t(block) onto p\n!$xmp loop on t(i)\ndo i = , 8\nend do",
            "a.f90:6:1: error: only a do loop with a counter can be distributed",
        ),
        (
            "integer :: j\n!$xmp nodes p(*)\n!$xmp template t(8)\n!$xmp distribute t(block) onto p\n!$xmp loop on t(+ j)\n"
            "do j = 1, 8\nend do",
            None,
        ),
        (
            "!$xmp nodes p(*)\n!$xmp barrier on p(2:)",
            None,
        ),
        (
            "real, allocatable :: u(:)\n!$xmp nodes p(*)\n!$xmp template t(8)\n!$xmp distribute t(block) onto p\n"
            "!$xmp align u(i) with t(i)\nallocate(u(8), , stat=)",
            None,
        ),
        (
            "implicit none\ndimension u(8)\n!$xmp nodes p(*)\n!$xmp template t(8)\n!$xmp distribute t(block) onto p\n"
            "!$xmp align u(i) with t(i)\nu(1) = 1",
            "a.f90:3:11: error: the type of 'u' is not known",
        ),
        (
            "integer :: u(8), v(8)\n!$xmp nodes p(*)\n!$xmp template t(8)\n!$xmp distribute t(block) onto p\n"
            "!$xmp align u(i) with t(i)\n!$xmp array on t(1:2)\nu(1:2) = v(f(3:))",
            None,
        ),
        ("common /", None),
        (
            "integer :: u(8)\n!$xmp nodes p(*)\n!$xmp template t(8)\n!$xmp distribute t(block) onto p\n"
            "!$xmp align u(i) with t(i)\ncall xmp_transpose(u)",
            "a.f90:7:6: error: xmp_transpose needs",
        ),
        (
            "integer :: u(8, 8)\n!$xmp nodes p(*)\n!$xmp template t(8)\n!$xmp distribute t(block) onto p\n"
            "!$xmp align u(i, *) with t(i)\n!$xmp array on t(1:2)\nu(1:2, ) = 0",
            "a.f90:8:1: error: a subscript of 'u' is missing",
        ),
        (
            "integer :: u(8)\n!$xmp nodes p(*)\n!$xmp template t(8)\n!$xmp distribute t(block) onto p\n"
            "!$xmp align u(i) with t(i)\nprint *, size(u, )",
            None,
        ),
        ("real", None),
        ("double", None),
        ("real*", None),
        (f'# {"9" * 5000} "b.f90"', None),
    ],
    ids=lambda value: (value or "")[:20],
)
def test_fortran(body, expected):
    result = translate_text("a.f90", f"program a\n{body}\nend program\n")
    assert result.ok if expected is None else expected in result.diagnostics


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[1]\n",
        '! {"version": 1}\nmodule m\nend module\n',
        '! {"version": 0, "dummies": {}}\nmodule m\nend module\n',
        '! {"version": 1, "dummies": {}}\n',
        '! {"version": 1, "dummies": {}}\nmodule m\n!$xmp nodes p(\nend module\n',
        '! {"version": 1, "dummies": {}}\nmodule m\n!$xmp nodes p(*)\n',
    ],
)
def test_descriptions_of_modules(tmp_path, text):
    (tmp_path / "m.xmpmod").write_text(text)
    result = translate_text("a.f90", "program a\nuse m\n!$xmp barrier\nend program\n", directories=[str(tmp_path)])
    assert f"{tmp_path}/m.xmpmod:1: error: this is no description of a module" in result.diagnostics
    assert "help: compile the module again" in result.diagnostics


def test_deep_fortran(tmp_path):
    path = tmp_path / "a.f90"
    path.write_text(f"program a\n{'if (x) ' * 6000}x = 1\n!$xmp nodes p(*)\nend program\n")
    result = translate_fortran(str(path), ["gfortran"], (), colour=False)
    assert f"{path}:2: error: the program is nested too deeply here" in result.diagnostics


def test_an_error_of_ours_is_one_message_with_the_place(tmp_path, monkeypatch, capfd):
    """None is known; this one is made."""

    def broken(*_):
        raise KeyError("made for this test")

    monkeypatch.setattr("kumihimo.compiler.c.writing.communication.statements", broken)
    path = tmp_path / "a.c"
    path.write_text(HEAD + "int main(void) {\n#pragma xmp barrier\n    return 0;\n}\n")
    monkeypatch.chdir(tmp_path)
    assert driver.main("c", ["-c", "a.c"]) == 70
    told = capfd.readouterr().err
    assert told.startswith("xmpcc: internal error of xmpcc at a.c:7 (KeyError in test_malformed.py:")
    assert told.endswith("); please report it with this file\n") and told.count("\n") == 1
    assert [file.name for file in tmp_path.iterdir()] == ["a.c"]
