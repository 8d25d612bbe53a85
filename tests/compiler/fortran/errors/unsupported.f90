program unsupported
  implicit none
  integer, parameter :: n = 8
  real :: u(n), v(n, n), w(n), wide(n), x = 0
  real, allocatable :: later(:)
  integer :: i, j, at, width
!$xmp nodes p(*)
!$xmp template t(n)
!$xmp template c(n)
!$xmp template d(:)
!$xmp distribute t(block) onto p
!$xmp distribute c(cyclic) onto p
!$xmp align u(i) with t(i)
!$xmp align later(i) with t(i)
  u(1) = 0
contains
  subroutine inner()
!$xmp barrier
  end subroutine
end program
