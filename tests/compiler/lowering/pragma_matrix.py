"""A program that has every form of distributed loop with every pragma of OpenMP and gcc, before or behind the directive."""

import itertools
import re

HEAD = """\
#include <stdio.h>
#define N 53
#define M 19
#define K 3
static int sizes[] = {31, 22, 0, 0, 0, 0, 0};
#pragma xmp nodes p[*]
#pragma xmp nodes q[1][*]
#pragma xmp template tb[N], tg[N], tc[N], t4[N], t9[N], u[M][N], v[M][N], w[M][N]
#pragma xmp distribute tb[block] onto p
#pragma xmp distribute tg[gblock(sizes)] onto p
#pragma xmp distribute tc[cyclic] onto p
#pragma xmp distribute t4[cyclic(4)] onto p
#pragma xmp distribute t9[cyclic(9)] onto p
#pragma xmp distribute u[block][block] onto q
#pragma xmp distribute v[cyclic(2)][cyclic(3)] onto q
#pragma xmp distribute w[*][cyclic] onto p
static long sum;
static int i, master;
"""
ARRAYS = """\
static long A_{t}{sizes}, B_{t}{sizes};
#pragma xmp align A_{t}{indices} with {t}{indices}
#pragma xmp align B_{t}{indices} with {t}{indices}
#pragma xmp shadow A_{t}{shadow}
#pragma xmp shadow B_{t}{shadow}
static void fill_{t}(void) {{
#pragma xmp loop {on}
    {headers} A_{t}{indices} = -i, B_{t}{indices} = i * i % 41 + {indices_sum};
    {reflect}
    sum = 0;
}}
static void add_{t}(long *here) {{
#pragma xmp loop {on}
    {headers} *here += A_{t}{indices} * (({indices_sum}) * 5L % 17 + 1);
}}
"""
MAIN = """\
static const char *const names[] = {{
{names}
}};
int main(void) {{
    long found[{count}] = {{0}}, sums[{count}];
{calls}
#pragma xmp reduction(+:found)
#pragma xmp task on p[0]
    master = 1;
    for (int k = 0; master && k < {count}; k++) printf("%s: %ld %ld\\n", names[k], found[k], sums[k]);
    return 0;
}}
"""

# layout -> (indices and template of the directive, sizes, subscripts, their sum, widths of the shadow)
LINES = {t: (f"on {t}[i]", "[N]", "[i]", "i", "[1]" if t in ("tb", "tg") else "[0]") for t in ("tb", "tg", "tc", "t4", "t9")}
TABLES = {
    "u": ("(j, i) on u[j][i]", "[M][N]", "[j][i]", "i + j", "[1][1]"),
    "v": ("(j, i) on v[j][i]", "[M][N]", "[j][i]", "i + j", "[0][0]"),
    "w": ("(i) on w[:][i]", "[M][N]", "[j][i]", "i + j", "[0][0]"),
}
WHOLE = {1: "for (int i = 0; i < N; i++)", 2: "for (int j = 0; j < M; j++) for (int i = 0; i < N; i++)"}
# what a loop does -> (its headers, its body)
LINE_LOOPS = {
    "values": ("for (int i = 1; i < N - 1; i++)", "A[i] = B[i] + K * i;"),
    "positions": ("for (int i = 0; i != N; i++)", "A[i] = 2 * B[i] + K;"),
    "copy": ("for (i = 0; i < N; ++i)", "A[i] = B[i];"),
    "steps": ("for (int i = 2; i <= N - 2; i += 3)", "A[i] = 2 * B[i] + i;"),
    "downwards": ("for (i = N - 1; i >= 0; i--)", "A[i] = B[i] - i;"),
    "unsigned": ("for (unsigned i = 3; i < N; i++)", "A[i] = B[i] + K * (int)i;"),
    "sum": ("for (int i = 0; i < N; i++)", "sum += B[i] * (K + i);"),
    "sum of steps": ("for (int i = N - 2; i > 0; i -= 4)", "sum += K * i;"),
}
TABLE_LOOPS = {
    "values": ("for (int j = 1; j < M; j++)", "for (int i = 0; i < N - 1; i++)", "A[j][i] = B[j][i] + j - K * i;"),
    "copy": ("for (int j = 0; j < M; j++)", "for (int i = 0; i < N; i++)", "A[j][i] = B[j][i];"),
    "steps": ("for (int j = 0; j < M; j += 2)", "for (i = N - 1; i >= 0; i -= 2)", "A[j][i] = B[j][i] * K + i;"),
    "sum": ("for (int j = M - 1; j >= 0; j--)", "for (int i = 0; i < N; i++)", "sum += B[j][i] * (j + i + K);"),
}
WIDENED = {"tb": "expand(1)", "tg": "margin(1)", "u": "expand(1, 1)"}

# Lines of pragmas; {} is where OpenMP's reduction clause stands.
PRAGMAS = ("omp parallel for{}", "omp simd{}", "omp parallel\nomp for schedule(static, 2){}", "GCC ivdep", "GCC unroll 3")
COLLAPSING = (
    "omp parallel for collapse(2){}",
    "omp simd collapse(2){}",
    "omp parallel default(none) shared(A, B, sum)\nomp for collapse(2){}",
)
INNER = ("omp simd{}", "GCC unroll 2")


def program():
    """The text; it prints one line for each case."""
    cases = [case for loops in (_loops(LINES, LINE_LOOPS), _loops(TABLES, TABLE_LOOPS)) for case in loops]
    layouts = {**LINES, **TABLES}
    texts = [HEAD, *(_arrays(t, *layout) for t, layout in layouts.items())]
    texts += [f"static void case{k}(void) {{\n    {text}\n}}\n" for k, (_, _, text) in enumerate(cases)]
    calls = [f"    fill_{t}(), case{k}(), add_{t}(&found[{k}]), sums[{k}] = sum;" for k, (t, _, _) in enumerate(cases)]
    names = [f'    "{name}",' for _, name, _ in cases]
    return "".join([*texts, MAIN.format(names="\n".join(names), count=len(cases), calls="\n".join(calls))])


def _arrays(t, on, sizes, indices, indices_sum, shadow):
    headers, reflect = WHOLE[shadow.count("[")], f"\n#pragma xmp reflect (A_{t}, B_{t})\n" if "1" in shadow else ""
    named = dict(t=t, on=on, sizes=sizes, indices=indices, indices_sum=indices_sum, shadow=shadow)
    return ARRAYS.format(headers=headers, reflect=reflect, **named)


def _loops(layouts, loops):
    """(layout, name, text) of each case. The order of pragma and directive alternates."""
    before = itertools.cycle((False, True))
    for t, (on, *_) in layouts.items():
        for what, (*headers, body) in loops.items():
            clause = " reduction(+:sum)" if body.startswith("sum") else ""
            pragmas = PRAGMAS if len(headers) == 1 else (*PRAGMAS, *COLLAPSING)
            for pragma in pragmas:
                yield _case(t, what, _chain(on + clause, pragma, clause, next(before)), [*headers, body])
                if what == "values" and t in WIDENED:  # a margin alone would not be all iterations
                    whole = [f"#pragma xmp loop {on}", *headers, body]
                    yield _case(t, what, [*whole, *_chain(f"{on} {WIDENED[t]}", pragma, "", next(before))], [*headers, body])
            next(before)
            for pragma in INNER if len(headers) == 2 else ():
                inner = _pragmas(pragma, clause)
                yield _case(t, what, [f"#pragma xmp loop {on}{clause}"], [headers[0], *inner, headers[1], body], inner)


def _pragmas(pragma, clause):
    return [f"#pragma {line}" for line in pragma.format(clause).split("\n")]


def _chain(directive, pragma, clause, before):
    """Lines before the loop."""
    pragmas, loop = _pragmas(pragma, clause), [f"#pragma xmp loop {directive}"]
    return [*pragmas, *loop] if before else [*loop, *pragmas]


def _case(t, what, chain, lines, inside=()):
    said = "; ".join(line.replace("#pragma ", "") for line in (*chain, *inside))
    return t, f"{what}, {said}".replace(":", " "), re.sub(r"\b([AB])\b", rf"\1_{t}", "\n".join([*chain, *lines]))
