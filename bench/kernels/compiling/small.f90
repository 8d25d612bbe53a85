program small
  implicit none
  integer, parameter :: n = 1000
  real(8) :: a(n), largest
  integer :: i, j
!$xmp nodes p(*)
!$xmp template t(n)
!$xmp distribute t(block) onto p
!$xmp align a(i) with t(i)
!$xmp loop on t(i)
  do i = 1, n
    a(i) = sin(0.01d0 * i)
    do j = 1, 3
      a(i) = a(i) + j * a(i) ** 2
    end do
  end do
  largest = 0
  print *, 'computed', n, 'elements'
  stop
end program
