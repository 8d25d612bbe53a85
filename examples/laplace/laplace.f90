! Laplace's equation on a square, two sides at 1 and two at 0, by Jacobi's iteration: blocks of columns, and a shadow one
! column wide that holds what the neighbours own.
!
!   xmpf90   -O3 -o laplace laplace.f90 && xmprun -n 4 ./laplace
!   gfortran -O3 -o laplace laplace.f90 && ./laplace               (the same program, serial)
program laplace
  implicit none
  integer, parameter :: n = 256
  real(8) :: u(n, n), next(n, n)
!$xmp nodes p(*)
!$xmp template t(n)
!$xmp distribute t(block) onto p
!$xmp align u(*, j) with t(j)
!$xmp align next(*, j) with t(j)
!$xmp shadow u(0, 1)
  real(8) :: change
  integer :: i, j, iteration

!$xmp loop on t(j)
  do j = 1, n
    do i = 1, n
      u(i, j) = merge(1.0d0, 0.0d0, i == 1 .or. j == 1)
    end do
  end do

  change = 1.0d0
  iteration = 0
  do while (change > 1.0d-4)
    change = 0.0d0
!$xmp reflect (u)
!$xmp loop on t(j) reduction(max:change)
    do j = 2, n - 1
      do i = 2, n - 1
        next(i, j) = 0.25d0 * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1))
        change = max(change, abs(next(i, j) - u(i, j)))
      end do
    end do
!$xmp loop on t(j)
    do j = 2, n - 1
      do i = 2, n - 1
        u(i, j) = next(i, j)
      end do
    end do
    iteration = iteration + 1
  end do

!$xmp task on t(n / 4)
  print '(i0, a, i0, a, i0, a, f17.15)', iteration, ' iterations, u(', n / 4, ', ', n / 4, ') = ', u(n / 4, n / 4)
!$xmp end task
end program laplace
