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
program main  ! a result lives in a BLOCK around the statement, which cannot stand in these constructs
  use m
  real :: u(n), v(n)
!$xmp align (i) with t(i) :: u, v
  v = 0
!$xmp array on t
  where (f(v) > 3)
    u = f(v)
  elsewhere (f(v) > 1)
    u = 2 * f(v)
  end where
end program
