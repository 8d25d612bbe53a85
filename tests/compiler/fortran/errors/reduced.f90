program reduced  ! functions that take an array as a whole would get this node's part (7.7)
  implicit none
  integer, parameter :: n = 8
  real :: u(n), v(n, n), w(n), x
!$xmp nodes p(*)
!$xmp template t(n)
!$xmp distribute t(block) onto p
!$xmp align u(i) with t(i)
!$xmp align v(*, i) with t(i)
  x = sum(u) + maxval(abs(v))
  w = cshift(u(2:), 1)
  if (any(u > 0)) x = size(u)
  x = sum(v(:, 3))  ! its owner has all of it
end program
