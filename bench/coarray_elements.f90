! What one element of another image costs: a put, a put with a conversion, a get, in loops of 200,000. Image 1 works on image 2
! and prints the best of 60 loops, in nanoseconds.
!   xmpf90 -O3 bench/coarray_elements.f90 -o elements                                               loads and stores
!   gfortran -O3 bench/coarray_elements.f90 $(pkg-config --cflags --libs kumihimo-caf) -o elements  calls of the library
!   caf -O3 bench/coarray_elements.f90 -o elements                                                  OpenCoarrays
program coarray_elements
  use, intrinsic :: iso_fortran_env, only: int64, real64
  implicit none
  integer, parameter :: repetitions = 200000, loops = 60
  real(real64), save :: a(64)[*]
  real(real64) :: x, y, best(3)
  integer(int64) :: begin
  integer :: i, k, loop
  k = mod(this_image(), num_images()) + 1
  a = this_image()
  x = 0
  y = 2
  best = huge(best)
  sync all
  do loop = 1, merge(loops, 0, this_image() == 1)
    call system_clock(begin)
    do i = 1, repetitions
      a(iand(i, 63) + 1)[k] = y
    end do
    call note(1)
    call system_clock(begin)
    do i = 1, repetitions
      a(iand(i, 63) + 1)[k] = i
    end do
    call note(2)
    call system_clock(begin)
    do i = 1, repetitions
      x = x + a(iand(i, 63) + 1)[k]
    end do
    call note(3)
  end do
  if (this_image() == 1) print '(a, 3f8.2, es10.2)', 'put, put converted, get, ns:', best, x
  sync all
contains
  subroutine note(number)
    integer, intent(in) :: number
    integer(int64) :: end, rate
    call system_clock(end, rate)
    best(number) = min(best(number), 1e9_real64 * (end - begin) / rate / repetitions)
  end subroutine
end program
