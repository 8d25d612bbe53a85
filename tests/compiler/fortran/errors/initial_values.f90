block data values  ! of global arrays that cannot have any
  real :: u(8)
  common u
!$xmp nodes p(*)
!$xmp template t(8)
!$xmp distribute t(block) onto p
!$xmp align u(i) with t(i)
  data u /8*1.0/
end block data
program main
  real, parameter :: c(8) = 1
!$xmp nodes p(*)
!$xmp template t(8)
!$xmp distribute t(block) onto p
!$xmp align c(i) with t(i)
  block
    integer :: k(8)
!$xmp align k(i) with t(i)
    data k /8*1/
  end block
end program
