program explained
  implicit none
  integer, parameter :: n = 100
  !$xmp nodes p(*)
  !$xmp template t(n)
  !$xmp distribute t(block) onto p
  real(8) :: u(n), total
  integer :: i
  !$xmp align u(i) with t(i)
  !$xmp shadow u(2)
  !$xmp loop on t(i)
  do i = 1, n
    u(i) = i
  end do
  !$xmp reflect (u)
  total = 0
  !$xmp loop on t(i) reduction(+:total)
  do i = 3, n - 2
    total = total + u(i - 2) + u(i + 2)
  end do
  !$xmp task on p(1)
  print *, total
  !$xmp end task
end program
