! The program of steps 1 to 6 in Fortran: heat spreads over a square plate. Blocks of columns, which is what lies together in Fortran.
program heat
  implicit none
  integer, parameter :: n = 512, steps = 400
  real(8) :: u(n, n), next(n, n), total
  integer :: i, j, step
!$xmp nodes p(*)
!$xmp template t(n)
!$xmp distribute t(block) onto p
!$xmp align u(*, j) with t(j)
!$xmp align next(*, j) with t(j)
!$xmp shadow u(0, 1)

!$xmp loop on t(j)
  do j = 1, n
    do i = 1, n
      u(i, j) = merge(100.0d0, 0.0d0, (j - 101)**2 + (i - 201)**2 < 80**2)
    end do
  end do

  do step = 1, steps
!$xmp reflect (u)
!$xmp loop on t(j)
    do j = 2, n - 1
      do i = 2, n - 1
        next(i, j) = u(i, j) + 0.2d0 * (u(i, j - 1) + u(i, j + 1) + u(i - 1, j) + u(i + 1, j) - 4.0d0 * u(i, j))
      end do
    end do
!$xmp loop on t(j)
    do j = 2, n - 1
      do i = 2, n - 1
        u(i, j) = next(i, j)
      end do
    end do
    if (mod(step, 100) == 0) then
      total = 0.0d0
!$xmp loop on t(j) reduction(+:total)
      do j = 1, n
        do i = 1, n
          total = total + u(i, j)
        end do
      end do
!$xmp task on p(1)
      print '("step ", i3, ": mean temperature ", f8.6)', step, total / (n * n)
!$xmp end task
    end if
  end do
end program
