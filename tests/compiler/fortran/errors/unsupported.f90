program unsupported
  implicit none
  integer, parameter :: n = 8
  real, pointer :: u(:), other(:)
  real, allocatable :: later(:)
  real :: plain(n), location
  real, target :: counted(0:n - 1)
  integer :: i
!$xmp nodes p(*)
!$xmp template t(n)
!$xmp distribute t(block) onto p
!$xmp align u(i) with t(i)
!$xmp align later(i) with t(i)
!$xmp align counted(i) with t(i + 1)
  allocate (later, source=2 * u)
  allocate (later(n, n))
  u => other
!$xmp lock(plain)
  if (any(fresh() > 0)) print *, i
  do while (any(fresh() > i)); end do
  plain = fresh()
  call sub(fresh() + 1)
  u => fresh()
  u => later(2:4)
  u(0:) => later
  u => counted(:)
contains
  function fresh() result(found)
    real :: found(n)
!$xmp align found(i) with t(i)
    found = 0
  end function
  function given() result(found)
    real, allocatable :: found(:)
!$xmp align found(i) with t(i)
    allocate (found(n))
    entry other_given() result(found)
  end function
end program
subroutine sized(n, a)
  integer :: n
  real :: a(n), b(*)
!$xmp nodes p(*)
!$xmp template t(n)
!$xmp distribute t(block) onto p
!$xmp align (i) with t(i) :: a, b
  return
  entry unsized(b)
end subroutine
subroutine ambiguous
!$xmp nodes p(*)
!$xmp template t(8)
!$xmp distribute t(block) onto p
  real :: u(8), x
!$xmp align u(i) with t(i)
  interface either
    procedure one, other
  end interface
  u = either(x + 1)
contains
  function one(x) result(r)
    real :: x, r(8)
!$xmp align r(i) with t(i)
    r = x
  end function
  function other(x) result(r)
    integer :: x, r(8)
!$xmp align r(i) with t(i)
    r = x
  end function
end subroutine
