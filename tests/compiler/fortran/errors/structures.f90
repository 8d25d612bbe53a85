program structures
  implicit none
  type pair
    real :: x(8)
    integer :: n
  end type
  type nest
    type(pair) :: two(2)
  end type
  type laid
    sequence
    real :: x(8)
  end type
  type(pair) :: one, two, many(3)
  type(nest) :: around
!$xmp nodes p(*)
!$xmp template t(8)
!$xmp distribute t(block) onto p
!$xmp align pair%x(i) with t(i)
!$xmp align pair%y(i) with t(i)
!$xmp align one%x(i) with t(i)
!$xmp align laid%x(i) with t(i)
!$xmp align (i) with tt(i) :: pair%x
  integer :: i
!$xmp loop on t(i)
  do i = 1, 8
    one%x(i + 1) = i
    many(2)%x(i) = around%two(1)%x(i + 2)
  end do
  two = one
  around%two(2) = many(1)
  many(2)%n = many(1)%n
contains
  subroutine inner(a, b)
    type(pair), intent(in) :: a
    type(pair), intent(out) :: b
    b%n = 3
  end subroutine
  function made() result(r)
    type(pair) :: r
    r%n = 3
  end function
end program
