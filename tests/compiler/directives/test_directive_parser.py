"""The directive language alone: every directive, both brackets, both languages."""

import pytest
from kumihimo.compiler.directives import tree
from kumihimo.compiler.directives.parser import DirectiveError, parse
from kumihimo.compiler.directives.words import added, negated, parenthesised, plus, section_end, words_of


def one(text, language="C"):
    (directive,) = parse(words_of(text), language)
    return directive


def test_nodes():
    p, q, r, s = one("nodes p[*], q(4,*), r[8]=p[2:8:2], s[2]=*").declarations
    assert (p.name, p.bracket, p.sizes, p.of) == ("p", "[", [None], None)
    assert q.bracket == "(" and q.sizes[0].text == "4" and q.sizes[1] is None
    subscript = r.of.subscripts[0]
    assert (subscript.kind, subscript.first.text, subscript.last.text, subscript.step.text) == (tree.RANGE, "2", "16", "2")
    assert s.of.name == "*"


def test_triplets_depend_on_the_bracket():
    """[base:length:step], (first:last:step): GEN-02."""
    square = one("barrier on p[n:4]").on.subscripts[0]
    round_ = one("barrier on p(n:4)").on.subscripts[0]
    assert square.last.text == "n + 3"
    assert round_.last.text == "4"
    kinds = [s.kind for s in one("barrier on t[:][*][i + 1][:n][k:]").on.subscripts]
    assert kinds == [tree.ALL, tree.OWN, tree.SCALAR, tree.RANGE, tree.RANGE]


def test_question_marks_keep_their_colon():
    assert one("barrier on p[a ? b : c]").on.subscripts[0].first.text == "a ? b : c"


def test_template_and_distribute():
    t, u, v = one("template t(0:N-1, M), u[:][:], v[N]").declarations
    assert [(str(low), str(high)) for low, high in t.bounds] == [("0", "N-1"), ("None", "M")]
    assert u.bounds == [None, None]
    assert v.bounds[0][0] is None and v.bounds[0][1].text == "N"
    for text in ("distribute t(*, block(4), cyclic, gblock(m)) onto p", "distribute t[*][block(4)][cyclic][gblock(m)] onto p"):
        formats = one(text).formats
        assert [f.kind for f in formats] == ["*", "block", "cyclic", "gblock"]
        assert [str(f.argument) for f in formats] == ["None", "4", "None", "m"]


def test_template_fix():
    fix = one("template_fix[gblock(M), block] t[N][2]")
    assert [f.kind for f in fix.formats] == ["gblock", "block"] and len(fix.bounds) == 2
    assert one("template_fix (block) t").bounds is None


def test_align():
    align = one("align a[i][*][:] with t(j, i+1, *, :, i - off, 2 + i)".replace("j, ", ""))
    assert [s.kind for s in align.sources] == ["i", "*", ":"]
    assert [(s.kind, s.offset) for s in align.subscripts] == [("i", "1"), ("*", "0"), (":", "0"), ("i", "-off"), ("i", "2")]


def test_combined():
    directives = parse(words_of("align [i] with t(i), shadow[1:2] :: a, b"), "C")
    assert [(d.kind, d.array.text) for d in directives] == [("align", "a"), ("shadow", "a"), ("align", "b"), ("shadow", "b")]
    template, distribute = parse(words_of("template, distribute(block) onto p :: t(100)"), "Fortran")
    assert (template.kind, distribute.kind) == ("template", "distribute")
    (nodes,) = parse(words_of("nodes, dimension(4,4) :: p"), "Fortran")
    assert len(nodes.declarations[0].sizes) == 2
    first, second, third = parse(words_of("dimension[*][2], nodes :: p, q(3), r = p[0:2][*]"), "C")
    assert [len(d.declarations[0].sizes) for d in (first, second, third)] == [2, 1, 2]
    assert first.declarations[0].sizes[0] is None and third.declarations[0].of.name == "p"
    directives = parse(words_of("template, dimension(0:9), distribute[cyclic] onto p :: s, t[20]"), "C")
    assert [d.kind for d in directives] == ["template", "distribute"] * 2
    assert [len(d.declarations[0].bounds) for d in directives[::2]] == [1, 1]


def test_loop():
    loop = one("loop (j,i) on t[j-1][i] expand(/unbound/1:2, 0) reduction(+:s,t) reduction(firstmax:a/i,j/)")
    assert [w.text for w in loop.indices] == ["j", "i"]
    assert loop.expand[0].modifier == "unbound" and loop.expand[0].upper.text == "2"
    assert [c.operator for c in loop.reductions] == ["+", "firstmax"]
    assert [e.text for e in loop.reductions[1].specs[0].locations] == ["i", "j"]
    peel = one("loop on t(i) peel_and_wait(3, -1, -1)").peel
    assert peel[0].text == "3" and len(peel[1]) == 2


def test_communication():
    reflect = one("reflect (u, v) width(/periodic/1, 0:2) orthogonal async(3)")
    assert [w.text for w in reflect.arrays] == ["u", "v"] and reflect.orthogonal
    assert reflect.widths[0].modifier == "periodic" and reflect.async_id.text == "3"
    bcast = one("bcast (x, y) from p[k-1] on p[:] async(1)")
    assert len(bcast.variables) == 2 and bcast.source.name == bcast.on.name == "p"
    assert one("reduction(&&:ok) on t[:][*]").operator == "&&"
    assert len(one("wait_async (1, 2) on p").ids) == 2
    assert one("gmove in async(2)").mode == "in"
    assert one("task on p[0] nocomm").nocomm


def test_local_view():
    assert one("post(p[1], 3)").tag.text == "3"
    assert one("wait").node is None
    assert one("lock(l:[1]) acquired_lock(ok) stat(st)").variable.text == "l:[1]"
    assert [w.text for w in one("coarray a:[*], b:[2][*]").names] == ["a", "b"]
    assert one("local_alias b => a", "Fortran").array.text == "a"
    assert one("master_io end", "Fortran").what == one("end master_io", "Fortran").what == "master_io"
    assert one("global_io begin direct", "Fortran").access == "direct" and one("global_io", "Fortran").access == "collective"
    assert one("global_io end", "Fortran").what == one("end global io", "Fortran").what == "global_io"
    assert one("file_sync_all (unit=n + 1)", "Fortran").unit.text == one("file_sync_all(n + 1)", "Fortran").unit.text == "n + 1"


def test_fortran_is_case_insensitive():
    loop = one("LOOP (I) ON T(I) REDUCTION(.AND.:OK)", "Fortran")
    assert loop.kind == "loop" and loop.reductions[0].operator == ".and."
    assert one("END TASK", "Fortran").what == "task"
    with pytest.raises(DirectiveError):
        parse(words_of("LOOP on t(i)"), "C")
    with pytest.raises(DirectiveError):
        parse(words_of("nodes p[4]"), "Fortran")


@pytest.mark.parametrize(
    "text, code, column, help_",
    [
        ("lop on t[i]", "XMP-E101", 1, "did you mean 'loop'?"),
        ("loop on t[i] reducton(+:s)", "XMP-E102", 14, "did you mean 'reduction'?"),
        ("distribute t[blok] onto p", "XMP-E102", 14, "did you mean 'block'?"),
        ("nodes p 4", "XMP-E103", 9, None),
        ("shadow a[1", "XMP-E103", 11, None),
        ("reduction(firstmax:x)", "XMP-E102", 11, None),
        ("template, template :: t(3)", "XMP-E102", 11, None),
        ("nodes, align [i] with t[i] :: a", "XMP-E102", 8, None),
        ("distribute (block) onto p, shadow [1] :: t", "XMP-E102", 28, None),
        ("shadow [1], dimension [4] :: a", "XMP-E102", 13, None),
    ],
)
def test_errors(text, code, column, help_):
    with pytest.raises(DirectiveError) as caught:
        parse(words_of(text))
    assert (caught.value.code, caught.value.word.column) == (code, column)
    assert help_ is None or caught.value.help == help_


def test_arithmetic_on_text():
    assert plus("N", -1) == "N - 1"
    assert plus("N - 1", -1) == "(N - 1) - 1"
    assert plus("4", -1) == "3"
    assert plus("f(x)", 1) == "f(x) + 1"
    assert added("a", "-2") == "a - 2"
    assert negated("a + b") == "-(a + b)"
    assert parenthesised("(a)(b)") in ("((a)(b))", "(a)(b)")
    assert section_end("1", "4", "2") == "7"
    assert section_end("b", "n", "s") == "b + (n - 1) * s"
