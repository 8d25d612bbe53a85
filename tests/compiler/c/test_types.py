"""Types and constants of expressions, with gcc as the judge: every claim becomes a _Static_assert."""

import subprocess

import pytest
from kumihimo.compiler.c.reading import syntax, types
from support import nodes, unit_of

DECLARATIONS = """
#include <stddef.h>
#include <stdint.h>
#include <complex.h>
enum colour { RED, GREEN = 5, BLUE };
typedef struct cell { double mass; char name[3]; struct cell *next; union { int a; float b; }; int bits : 3; } cell;
typedef float row[7];
struct padded { char c; double d; short s; };
char c; signed char sc; unsigned char uc; short s; unsigned short us; int i; unsigned u; long l; unsigned long ul; long long ll;
unsigned long long ull; float f; double d; long double ld; _Bool b; float _Complex fc; double _Complex dc;
_Float128 q; __int128 w;
int8_t i8; uint64_t u64; size_t size; ptrdiff_t difference;
int a[3]; double m[4][5]; row rows[2]; const char *text; cell one, *several, table[3][2]; enum colour shade;
int (*pointer)(double, char); double (*pa)[5]; int function(int); char *(*lookup(int))[2]; void *v; const double cd;
"""

EXPRESSIONS = """
c + c | s + us | uc << l | -c | ~us | !d | i + u | u + l | ul + ll | l + ull | i * f | f * d | d + ld | i + fc | fc * d
dc / ld | q + ld | w + ul
b + b | i8 + i8 | u64 + i | size - 1 | shade + 1 | RED | GREEN + 1 | a[1] | m[1][2] | *m[1] | &a[1] | a + 1 | m + 1 | 1 + a
2[a] | rows[1][2] | *rows
several->mass | one.next->name[1] | table[1][0].mass | several + 2 | several - table[0] | &one | *several->next | one.a
one.b | text[0] | *text++
pointer(1, 2) | (*pointer)(1, 2) | function(1) | &function | lookup(1) | (*lookup(1))[0] | (*pa)[2] | pa + 1 | pa[1][2] | v
sizeof(int) | sizeof m
sizeof(struct padded) | _Alignof(double) | i ? i : d | i ? a : 0 | i ? v : a | i ? text : text | (c, d) | i = d | d += i
i++ | --f | (float)i | (char)300
1 | 1u | 1l | 1ul | 1ll | 0x7fffffff | 0x80000000 | 2147483648 | 0xffffffffffffffff | 1.0 | 1.f | 1.L | 1e3 | 0x1p3 | 0x1p3f
'a' | 1.0i | 2.0fi
__real__ dc | __imag__ fc | a == 0 | d < f | i && d | i || d | d != d | ({ double y = 2; y; }) | (int[]){1, 2}[0]
__builtin_offsetof(cell, mass)
_Generic(i, int: 1.0f, default: 1) | _Generic(d, int: 1.0f, default: 1) | cabs(dc) | creal(dc) | cexpf(fc)
offsetof(cell, next) | cd + 1 | &cd | u8"x"[0]
"abc"[1] | i % l | s >> 2 | 07 + 'c' | __builtin_inf() | __builtin_inff() | __builtin_fabs(d) | (i) | +s | -(i + 1u)
ul * 1.0f | i << ull | *"x" | **table
(cell *)0 | &table[1] | *&one.mass | one.name | ll ? 1 : 2u | !a | NULL | I * 2 | (row *)0 | sizeof(row)
(1 ? several : NULL)->mass | (NULL ? v : text)
"""  # noqa: E501


def expressions():
    return [e.strip() for line in EXPRESSIONS.strip().splitlines() for e in line.split(" | ")]


def test_types_are_gccs(tmp_path):
    every = expressions()
    text = DECLARATIONS + "void all(void) {\n" + "".join(f"    (void)({e});\n" for e in every) + "}\n"
    unit = unit_of(tmp_path, text)
    casts = [n.expression for n in nodes(unit, syntax.ExpressionStatement)]
    casts = [e for e in casts if isinstance(e, syntax.Cast) and types.render(e.type) == "void"]
    assert len(casts) == len(every)
    asserts = []
    for written, cast in zip(every, casts):
        name = types.render(types.decay(cast.operand.type))
        assert "?" not in name, f"{written} has no type"
        asserts.append(
            f"    _Static_assert(__builtin_types_compatible_p(__typeof__((void)0, ({written})), {name}), "
            + '"{}: {}");'.format(written.replace('"', "'"), name)
        )  # noqa: E501
    program = DECLARATIONS + "void all(void) {\n" + "\n".join(asserts) + "\n}\n"
    result = subprocess.run(["gcc", "-w", "-fsyntax-only", "-x", "c", "-"], input=program, capture_output=True, text=True)
    assert result.stderr == ""


CONSTANTS = """
1 + 2 * 3 | (7 - 9) / 2 | -7 % 3 | 1 << 10 | -1 >> 1 | 0x10 | 010 | 0b101 | 'a' | '\\n' | '\\x41' | '\\101' | 5 > 3 | 5 <= 3
!0 | ~0 | ~0u | 0u - 1
(unsigned char)300 | (signed char)200 | (_Bool)7 | 1 ? 2 : 3 | 0 ?: 4 | RED + BLUE | GREEN | sizeof(int) | sizeof(double[3])
sizeof(struct padded)
sizeof m | sizeof m[0] | sizeof rows | sizeof(union {int a; char b[9];}) | 1 && 0 | 0 || 3 | 4294967295u + 1 | 2147483647
10 % 3 | -(3) | +4 | 1ull << 40
sizeof(enum colour) | sizeof(a) / sizeof(a[0]) | 6 & 3 | 6 | 6 ^ 3 | 100 / 7 * 7 + 100 % 7 | sizeof(long double)
sizeof(float _Complex) | (3, 4) * 0 + 1
"""  # noqa: E501


def test_constants_are_gccs(tmp_path):
    every = [e.strip() for line in CONSTANTS.strip().splitlines() for e in line.split(" | ")]
    unit = unit_of(tmp_path, DECLARATIONS + "".join(f"long long k{n} = ({e});\n" for n, e in enumerate(every)))
    values = [item.declarators[0].initializer.constant() for item in unit.items[-len(every) :]]
    known = [(e, value) for e, value in zip(every, values) if value is not None]
    assert len(known) >= len(every) - 1  # the comma is no constant expression
    program = DECLARATIONS + "".join(f'_Static_assert(({e}) == ({v}), "{v}");\n' for e, v in known).replace('"-', '"')
    result = subprocess.run(["gcc", "-w", "-fsyntax-only", "-x", "c", "-"], input=program, capture_output=True, text=True)
    assert result.stderr == ""


@pytest.mark.parametrize("expression", ["n", "n + 1", "sizeof(struct unknown)", "1 / 0", "1.5", "f(3)", "sizeof(int[n])"])
def test_no_constant(tmp_path, expression):
    unit = unit_of(tmp_path, f"int n = 3; int f(int); void g(void) {{ long k = {expression}; }}\n")
    assert nodes(unit, syntax.Declaration)[-1].declarators[0].initializer.constant() is None


@pytest.mark.parametrize(
    ("declaration", "rendered"),
    [
        ("double u[N][M + 1]", "double u[4][5 + 1]"), ("int *p[3]", "int *p[3]"), ("int (*p)[3]", "int (*p)[3]"),
        ("char *(*f[2])(int, const char *, ...)", "char *(*f[2])(int, const char *, ...)"), ("struct s *x", "struct s *x"),
        ("const volatile int k", "const volatile int k"), ("unsigned long int z", "unsigned long z"),
        ("int *restrict *const q", "int *restrict *const q"), ("long double _Complex y", "long double _Complex y"),
        ("number w", "number w"), ("void (*signal(int, void (*)(int)))(int)", "void (*signal(int, void (*)(int)))(int)"),
    ],
)  # fmt: skip
def test_types_are_written_as_c(tmp_path, declaration, rendered):
    text = f"#define N 4\n#define M 5\ntypedef int number;\nextern {declaration};\n"
    declarator = unit_of(tmp_path, text).items[-1].declarators[0]
    assert types.render(declarator.type, declarator.name) == rendered


def test_array_shape_looks_through_typedefs(tmp_path):
    unit = unit_of(tmp_path, "typedef struct { int a; } thing;\ntypedef thing pair[2];\npair x[3][4];\n")
    dimensions, element = types.array_shape(unit.items[-1].declarators[0].type)
    assert [d.size.constant() for d in dimensions] == [3, 4, 2]
    assert types.render(element) == "thing"
    outer = dimensions[0]
    assert [unit.tokens[outer.first].text, unit.tokens[outer.last].text] == ["[", "]"]
