program beyond
  real :: x(8)
  integer :: i
  !$xmp nodes p(*)
  !$xmp template t(8)
  !$xmp distribute t(block) onto p
  !$xmp align x(i) with t(i)
  !$xmp loop on t(i)
  do i = 1, 9
    x(i) = i
  end do
end program
