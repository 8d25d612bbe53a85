! Redistribution from columns to rows, as xmp.c, or with -DROW of a column to all nodes.
#ifndef N
#define N 256
#endif
#ifndef REPEAT
#define REPEAT 1000
#endif
#include "../records.f90"

program redistribution
  use kernel_records
  implicit none
  integer, parameter :: dp = kind(1d0)
  real(dp) :: a(0:N - 1, 0:N - 1), b(0:N - 1, 0:N - 1), line(0:N - 1), start, seconds, total
  integer :: i, j, k
!$xmp nodes p(*)
!$xmp template t(0:N - 1)
!$xmp distribute t(block) onto p
!$xmp align a(*, j) with t(j)
!$xmp align b(i, *) with t(i)
  total = 0
  line = 0
!$xmp loop on t(j)
  do j = 0, N - 1
    do i = 0, N - 1
      a(i, j) = real(j, dp) * N + i
    end do
  end do
!$xmp loop on t(i)
  do i = 0, N - 1
    do j = 0, N - 1
      b(i, j) = 0
    end do
  end do
!$xmp barrier
  start = seconds_now()
  do k = 0, REPEAT - 1
#ifdef ROW
!$xmp gmove
    line(:) = a(:, mod(k, N))
#else
!$xmp gmove
    b(:, :) = a(:, :)
#endif
  end do
!$xmp barrier
  seconds = seconds_now() - start
!$xmp loop on t(i) reduction(+:total)
  do i = 0, N - 1
    total = total + line(i)
    do j = 0, N - 1
      total = total + b(i, j)
    end do
  end do
!$xmp task on p(1)
  call report(seconds, total)
!$xmp end task
end program
