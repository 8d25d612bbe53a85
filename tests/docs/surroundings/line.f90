program surrounding
  implicit none
  integer, parameter :: n = 1000
  integer :: i
  real(8) :: x(n), y(n), total
!$xmp nodes p(*)
!$xmp template t(n)
!$xmp distribute t(block) onto p
!$xmp align x(i) with t(i)
!$xmp align y(i) with t(i)
!$xmp shadow x(1)
  total = 0
@@
end program
