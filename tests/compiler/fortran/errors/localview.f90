program localview
  implicit none
  integer, parameter :: n = 8
  real, pointer :: u(:)
  real :: plain(n), v(n), whole(:), flat(:, :), far[*]
  real, codimension[*] :: w(n)
  integer :: number(0:)
!$xmp nodes p(*)
!$xmp template t(n)
!$xmp distribute t(block) onto p
!$xmp align u(i) with t(i)
!$xmp align v(i) with t(i)
!$xmp align w(i) with t(i)
!$xmp coarray on p :: far, plain, absent
!$xmp coarray on p(1:1) :: far
!$xmp coarray on t :: far
!$xmp coarray on p :: far
!$xmp coarray far : [*]
!$xmp local_alias plain => v
!$xmp local_alias flat => v
!$xmp local_alias number => v
!$xmp local_alias u => v
!$xmp local_alias missing => v
!$xmp local_alias far => v
!$xmp local_alias whole => plain
!$xmp local_alias whole => u
!$xmp post(p, 3)
!$xmp wait(t(1))
!$xmp image(p)
  sync memory
!$xmp image(p)
  sync images(*)
!$xmp image(t)
  sync all
!$xmp lock(far[2]) acquired_lock(plain) stat(k)
!$xmp unlock(far)
contains
  subroutine inner(argument)
    real :: argument(:), w(:)
!$xmp local_alias w => v
!$xmp local_alias argument => v
!$xmp coarray on p :: far
!$xmp barrier
  end subroutine
  subroutine records()
    type pair
      integer :: first, second
    end type
    type(pair) :: pairs(n), near(:)[*]
!$xmp align pairs(i) with t(i)
!$xmp local_alias near => pairs
  end subroutine
end program
