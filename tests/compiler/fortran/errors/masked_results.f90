module m
  integer, parameter :: n = 8
!$xmp nodes p(*)
!$xmp template t(n)
!$xmp distribute t(block) onto p
contains
  function f(a) result(r)
    real, intent(in) :: a(n)
    real :: r(n)
!$xmp align (i) with t(i) :: a, r
    integer :: i
!$xmp loop on t(i)
    do i = 1, n
      r(i) = a(i) + 1
    end do
  end function
end module
program main  ! a result lives in a BLOCK around the construct, so it is there before its first statement
  use m
  real :: u(n), v(n)
!$xmp align (i) with t(i) :: u, v
  integer :: i, j
  v = 0
!$xmp array on t
  where (f(v) > 3)
    u = f(v)
  elsewhere (f(u) > 1)
    u = 2 * f(u)
  end where
!$xmp array on t
  forall (i = 1:n) u(i) = sum(f(v))
!$xmp loop on t(i)
  do i = 1, n
    do j = 1, int(sum(f(u)))
      u(i) = u(i) + 1
    end do
  end do
end program
