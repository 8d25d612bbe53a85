"""The syntax tree: binding of names, XMP's additions, directives, GNU's additions, errors."""

import pytest
from kumihimo.compiler.c.reading import syntax, types
from kumihimo.compiler.c.reading.errors import InvalidSyntax
from kumihimo.compiler.c.reading.parser import parse_expression
from support import named, nodes, unit_of


def test_shadowed_names_are_told_apart(tmp_path):
    unit = unit_of(
        tmp_path,
        "int a; typedef int t;\nint f(int a) { a = 1; { double a; a = 2; "
        "for (char a = 0; a < 3; a++) a; a = 3; } int t = 4; return t * a; }\n"
        "int g(void) { return a; }\n",
    )
    kinds = [(node.declaration.kind, types.render(node.type)) for node in named(unit, "a")]
    parameter, inner, loop, outer = ("parameter", "int"), ("variable", "double"), ("variable", "char"), ("variable", "int")
    assert kinds == [parameter, inner, loop, loop, loop, inner, parameter, outer]
    assert [node.declaration.kind for node in named(unit, "t")] == ["variable"]
    outer_a, inner_a = unit.items[0].declarators[0], named(unit, "a")[1].declaration
    assert named(unit, "a")[-1].declaration is outer_a
    assert inner_a.scope.lookup("a") is inner_a
    assert inner_a.scope.lookup("a", inner_a.name_index) is unit.items[2].declarator.type.parameters[0]


def test_sections_and_coindices(tmp_path):
    unit = unit_of(
        tmp_path,
        "int a[9][8], x:[*], c[4]:[2][*]; double *p;\nvoid f(int n) {\n"
        "a[1:3:2][:]; a[n ? 1 : 2:n][0]; p[:n]; x:[n] = x:[n + 1]; n ? x:[1] : c[2]:[0][1]; c[:]:[1][0] = a[0][:4];\n}\n",
    )
    sections = nodes(unit, syntax.Section)
    assert [[part and part.text() for part in (s.begin, s.length, s.step)] for s in sections] == [
        [None, None, None], ["1", "3", "2"], ["n ? 1 : 2", "n", None], [None, "n", None], [None, None, None], [None, "4", None],
    ]  # fmt: skip
    assert [types.render(s.type) for s in sections] == [
        "int",
        "int [8]".replace(" [", "[").replace("int[", "int["),
        "int[8]",
        "double",
        "int",
        "int",
    ]
    assert [[i.text() for i in r.images] for r in nodes(unit, syntax.CoarrayReference)] == [
        ["n"],
        ["n + 1"],
        ["1"],
        ["0", "1"],
        ["1", "0"],
    ]
    x, c = unit.items[0].declarators[1:]
    assert x.codimensions == [None]
    assert [d and d.text() for d in c.codimensions] == ["2", None]
    assert types.render(c.type, "c") == "int c[4]"


def test_directives_bind_to_statements(tmp_path):
    unit = unit_of(
        tmp_path,
        """int t;
#pragma xmp nodes p[*]
struct s {
    int a;
#pragma xmp align a[i] with t[i]
};
void f(int n) {
#pragma xmp loop on t[n]
#pragma omp parallel for
    for (int i = 0; i < n; i++) ;
#pragma xmp barrier
    if (n)
#pragma xmp bcast (n)
    else
#pragma xmp task on p[0]
        n = 1;
#pragma omp target update to(n)
#pragma xmp tasks
    {
#pragma xmp task on p[1]
        n = 2;
    }
}
""",
    )
    assert [d.name for d in unit.directives] == "nodes align loop parallel barrier bcast task target tasks task".split()
    bound = {d.directive.name: type(d.statement).__name__ for d in nodes(unit, syntax.DirectiveStatement)}
    assert bound == {"loop": "DirectiveStatement", "parallel": "For", "task": "ExpressionStatement", "tasks": "Compound"}
    assert unit.directives[0].scope.kind == "file"
    assert unit.directives[0].parent is unit
    choice = nodes(unit, syntax.If)[0]
    assert isinstance(choice.then, syntax.Directive)
    assert isinstance(choice.otherwise, syntax.DirectiveStatement)


def test_expressions_in_directives(tmp_path):
    unit = unit_of(tmp_path, "int n;\nvoid f(void) { double n;\n#pragma xmp loop on t[n + 1]\n{ char n; } }\nfloat later;\n")
    directive = unit.directives[0]
    begin = directive.first + 5
    assert unit.tokens[begin].text == "n"
    expression = parse_expression(unit, begin, begin + 3, directive.scope)
    assert (expression.text(), types.render(expression.type)) == ("n + 1", "double")
    with pytest.raises(InvalidSyntax):
        parse_expression(unit, begin, begin + 2, directive.scope)


def test_parents_and_ancestors(tmp_path):
    unit = unit_of(tmp_path, "void f(int n) { while (n) { if (n) n--; } }\n")
    names = [type(node).__name__ for node in nodes(unit, syntax.Postfix)[0].ancestors()]
    assert names == ["ExpressionStatement", "If", "Compound", "While", "Compound", "FunctionDefinition", "TranslationUnit"]
    for node in unit.walk():
        for child in node.children():
            assert child.parent is node
            assert node.first <= child.first
            assert child.last <= node.last


GNU = """
typedef int number; extern int printf(const char *, ...) __attribute__((format(printf, 1, 2)));
static inline __attribute__((always_inline)) int square(int x) { return x * x; }
int old(a, b) int a; double *b; { return a + *b; }
main() { return 0; }
struct list { struct list *next; unsigned flag : 1, : 2; union { int i; float f; }; number tail[]; } __attribute__((packed));
enum { A, B = A + 3, C, };
int values[] = { [0 ... 3] = 1, [A] = 2, }; struct list head = { .next = 0, flag: 1 };
_Static_assert(sizeof(int) == 4, "int"); asm(".globl nothing"); ;
_Thread_local int local; _Alignas(16) static double wide[4]; _Atomic(int) counter; _Noreturn void stop(void);
void *labels(int n) {
    __label__ out; number number = 3; static void *table[] = { &&first, &&out };
    int inner(int k) { return k + n; }
    goto *table[n];
first: switch (n) { case 1 ... 5: n = inner(n); break; case 7: default: ; }
    do { int x = ({ int y = n; y + number; }); n += x ?: 1; } while (0);
    for (;;) { if (n) continue; else break; }
    __extension__ int z = (int){3}; asm volatile ("nop" : "=r"(z) : "r"(n) : "memory");
    __auto_type w = z * 2.0; typeof(w) *pw = &w; __typeof__(int[3]) three;
    int length = __builtin_offsetof(struct list, tail[2]); double vla[n][length]; sizeof vla[0];
    void (*handler)(int) = 0, (*more[2])(void); (*handler)(z); (void)(number)+z; (number)-1;
out: return (struct list[]){{0}} + 0 == 0 ? 0 : table[0];
}
"""


def test_gnu_c(tmp_path):
    unit = unit_of(tmp_path, GNU)
    assert [item.declarator.name for item in unit.items if isinstance(item, syntax.FunctionDefinition)] == [
        "square",
        "old",
        "main",
        "labels",
    ]
    assert unit.scope.lookup("C").value == 4
    old = next(item for item in unit.items if isinstance(item, syntax.FunctionDefinition) and item.declarator.name == "old")
    assert [types.render(p.type, p.name) for p in old.declarator.type.parameters] == ["int a", "double *b"]
    assert types.render(named(unit, "w")[0].type) == "__auto_type"
    assert types.render(types.resolve(named(unit, "w")[0].type)) == "double"
    assert all(node.declaration is not None for node in nodes(unit, syntax.Identifier) if node.name not in ("first", "out"))


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [("int a;\nint b = ;\n", 2, 9), ("void f(void) { a b; }\n", 1, 18),
     ("#define M(x) x\nint f(void) { return M(1 +); }\n", 2, 28),
     ("int f(void) {\n", 1, 13)],
)  # fmt: skip
def test_errors_have_places_and_gccs_words(tmp_path, text, line, column):
    with pytest.raises(InvalidSyntax) as failure:
        unit_of(tmp_path, text)
    error = failure.value
    assert (error.file, error.line, error.column) == (str(tmp_path / "program.c"), line, column)
    assert f"{tmp_path}/program.c:{line}:" in error.compiler_output or column == 13
    assert "error:" in error.compiler_output


def test_errors_in_xmp_syntax_are_ours(tmp_path):
    with pytest.raises(InvalidSyntax) as failure:
        unit_of(tmp_path, "int a[4], b;\nvoid f(void) {\n  a[0:2] = 1;\n  a[1:2:3:4] = 1;\n}\n")
    assert (failure.value.line, failure.value.compiler_output) == (4, None) or "4" in str(failure.value)
    assert "']' is expected" in failure.value.message


def test_directive_without_its_statement(tmp_path):
    with pytest.raises(InvalidSyntax, match="statement is expected after '#pragma xmp loop'"):
        unit_of(tmp_path, "void f(void) {\n#pragma xmp loop on t[i]\n}\n")


def test_errors_beside_intrinsics_are_those_of_the_file(tmp_path):
    """gcc judges with the user's options: without them hundreds of functions in its own headers are wrong."""
    text = "#include <immintrin.h>\nint main(void) {\n  __m256d a = _mm256_set1_pd(1.0);\n  int b = ;\n}\n"
    with pytest.raises(InvalidSyntax) as failure:
        unit_of(tmp_path, text, options=["-mavx2"])
    assert failure.value.compiler_output.count("error:") == 1
    assert f"{tmp_path}/program.c:4:11: error: " in failure.value.compiler_output


STANDARD_ATTRIBUTES = """[[maybe_unused]] static int one;
struct [[deprecated]] s { int a; [[maybe_unused]] int b; };
enum e { A [[deprecated]] = 1, B };
int h [[gnu::pure]] (int x) { return x; }
int list [[gnu::aligned(8)]] [4] [[maybe_unused]];
void *g([[maybe_unused]] int a, int [[maybe_unused]] *b) {
    switch (a) { case 1: a++; [[fallthrough]]; default: a--; }
    for ([[maybe_unused]] int i = 1'000; i < 0b1'0; i++) if (a) [[likely]] a = 1;
    here: [[maybe_unused]] int z = list[list[0]];
    return 0;
}
"""


def test_attributes_of_c23(tmp_path):
    unit = unit_of(tmp_path, STANDARD_ATTRIBUTES)
    assert [item.declarator.name for item in unit.items if isinstance(item, syntax.FunctionDefinition)] == ["h", "g"]
    declared = {declarator.name: declarator for declarator in nodes(unit, syntax.Declarator)}
    assert types.render(declared["list"].type, "list") == "int list[4]"
    assert types.render(declared["z"].type) == "int"
    assert unit.scope.lookup("B").value == 2
    assert unit.tokens[declared["one"].parent.first].text == "["
