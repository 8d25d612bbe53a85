block data large  ! the whole array would lie in each node's memory
  integer, parameter :: n = 2**11
  real :: u(n, n)
  common /flow/ u
!$xmp nodes p(*)
!$xmp template t(n)
!$xmp distribute t(block) onto p
!$xmp align u(*, j) with t(j)
  data u /4*1.0/
end block data
