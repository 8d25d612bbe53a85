program unsupported
  implicit none
  integer, parameter :: n = 8
  real, pointer :: u(:), other(:)
  real, allocatable :: later(:)
  real :: plain(n), location
  integer :: i
!$xmp nodes p(*)
!$xmp template t(n)
!$xmp distribute t(block) onto p
!$xmp align u(i) with t(i)
!$xmp align later(i) with t(i)
  allocate (later, source=2 * u)
  allocate (later(n, n))
  u => other
!$xmp lock(plain)
contains
  function result_() result(found)
    real :: found(n)
!$xmp align found(i) with t(i)
    found(1) = 0
  end function
end program
