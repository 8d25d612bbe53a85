"""Input and output statements taken apart."""

import pytest
from kumihimo.compiler.fortran.reading.io_statements import ImpliedDo, io_statement
from kumihimo.compiler.fortran.reading.lines import Source, statements_of
from kumihimo.compiler.fortran.reading.scopes import Scopes
from kumihimo.compiler.fortran.reading.units import File

MODULE = "module m\ninteger :: a, b\nnamelist /g/ a, b /h/ b\nend module\n"


def read(text):
    source = Source("t.f90", f"{MODULE}program p\nuse m, k => h\n{text}\nend program\n", False, None)
    file = File(source, list(statements_of(source)))
    item = file.items[-2]
    return io_statement(item.words, Scopes(file, lambda name: None).of(file.units[-1]))


def texts(parts):
    """Items, or words, as nested lists of texts."""
    if isinstance(parts, ImpliedDo):
        control = [" ".join(word.text for word in words) for words in parts.control]
        return [[texts(item) for item in parts.items], parts.variable.text, control]
    return " ".join(word.text for word in parts.words)


@pytest.mark.parametrize(
    ("text", "kind", "specifiers", "items"),
    [
        ("write (10, *) a, b(3)", "write", "unit=10 fmt=*", ["a", "b ( 3 )"]),
        ("WRITE (unit=u(1, 2), FMT='(i3)', iostat = k) (a)", "write", "unit=u ( 1 , 2 ) fmt='(i3)' iostat=k", ["( a )"]),
        ("write (10, '(a)'), 'x, y'", "write", "unit=10 fmt='(a)'", ["'x, y'"]),
        ("write (10) (a(i), b, i = 1, n, 2)", "write", "unit=10", [[["a ( i )", "b"], "i", ["1", "n", "2"]]]),
        ("read (10) ((c(i, j), i=1,n), j=1, m)", "read", "unit=10", [[[[["c ( i , j )"], "i", ["1", "n"]]], "j", ["1", "m"]]]),
        ("write (6, *) (1, 2), (x)", "write", "unit=6 fmt=*", ["( 1 , 2 )", "( x )"]),
        ("read *, a", "read", "fmt=*", ["a"]),
        ("read (form), a", "read", "fmt=( form )", ["a"]),
        ("read (5, *), a", "read", "unit=5 fmt=*", ["a"]),
        ("print 100", "print", "fmt=100", []),
        ("print ('(i3)'), a", "print", "fmt=( '(i3)' )", ["a"]),
        ("read (10, g)", "read", "unit=10 nml=g", []),
        ("write (*, nml=k)", "write", "unit=* nml=k", []),
        ("read (10, h)", "read", "unit=10 fmt=h", []),
        ("rewind 10", "rewind", "unit=10", []),
        ("end file (unit=10, err=9)", "endfile", "unit=10 err=9", []),
        ("endfile k", "endfile", "unit=k", []),
        ("inquire (iolength=n) a, b", "inquire", "iolength=n", ["a", "b"]),
        ("open (10, file='x', newunit = k)", "open", "unit=10 file='x' newunit=k", []),
    ],
)
def test_statements(text, kind, specifiers, items):
    found = read(text)
    assert found.kind == kind
    assert " ".join(f"{one.name}={texts(one)}" for one in found.specifiers) == specifiers
    assert [texts(item) for item in found.items] == items


@pytest.mark.parametrize("text", ["write(10) = 3", "print = 4", "read%x = 1", "call print(x)", "backspace(3) = 1"])
def test_other_statements(text):
    assert read(text) is None


def test_namelists():
    source = Source("t.f90", MODULE, False, None)
    file = File(source, list(statements_of(source)))
    groups = Scopes(file, lambda name: None).of(file.units[0]).namelists
    assert {name: [word.text for word in words] for name, words in groups.items()} == {"g": ["a", "b"], "h": ["b"]}
