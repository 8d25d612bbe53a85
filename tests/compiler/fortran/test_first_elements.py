"""Which calls pass a whole global array by its first element, where the procedure stands in another file."""

import pytest
from kumihimo.compiler.fortran.translate import translate_text

PROGRAM = """subroutine caller(k)
  real :: u(0:8), plain(9)
  integer, parameter :: first = 0
!$xmp nodes p(*)
!$xmp template t(0:8)
!$xmp distribute t(block) onto p
!$xmp align u(i) with t(i)
!$xmp shadow u({shadow})
  {calls}
end subroutine
"""


@pytest.mark.parametrize(
    "calls, shadow, expected",
    [
        ("call other(u(0), 9)", "0", ["call other(u, 9)"]),
        ("call other(u(first)); call other(u)", "0:1", ["call other(u); call other(u)"]),
        ("call other(u(0))", "1", ["call other(u(0))"]),
        ("call other(u(1)); call other(u(k))", "0", ["call other(u(1)); call other(u(k))"]),
        ("call other(1, u(0)); call other(1, plain(1))", "0", ["call other(1, u(0)); call other(1, plain(1))"]),
        ("x = 1; entry; call other(u(0))", "0", ["x = 1; entry; call other(u)"]),  # the compiler says what is missing
        ("x = max(u(0), 1.0)", "0", ["x = max(u(0), 1.0)"]),
    ],
)
def test_first_element(calls, shadow, expected):
    result = translate_text("a.f90", PROGRAM.format(calls=calls, shadow=shadow))
    assert result.ok, result.diagnostics
    assert [line.strip() for line in result.text.splitlines() if "other(" in line or "max(" in line] == expected
