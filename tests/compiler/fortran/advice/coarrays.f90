program p
  type point
    integer :: x, y
  end type
  type(point), save :: a(4)[*], b(4)
  integer :: i
  i = this_image()
  b(:)%y = a(:)[1]%y
  b(2)%x = a(2)[1]%x
contains
  subroutine s
    integer :: c(3)[*]
    integer, save :: d[*]
    integer, allocatable :: e[:]
    integer :: f[*] = 3
    c = d
  end subroutine
end program
