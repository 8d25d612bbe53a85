program p
  type point
    integer :: x, y
  end type
  type(point), save :: a(4)[*], b(4)
  integer :: i, pick(2) = [2, 1]
  complex, save :: z[*], zs(2)[*]
  character(4), save :: name[*]
  integer, save :: n(4)[*]
  i = this_image()
  b(:)%y = a(:)[1]%y
  b(2)%x = a(2)[1]%x
  z = zs(1)[1]
  name(2:3) = name[1](1:2)
  n(pick) = n(1:2)[1]
  n([3, 4]) = n(1:2)
  n(3:4) = n(1:2)[1]
  name[1] = name
contains
  subroutine s
    integer :: c(3)[*]
    integer, save :: d[*]
    integer, allocatable :: e[:]
    integer :: f[*] = 3
    c = d
  end subroutine
end program
