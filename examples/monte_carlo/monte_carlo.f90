! Pi by random points in a square, the same to the last digit on any number of nodes: monte_carlo.c says how.
!
!   xmpf90   -O3 -o monte_carlo monte_carlo.f90 && xmprun -n 4 ./monte_carlo
!   gfortran -O3 -o monte_carlo monte_carlo.f90 && ./monte_carlo               (the same program, serial)
program monte_carlo
  use, intrinsic :: iso_fortran_env, only: int64, real64
  implicit none
  integer, parameter :: batches = 1000
  integer(int64), parameter :: points = 10000                             ! of a batch; each takes two numbers
  integer(int64), parameter :: factor = 630360016, modulus = 2147483647   ! of Lehmer's generator
!$xmp nodes p(*)
!$xmp template batch(batches)
!$xmp distribute batch(block) onto p
  integer(int64) :: hits
  real(real64) :: all_points, share
  integer :: k

  hits = 0
!$xmp loop on batch(k) reduction(+:hits)
  do k = 1, batches
    hits = hits + hits_of(k - 1)
  end do

  all_points = real(batches * points, real64)
  share = hits / all_points
!$xmp task on p(1)
  print '(i0, a, i0, a, f8.6, a, f8.6)', hits, ' of ', batches * points, ' points: pi = ', 4 * share, ', give or take ', &
    4 * sqrt(share * (1 - share) / all_points)
!$xmp end task

contains

  ! What so many steps of the generator make of 1.
  pure integer(int64) function jump(steps)
    integer(int64), intent(in) :: steps
    integer(int64) :: left, power
    jump = 1
    power = factor
    left = steps
    do while (left > 0)
      if (mod(left, 2_int64) == 1) jump = mod(jump * power, modulus)
      power = mod(power * power, modulus)
      left = left / 2
    end do
  end function

  pure integer(int64) function hits_of(number)
    integer, intent(in) :: number
    integer(int64) :: x, y, i
    x = jump(2 * points * number)
    hits_of = 0
    do i = 1, points
      y = mod(x * factor, modulus)
      if (x * x + y * y < modulus * modulus) hits_of = hits_of + 1
      x = mod(y * factor, modulus)
    end do
  end function

end program monte_carlo
