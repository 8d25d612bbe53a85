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


SECTIONS = """subroutine caller(k)
  real :: u(9, 0:3, 5), c(9, 4)
!$xmp nodes p(*)
!$xmp template t(9)
!$xmp distribute t(block) onto p
!$xmp template r(9)
!$xmp distribute r(cyclic) onto p
!$xmp align u(i, *, *) with t(i)
!$xmp align c(i, *) with r(i)
  call {call}
contains
  subroutine plane(x)
    real :: x(9, 0:3)
!$xmp align x(i, *) with t(i)
    x = 0
  end subroutine
end subroutine
"""


@pytest.mark.parametrize(
    "call, expected",
    [
        ("other(u(:, :, k))", None),
        ("other(u(:, k, 3))", None),
        ("other(c(:, k))", None),  # the part that this node has, whatever its distribution
        ("plane(u(:, :, k))", None),
        ("plane(u(1, 0, k))", "plane(u(:, :, k))"),
        ("plane(u(1, 0, 1))", "plane(u(:, :, 1))"),
        ("plane(u(1, 1, k))", None),
    ],
)
def test_sections(call, expected):
    result = translate_text("a.f90", SECTIONS.format(call=call))
    assert result.ok, result.diagnostics
    assert f"  call {expected or call}" in result.text.splitlines()


@pytest.mark.parametrize("call", ["other(u(:, k, :))", "other(u(2:9, :, k))", "other(u(k, :, :) + 1)", "other(2 * u(:, k, 1))"])
def test_sections_that_are_no_part_of_each_node(call):
    result = translate_text("a.f90", SECTIONS.format(call=call))
    assert result.ok == call.startswith("other(u(k"), result.diagnostics
