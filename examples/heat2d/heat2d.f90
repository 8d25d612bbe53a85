! Heat in a square plate whose rim is kept at zero, in blocks of two dimensions: heat2d.c in Fortran, without the file.
!
!   xmpf90 -O3 -o heat2d heat2d.f90 && xmprun -n 4 ./heat2d
program heat2d
  use xmp_lib
  implicit none
  integer, parameter :: n = 96, steps = 800
  real(8), parameter :: diffusion = 0.2d0
  real(8) :: u(n, n), next(n, n), hottest
  integer :: i, j, a, b, step
!$xmp nodes p(node_rows(), *)
!$xmp template plate(n, n)
!$xmp distribute plate(block, block) onto p
!$xmp align u(i, j) with plate(i, j)
!$xmp align next(i, j) with plate(i, j)
!$xmp shadow u(1, 1)

!$xmp loop (i, j) on plate(i, j)
  do j = 1, n
    do i = 1, n
      a = (j - 1 - n / 3)**2 + (i - 1 - n / 3)**2
      b = (j - 1 - 2 * n / 3)**2 + (i - 1 - 3 * n / 4)**2
      u(i, j) = merge(100d0, merge(60d0, 0d0, b < n * n / 144), a < n * n / 64)
    end do
  end do

  do step = 1, steps
!$xmp reflect (u) orthogonal
!$xmp loop (i, j) on plate(i, j)
    do j = 2, n - 1
      do i = 2, n - 1
        next(i, j) = u(i, j) + diffusion * (u(i, j - 1) + u(i, j + 1) + u(i - 1, j) + u(i + 1, j) - 4 * u(i, j))
      end do
    end do
!$xmp loop (i, j) on plate(i, j)
    do j = 2, n - 1
      do i = 2, n - 1
        u(i, j) = next(i, j)
      end do
    end do
  end do

  hottest = 0
!$xmp loop (i, j) on plate(i, j) reduction(max:hottest)
  do j = 1, n
    do i = 1, n
      hottest = max(hottest, u(i, j))
    end do
  end do
!$xmp task on p(1, 1)
  print '(a, f15.12, a, i0, a)', 'hottest ', hottest, ' after ', steps, ' steps'
!$xmp end task

contains

  ! A rectangle of nodes as square as their number allows: the rims of the blocks, which travel, are short then.
  integer function node_rows()
    integer :: k
    node_rows = 1
    do k = 2, xmp_num_nodes()
      if (k * k <= xmp_num_nodes() .and. mod(xmp_num_nodes(), k) == 0) node_rows = k
    end do
  end function
end program heat2d
