! What it costs to enter a procedure that declares its own nodes, template and gblock distribution, and aligns an argument, when all
! is as at the last call: xmpf90 -O2 -o declare bench/declare_fortran.f90 && xmprun -n 2 ./declare
program declare_fortran
  use, intrinsic :: iso_fortran_env, only: int64
  implicit none
  integer, parameter :: n = 1000, calls = 1000000
  integer, parameter :: halves(2) = [n / 2, n / 2]
  real(8) :: u(n)
  integer :: k
  integer(int64) :: begin, end_, rate
!$xmp nodes p(2)
!$xmp template t(n)
!$xmp distribute t(gblock(halves)) onto p
!$xmp align u(i) with t(i)
  call work(u, n, halves)
  call system_clock(begin, rate)
  do k = 1, calls
    call work(u, n, halves)
  end do
  call system_clock(end_)
!$xmp task on p(1)
  print '(a, f6.0)', 'nanoseconds for each call: ', real(end_ - begin, 8) / rate * 1d9 / calls
!$xmp end task
end program

subroutine work(a, n, sizes)
  implicit none
  integer, intent(in) :: n, sizes(2)
  real(8) :: a(n)
!$xmp nodes q(2)
!$xmp template t(n)
!$xmp distribute t(gblock(sizes)) onto q
!$xmp align a(i) with t(i)
end subroutine
