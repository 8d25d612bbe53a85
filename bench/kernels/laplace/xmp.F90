! 5-point Laplace solver in double precision, as xmp.c: columns distributed in blocks, copy, sweep, residual every step.
#ifndef N
#define N 1024
#endif
#ifndef REPEAT
#define REPEAT 300
#endif
#include "../records.f90"

program laplace
  use kernel_records
  implicit none
  integer, parameter :: dp = kind(1d0)
  real(dp), parameter :: pi = 3.14159265358979323846_dp
#ifdef ALLOCATED
  real(dp), allocatable, dimension(:, :) :: u, v
#else
  real(dp), dimension(0:N - 1, 0:N - 1) :: u, v
#endif
  real(dp) :: start, seconds, residual
  integer :: i, j, k
!$xmp nodes p(*)
!$xmp template t(0:N - 1)
!$xmp distribute t(block) onto p
!$xmp align (*, j) with t(j) :: u, v
!$xmp shadow v(0, 1)
#ifdef ALLOCATED
  call create(u, [N, N])
  call create(v, [N, N])
#endif
  residual = 0
!$xmp loop on t(j)
  do j = 0, N - 1
    do i = 0, N - 1
      u(i, j) = sin(real(i, dp) / N * pi) + cos(real(j, dp) / N * pi)
      v(i, j) = 0
    end do
  end do
!$xmp barrier
  start = seconds_now()
  do k = 1, REPEAT
!$xmp loop on t(j)
    do j = 0, N - 1
      do i = 0, N - 1
        v(i, j) = u(i, j)
      end do
    end do
!$xmp reflect (v)
!$xmp loop on t(j)
    do j = 1, N - 2
      do i = 1, N - 2
        u(i, j) = (v(i, j - 1) + v(i, j + 1) + v(i - 1, j) + v(i + 1, j)) / 4
      end do
    end do
  end do
  seconds = seconds_now() - start
!$xmp loop on t(j) reduction(+:residual)
  do j = 1, N - 2
    do i = 1, N - 2
      residual = residual + abs(u(i, j) - v(i, j))
    end do
  end do
!$xmp task on p(1)
  call report(seconds, residual)
!$xmp end task
end program
