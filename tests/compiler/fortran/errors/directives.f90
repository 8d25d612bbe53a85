program directives
  implicit none
  integer, parameter :: n = 8
  real :: u(n), w(n), x
!$xmp nodes p(*)
!$xmp templat t(n)
!$xmp template s(n)
!$xmp distribute s(blok) onto p
!$xmp template r(n)
!$xmp distribute r(block) onto q
!$xmp align u(i) with tt(i)
!$xmp align y(i) with r(i)
!$xmp nodes p(4)
  integer :: i
!$xmp loop on r(i) reducton(+:x)
  do i = 1, n
    w(i) = i
  end do
!$xmp global_io atomic direct
!$xmp file_sync_all
!$xmp file_sync_all (10, 11)
end program
