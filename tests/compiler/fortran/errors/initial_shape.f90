subroutine later
  real :: u(8) = 1
!$xmp nodes p(*)
!$xmp template t(:)
!$xmp distribute t(block) onto p
!$xmp align u(i) with t(i)
!$xmp template_fix t(8)
end subroutine
