program vectors
  integer, parameter :: n = 8
  integer :: u(n), v(n), idx(n), w(n)
!$xmp nodes p(*)
!$xmp template t(n)
!$xmp distribute t(block) onto p
!$xmp align (i) with t(i) :: u, v
!$xmp array on t(2:n)
  u(2:n) = v(idx(2:n))
!$xmp array on t(2:n)
  u(2:n) = w([1, 2, 3, 4, 5, 6, 7])
!$xmp array on t(2:n)
  u(2:n) = v(3:n + 1)
!$xmp array on t(2:n)
  u(2:n) = w(2:n) + w(9)
end program
