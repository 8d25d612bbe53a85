"""Which loops the compiler is told to have no dependence between their iterations: those with `! independent` behind the do
statement, and no others."""

from kumihimo.compiler.fortran.translate import translate_text

PROGRAM = """\
program dependence
  implicit none
  integer, parameter :: n = 24
  real :: u(n, n), v(n, n), w(n), plain(n, n), total, s, halved(n)
  real, target :: seen(n, n)
  real, pointer :: to(:, :)
  integer :: i, j, where_(n)
  equivalence (halved, plain)
  external outside
  real outside
!$xmp nodes p(*)
!$xmp template t(n)
!$xmp distribute t(block) onto p
!$xmp align (*, j) with t(j) :: u, v, seen
!$xmp align w(j) with t(j)
!$xmp shadow v(0, 1)
  total = 0
  s = 1
  to => plain_target()
  where_ = 1
  do j = 1, n ! no directive
    w(1) = j
  end do
!$xmp loop on t(j)
  do j = 1, n
    do i = 2, n - 1 ! independent
      u(i, j) = v(i, j - 1) + v(i + 1, j) * sqrt(s)
    end do
    do i = 2, n ! one element after the other
      u(i, j) = u(i - 1, j) + v(i, j)
    end do
    do i = 1, n ! independent
      total = v(i, j) * 2
      if (i > 2) then
        u(i, j) = total
      else if (i < 2) then
        u(i, j) = -total
      end if
    end do
    do i = 1, n ! the scalar of the iteration before
      u(i, j) = total
      total = v(i, j)
    end do
    do i = 1, n ! the scalar of an earlier iteration, perhaps
      if (i > 3) total = v(i, j)
      u(i, j) = total
    end do
    do i = 1, n ! a sum
      total = total + v(i, j)
      u(i, j) = v(i, j)
    end do
    do i = 1, n ! one element for all
      u(1, j) = v(i, j)
    end do
    do i = 1, n ! elements that are not told apart
      u(where_(i), j) = v(i, j)
    end do
    do i = 1, n ! a function that may do anything
      u(i, j) = v(i, j) + outside(s)
    end do
    do i = 1, n ! what a pointer may show
      seen(i, j) = v(i, j)
    end do
    do i = 1, n ! a pointer
      u(i, j) = to(i, j)
    end do
    do i = 1, n ! memory with two names
      plain(i, j) = halved(i) + u(i, j)
    end do
    do i = 1, n; u(i, j) = v(i, j); end do ! independent
  end do
!$xmp loop on t(j)
  do j = 1, n ! independent
    if (j > 1) w(j) = v(1, j)
  end do
!$omp parallel do
!$xmp loop on t(j)
  do j = 1, n
    do i = 1, n ! threads have the iterations of the loop around
      u(i, j) = v(i, j)
    end do
  end do
contains
  function plain_target()
    real, pointer :: plain_target(:, :)
    allocate (plain_target(n, n), source=0.0)
  end function
end program
real function outside(x)
  real :: x
  outside = x
end function
"""


def test_independent_loops():
    lines = translate_text("dependence.f90", PROGRAM).text.splitlines()
    lines = [line for line in lines if not line.startswith("# ")]
    told = [after for line, after in zip(lines, lines[1:]) if line == "!GCC$ ivdep"]
    assert told == [line for line in lines if line.endswith("! independent")]
    assert len(told) == PROGRAM.count("! independent")
