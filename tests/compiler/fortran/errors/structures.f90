program structures
  implicit none
  type pair
    real :: x(8)
    integer :: n
  end type
  type(pair) :: one, two, many(3)
!$xmp nodes p(*)
!$xmp template t(8)
!$xmp distribute t(block) onto p
!$xmp align pair%x(i) with t(i)
!$xmp align pair%y(i) with t(i)
  integer :: i
!$xmp loop on t(i)
  do i = 1, 8
    one%x(i + 1) = i
  end do
  two = one
contains
  subroutine inner
    type(pair) :: other
    other%n = 3
  end subroutine
end program
