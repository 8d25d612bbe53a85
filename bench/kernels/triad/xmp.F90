! STREAM's triad on a distributed vector, as xmp.c. -DFORMAT=block|cyclic|cyclic(4), -DN=elements, -DREPEAT=times.
#ifndef N
#define N 4000000
#endif
#ifdef INDEX
#define FACTOR(i, element) (i - element)
#else
#define FACTOR(i, element) element
#endif
#ifndef REPEAT
#define REPEAT 100
#endif
#ifndef FORMAT
#define FORMAT block
#endif
#include "../records.f90"

program triad
  use kernel_records
  implicit none
  integer, parameter :: dp = kind(1d0)
  real(dp), parameter :: scalar = 3
  real(dp), dimension(0:N - 1) :: a, b, c
  real(dp) :: start, seconds, total
  integer :: i, k
!$xmp nodes p(*)
!$xmp template t(0:N - 1)
!$xmp distribute t(FORMAT) onto p
!$xmp align (i) with t(i) :: a, b, c
  total = 0
!$xmp loop on t(i)
  do i = 0, N - 1
    a(i) = 0
    b(i) = mod(i, 1000)
    c(i) = mod(i, 7)
  end do
!$xmp barrier
  start = seconds_now()
  do k = 1, REPEAT
!$xmp loop on t(i)
    do i = 0, N - 1
      a(i) = b(i) + scalar * FACTOR(i, c(i))
    end do
  end do
!$xmp barrier
  seconds = seconds_now() - start
!$xmp loop on t(i) reduction(+:total)
  do i = 0, N - 1
    total = total + a(i)
  end do
!$xmp task on p(1)
  call report(seconds, total)
!$xmp end task
end program
