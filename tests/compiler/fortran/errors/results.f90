module m  ! one result that is described in two ways
  implicit none
  integer, parameter :: n = 13
!$xmp nodes p(*)
!$xmp template t(n)
!$xmp distribute t(block) onto p
  interface
    module function apart(a) result(q)
      real(8), intent(in) :: a(n)
      real(8) :: q(n)
    end function
    module function apart2(a) result(q)
      real(8), intent(in) :: a(n)
      real(8), allocatable :: q(:)
!$xmp align q(i) with t(i)
!$xmp shadow q(1)
    end function
  end interface
contains
  function first(k) result(a)
    integer :: k, i
    real(8) :: a(n), second(n)
!$xmp align a(i) with t(i)
    goto 10
  entry second(k)
10  continue
  end function
end module
submodule (m) s
  implicit none
contains
  module function apart(a) result(q)
    real(8), intent(in) :: a(n)
    real(8) :: q(n)
    integer :: i
!$xmp align (i) with t(i) :: a, q
  end function
  module procedure apart2
!$xmp align q(i) with t(i)
  end procedure
end submodule
function outside(a, by) result(q)
  implicit none
  integer, parameter :: n = 13
  integer :: i
  real(8), intent(in) :: a(n), by
  real(8) :: q(n)
!$xmp nodes p(*)
!$xmp template t(n)
!$xmp distribute t(block) onto p
!$xmp align (i) with t(i) :: a, q
end function
program main
  use m
  implicit none
  interface
    function outside(a, by) result(q)
      import :: n
      real(8), intent(in) :: a(n), by
      real(8) :: q(n)
    end function
  end interface
end program
