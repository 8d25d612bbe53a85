! Halo exchange around a ring of nodes that have columns, as xmp.c.
#ifndef N
#define N 1024
#endif
#ifndef REPEAT
#define REPEAT 10000
#endif
#include "../records.f90"

program ring
  use kernel_records
  implicit none
  integer, parameter :: dp = kind(1d0)
  real(dp) :: u(0:N - 1, 0:N - 1), start, seconds, total
  integer :: i, j, k
!$xmp nodes p(*)
!$xmp template t(0:N - 1)
!$xmp distribute t(block) onto p
!$xmp align u(*, j) with t(j)
!$xmp shadow u(0, 1)
  total = 0
!$xmp loop on t(j)
  do j = 0, N - 1
    do i = 0, N - 1
      u(i, j) = real(j, dp) * N + i
    end do
  end do
!$xmp barrier
  start = seconds_now()
  do k = 1, REPEAT
!$xmp reflect (u) width(0, /periodic/1)
  end do
!$xmp barrier
  seconds = seconds_now() - start
!$xmp loop on t(j) reduction(+:total)
  do j = 0, N - 1
    do i = 0, N - 1
      total = total + u(i, j - 1) * u(i, j + 1)
    end do
  end do
!$xmp task on p(1)
  call report(seconds, total)
!$xmp end task
end program
