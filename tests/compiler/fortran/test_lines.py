"""Logical statements of free-form source, and what they are."""

import pytest
from kumihimo.compiler.fortran.reading.lexer import words_of
from kumihimo.compiler.fortran.reading.lines import Source, statements_of
from kumihimo.compiler.fortran.reading.statements import classify, targets
from kumihimo.compiler.fortran.writing.edits import Edits
from kumihimo.compiler.fortran.writing.saved import saved


def statements(text):
    return statements_of(Source("a.f90", text))


CONTINUED = "x = 1 + & ! one\n! between\n\n   & 2; s = 'it''s; !'\n  call f('a&\n  &b', \"c!\") ! end\n"


def test_continuations_comments_and_strings():
    found = statements(CONTINUED)
    assert [" ".join(s.text.split()) for s in found] == ["x = 1 + 2", "s = 'it''s; !'", "call f('ab', \"c!\")"]
    source = CONTINUED.split("\n")
    for statement in found:
        for character, (line, column) in zip(statement.text, statement.at):
            assert source[line][column] == character or (character, source[line][column]) == (" ", "&")


def test_sentinels():
    found = statements("!$XMP loop on t(i) &\n!$xmp & reduction(+:s)\n!$xmpish\n! $xmp no\n!$omp parallel\n!GCC$ ivdep\n")
    assert [(s.sentinel, " ".join(s.text.split())) for s in found] == [
        ("xmp", "loop on t(i) reduction(+:s)"),
        ("omp", "parallel"),
        ("gcc$", "ivdep"),
    ]


FIXED = """\
c$xmp loop (j) on t(j)
*$xmp& reduction(+:r)
* a comment
   10 if (a .gt. b)
     &   goto 20                                                        10
      s = 'it''s !' // 5hdon't ! end
\tx = 1
\t1  + 2
d     debug
      do30j=1,n
      integerx,y
   30 u(i,j)=do30j
      goto40
"""


def test_fixed_form():
    source = Source("a.f", FIXED, fixed=True)
    found = statements_of(source)
    assert [(s.sentinel, s.label, " ".join(s.text.split())) for s in found] == [
        ("xmp", None, "loop (j) on t(j) reduction(+:r)"),
        (None, "10", "if (a .gt. b) goto 20"),
        (None, None, "s = 'it''s !' // 5hdon't"),
        (None, None, "x = 1 + 2"),
        (None, None, "do30j=1,n"),
        (None, None, "integerx,y"),
        (None, "30", "u(i,j)=do30j"),
        (None, None, "goto40"),
    ]
    items = [classify(s, words_of(s, source), fixed=True) for s in found if s.sentinel is None]
    assert [item.kind for item in items] == ["execute", "assignment", "assignment", "do", "declaration", "assignment", "goto"]
    assert [word.text for word in items[3].words] == ["do", "30", "j", "=", "1", ",", "n"]
    assert items[5].label == "30"


def test_kinds():
    cases = {
        "do = 3": "assignment", "do i = 1, 3": "do", "10 do 20, k = 1, n": "do", "outer: do while (x)": "do",
        "real(8) x": "declaration",
        "real function f(x)": "function", "integer(kind=4) pure function f()": "function", "if (a) b = c": "execute",
        "if (a == 1) then": "if",
        "end": "end", "enddo": "end", "end file 3": "execute", "where (a > 0) a = 1": "execute", "where (a > 0)": "where",
        "a%b(3) = 4": "assignment",
        "type(t) :: x": "declaration", "type t": "typedefinition", "type, public :: t": "typedefinition",
        "go to 10": "goto", "call f": "call",
        "save": "specification", "p => q": "assignment", "block": "block", "block data": "blockdata",
        "select case (i)": "select", "if(i)=3": "assignment", "stop 1": "stop",
    }  # fmt: skip
    for text, kind in cases.items():
        (statement,) = statements(text)
        item = classify(statement, words_of(statement, Source("a.f90", text)))
        assert item.kind == kind, text


def test_words():
    (statement,) = statements("If (1.eq.I .And. x/=1.5D-3_dp) s = 'It''s'")
    words = words_of(statement, Source("a.f90", "If (1.eq.I .And. x/=1.5D-3_dp) s = 'It''s'"))
    assert [w.text for w in words] == ["if", "(", "1", ".eq.", "i", ".and.", "x", "/=", "1.5d-3_dp", ")", "s", "=", "'It''s'"]


def test_edits_across_lines():
    """What is replaced goes from all lines; the marks of continuation stay."""
    for text, fixed, expected in (
        ("x = f(a, b &\n  & + c, d)\n", False, "x = f(a, e&\n  &, d)\n"),
        ("      x = f(a, b\n     & + c, d)\n", True, "      x = f(a, e\n     &, d)\n"),
    ):
        source = Source("a.f", text, fixed)
        (statement,) = statements_of(source)
        words = words_of(statement, source)
        edits = Edits(source)
        edits.words(statement, words[6], words[8], "e")
        assert edits.result() == expected


def test_edits_to_the_end():
    """A statement that is replaced takes its marks of continuation with it."""
    source = Source("a.f90", "a; x = f(a, &\n  b &\n  & + c); y\n")
    statement = list(statements_of(source))[1]
    edits = Edits(source)
    edits.rest(statement, words_of(statement, source)[0], "call g; h")
    assert edits.result() == "a; call g; h\n\n      continue; y\n"


def test_two_texts_for_one_place():
    """Neither is lost without a word. The same text twice is one."""
    source = Source("a.f90", "!$xmp barrier\n")
    (statement,) = statements_of(source)
    edits = Edits(source)
    edits.statement(statement, "! a comment")
    edits.statement(statement, "! a comment")
    assert edits.result() == "! a comment\n"
    edits.statement(statement, "call f")
    with pytest.raises(AssertionError, match="'! a comment' and 'call f' in the place of one text"):
        edits.result()


def test_saved_form():
    line = "  call f('" + "x" * 60 + "; y', " + ", ".join(f"argument{n}" for n in range(12)) + "); y = 1; end block  ! why"
    text = saved(f'# 3 "a.f90"\n{line}\nshort; line')
    assert all(len(part) <= 132 for part in text.split("\n"))
    joined = "".join(part.strip().rstrip("&") if part.endswith("&") else part.strip() + "\n" for part in text.split("\n"))
    assert joined.split("\n")[0] == "! why"
    assert joined.split("\n")[1].replace(" ", "") == line.split("; y = 1")[0].replace(" ", "")
    assert joined.split("\n")[2:5] == ["y = 1", "end block", "short; line"]


OLD = """\
      call show(10hIt's (a; b, 5)
      real*8h(2)
  900 format (1h1, 2x, 5hDON'T, 3(i4, 2h M))
      if (x) 10, 20, 10
      go to (30, 40), k + 50
      call find(a, *60, 7 * 8)
"""


def test_texts_by_length_and_jumps_of_old_programs():
    source = Source("a.f", OLD, fixed=True)
    items = [classify(statement, words_of(statement, source), True) for statement in statements_of(source)]
    assert [word.text for word in items[0].words] == ["call", "show", "(", "10hIt's (a; b", ",", "5", ")"]
    assert [word.text for word in items[1].words] == ["real", "*", "8", "h", "(", "2", ")"]
    assert [word.text for word in items[2].words] == ["format"]
    assert [targets(item) for item in items[3:]] == [["10", "20", "10"], ["30", "40"], ["60"]]
