program sums
  implicit none
  integer, parameter :: n = 100
!$xmp nodes p(*)
!$xmp template t(n)
!$xmp distribute t(block) onto p
  real :: a(n), s, big, q, local, both
  integer :: i, c
  logical :: ok
!$xmp align a(i) with t(i)
  s = 0; big = 0; c = 0; ok = .true.; q = 0; both = 0
!$xmp loop on t(i)
  do i = 1, n
    a(i) = i
    s = s + a(i)
    big = max(big, a(i))
    if (a(i) > 3) c = c + 1
    ok = ok .and. a(i) > 0
    local = 1
    local = local + a(i)
    q = q - a(i)*2
    both = both + 1
  end do
!$xmp reduction(+:both)
  print *, s, big, c, ok, both
  if (f(n) > 3) print *, 'x'
contains
  real function f(m)
    integer, intent(in) :: m
    integer :: i
    f = m
!$xmp loop on t(i)
    do i = 1, n
      f = f + a(i)
    end do
  end function
end program
