! 19-point Jacobi sweep of a pressure equation in single precision, as xmp.c: planes distributed in blocks.
#ifndef NZ
#define NZ 64
#endif
#ifndef NY
#define NY 64
#endif
#ifndef NX
#define NX 128
#endif
#ifndef REPEAT
#define REPEAT 100
#endif
#include "../records.f90"

program stencil19
  use kernel_records
  implicit none
  integer, parameter :: dp = kind(1d0)
  real, parameter :: omega = 0.8
#ifdef ALLOCATED
  real, allocatable, dimension(:, :, :) :: p, work, bound, source, a0, a1, a2, a3, b0, b1, b2, c0, c1, c2
#else
  real, dimension(0:NX - 1, 0:NY - 1, 0:NZ - 1) :: p, work, bound, source, a0, a1, a2, a3, b0, b1, b2, c0, c1, c2
#endif
  real(dp) :: start, seconds, residual
  real :: s0
  integer :: i, j, k, step
!$xmp nodes n(*)
!$xmp template t(0:NZ - 1)
!$xmp distribute t(block) onto n
!$xmp align (*, *, k) with t(k) :: p, work, bound, source, a0, a1, a2, a3, b0, b1, b2, c0, c1, c2
!$xmp shadow p(0, 0, 1)
#ifdef ALLOCATED
  call create(p, [NX, NY, NZ])
  call create(work, [NX, NY, NZ])
  call create(bound, [NX, NY, NZ])
  call create(source, [NX, NY, NZ])
  call create(a0, [NX, NY, NZ])
  call create(a1, [NX, NY, NZ])
  call create(a2, [NX, NY, NZ])
  call create(a3, [NX, NY, NZ])
  call create(b0, [NX, NY, NZ])
  call create(b1, [NX, NY, NZ])
  call create(b2, [NX, NY, NZ])
  call create(c0, [NX, NY, NZ])
  call create(c1, [NX, NY, NZ])
  call create(c2, [NX, NY, NZ])
#endif
  residual = 0
!$xmp loop on t(k)
  do k = 0, NZ - 1
    do j = 0, NY - 1
      do i = 0, NX - 1
        p(i, j, k) = real(k * k) / real((NZ - 1) * (NZ - 1))
        work(i, j, k) = 0
        source(i, j, k) = 0
        bound(i, j, k) = 1
        a0(i, j, k) = 1
        a1(i, j, k) = 1
        a2(i, j, k) = 1
        c0(i, j, k) = 1
        c1(i, j, k) = 1
        c2(i, j, k) = 1
        a3(i, j, k) = 1 / 6.0
        b0(i, j, k) = 0
        b1(i, j, k) = 0
        b2(i, j, k) = 0
      end do
    end do
  end do
!$xmp reflect (p)
!$xmp barrier
  start = seconds_now()
  do step = 1, REPEAT
!$xmp loop on t(k)
    do k = 1, NZ - 2
      do j = 1, NY - 2
        do i = 1, NX - 2
          s0 = a0(i, j, k) * p(i, j, k + 1) + a1(i, j, k) * p(i, j + 1, k) + a2(i, j, k) * p(i + 1, j, k) &
             + b0(i, j, k) * (p(i, j + 1, k + 1) - p(i, j - 1, k + 1) - p(i, j + 1, k - 1) + p(i, j - 1, k - 1)) &
             + b1(i, j, k) * (p(i + 1, j + 1, k) - p(i + 1, j - 1, k) - p(i - 1, j + 1, k) + p(i - 1, j - 1, k)) &
             + b2(i, j, k) * (p(i + 1, j, k + 1) - p(i + 1, j, k - 1) - p(i - 1, j, k + 1) + p(i - 1, j, k - 1)) &
             + c0(i, j, k) * p(i, j, k - 1) + c1(i, j, k) * p(i, j - 1, k) + c2(i, j, k) * p(i - 1, j, k) &
             + source(i, j, k)
          work(i, j, k) = p(i, j, k) + omega * ((s0 * a3(i, j, k) - p(i, j, k)) * bound(i, j, k))
        end do
      end do
    end do
!$xmp loop on t(k)
    do k = 1, NZ - 2
      do j = 1, NY - 2
        do i = 1, NX - 2
          p(i, j, k) = work(i, j, k)
        end do
      end do
    end do
!$xmp reflect (p)
  end do
  seconds = seconds_now() - start
!$xmp loop on t(k) reduction(+:residual)
  do k = 0, NZ - 1
    do j = 0, NY - 1
      do i = 0, NX - 1
        residual = residual + p(i, j, k)
      end do
    end do
  end do
!$xmp task on n(1)
  call report(seconds, residual)
!$xmp end task
end program
