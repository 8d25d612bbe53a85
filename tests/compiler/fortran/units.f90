module undirected  ! its array is aligned where it is used
  real(8) :: w(12)
end module

module grid
  implicit none
  integer, parameter :: n = 20, m = 12
  real(8) :: u(0:n+1, m), v(0:n+1, m)
  interface  ! its names are its own
    subroutine elsewhere(k, u)
      integer, intent(in) :: k
      real(8), intent(inout) :: u(k)
    end subroutine
  end interface
!$xmp nodes p(*)
!$xmp template t(0:n+1, m)
!$xmp distribute t(*, block) onto p
!$xmp align (i, j) with t(i, j) :: u, v
!$xmp shadow u(0, 1)
  interface sum_of  ! by the number of arguments and the rank of the first
    procedure total, scaled
  end interface
contains
  subroutine fill(c)
    real(8), intent(in) :: c
    integer :: i, j
!$xmp loop on t(*, j)
    do j = 1, m
      do i = 0, n + 1
        u(i, j) = c * i + j
        v(i, j) = 0
      end do
    end do
!$xmp reflect (u)
  end subroutine
  real(8) function total(w) result(s)
    real(8) :: w(0:n+1, m)
!$xmp align (i, j) with t(i, j) :: w
    integer :: i, j
    s = 0
!$xmp loop on t(*, j) reduction(+:s)
    do j = 1, m
      do i = 0, n + 1
        s = s + w(i, j)
      end do
    end do
  end function
  real(8) function scaled(w, c)
    real(8) :: w(0:n+1, m), c
!$xmp align (i, j) with t(i, j) :: w
    scaled = c * total(w)
  end function
end module

program main
  use grid
  implicit none
  integer :: i, j
  call fill(2d0)
!$xmp loop on t(*, j)
  do j = 2, m - 1
    do i = 1, n
      v(i, j) = u(i, j - 1) + u(i, j + 1)
    end do
  end do
  print *, total(v), total(w=v), sum_of(v), sum_of(v, 3d0)
  call components
  call own(v, n, m)
  call shifted(v)
  call apart
  inner: block
    integer :: w(0:n)
!$xmp nodes q(*)
!$xmp template s(0:n)
!$xmp distribute s(block) onto q
!$xmp align w(i) with s(i)
    integer :: k
    k = 0
!$xmp loop on s(i) reduction(+:k)
    do i = 0, n
      w(i) = i
      k = k + w(i)
    end do
    print *, k
  end block inner
  other: block
    use undirected
!$xmp template s(12)
!$xmp distribute s(block) onto p
!$xmp align w(i) with s(i)
    integer :: l
    l = 0
!$xmp loop on s(i) reduction(+:l)
    do i = 1, 12
      w(i) = i / 2d0
      l = l + nint(2 * w(i))
    end do
    print *, l
  end block other
contains
  subroutine components
    type pair
      real(8) :: x(n)
      integer :: plain(2)
    end type
    type taken
      real(8), allocatable :: y(:)
      integer, pointer :: z(:) => null()
    end type
    type(pair) :: one, two
    type(taken) :: three
!$xmp nodes q(*)
!$xmp template s(n)
!$xmp distribute s(block) onto q
!$xmp align pair%x(i) with s(i)
!$xmp shadow pair%x(1)
!$xmp align taken%y(i) with s(i)
!$xmp align taken%z(i) with s(i)
    save
    real(8) :: x
    integer :: k
    one%plain = [3, 4]
    x = 0
!$xmp loop on s(k)
    do k = 1, n
      one%x(k) = k; two%x(k) = k * one%plain(2)
    end do
!$xmp reflect (one%x, two%x)
!$xmp loop on s(k) reduction(+:x)
    do k = 2, n - 1
      if (k > 0) x = x + one%x(k - 1) * two%x(k + 1)
    end do
    print *, x, allocated(three%y), associated(three%z)
    allocate(three%y(n), three%z(n))
!$xmp loop on s(k)
    do k = 1, n
      three%y(k) = k
      three%z(k) = -k
    end do
    x = 0
!$xmp loop on s(k) reduction(+:x)
    do k = 1, n
      x = x + three%y(k) * three%z(k)
    end do
    print *, x, allocated(three%y), size(three%y), associated(three%z)
    deallocate(three%y, three%z)
    print *, allocated(three%y), associated(three%z)
  end subroutine
  subroutine shifted(a)
    real(8) :: a(:, -3:)
!$xmp align a(i, j) with t(i - 1, j + 4)
    real(8) :: x
    integer :: jj
    x = 0
!$xmp loop on t(*, jj + 4) reduction(+:x)
    do jj = lbound(a, 2), size(a, 2) - 4
      x = x + a(2, jj)
    end do
    print *, x
  end subroutine
  subroutine own(a, k, l)
    integer, intent(in) :: k, l
    real(8) :: a(0:k+1, l)
!$xmp nodes q(*)
!$xmp template s(l)
!$xmp distribute s(block) onto q
!$xmp align a(*, j) with s(j)
    real(8) :: x
    integer :: jj
    x = 0
!$xmp loop on s(jj) reduction(max:x)
    do jj = 1, l
      x = max(x, maxval_column(a(1, jj), k))
    end do
    print *, x
  end subroutine
  real(8) function maxval_column(c, k)
    integer, intent(in) :: k
    real(8), intent(in) :: c(k)
    maxval_column = maxval(c)
  end function
end program

! Names that `only` leaves out are free for others.
subroutine apart
  use grid, only: v
  implicit none
!$xmp nodes p(*)
!$xmp template t(9)
!$xmp distribute t(cyclic) onto p
  integer :: w(9), k, s
!$xmp align w(i) with t(i)
  s = 0
!$xmp loop on t(k) reduction(+:s)
  do k = 1, size(w)
    w(k) = size(v, 2) * k
    s = s + w(k)
  end do
  print *, s
end subroutine
