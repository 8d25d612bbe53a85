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

module returning
  implicit none
  integer, parameter :: n = 17, wp = 8
  real(wp), target :: u(n), v(n)
  integer :: calls = 0
!$xmp nodes p(*)
!$xmp template t(n)
!$xmp distribute t(block) onto p
!$xmp align (i) with t(i) :: u, v
!$xmp shadow (1) :: u, v
!$xmp template k(n)
!$xmp distribute k(cyclic) onto p
  interface
    function outside(a, by) result(q)  ! an external one
      import :: n, wp
      real(wp), intent(in) :: a(n), by
      real(wp) :: q(n)
!$xmp align (i) with t(i) :: a, q
!$xmp shadow (1) :: a, q
    end function
    module function repeated(a) result(q)
      real(wp), intent(in) :: a(n)
      real(wp) :: q(n)
!$xmp align q(i) with k(i)
    end function
    module function shortened(a)
      real(wp), intent(in) :: a(n)
      real(wp), allocatable :: shortened(:)
!$xmp align shortened(i) with k(i)
    end function
  end interface
  interface reshaped
    procedure repeated
    function outside_alone(by)
      import
      real(wp), intent(in) :: by
      real(wp) outside_alone
      dimension outside_alone(n)
!$xmp align outside_alone(i) with t(i)
    end function
  end interface
contains
  function allocated_by(by) result(r)
    real(wp), intent(in) :: by
    real(wp), allocatable :: r(:)
!$xmp align r(i) with k(i)
    integer :: i
    calls = calls + 1
    if (allocated(r)) return
    allocate (r(n))
!$xmp loop on k(i)
    do i = 1, n
      r(i) = by * i
    end do
    block
      if (by > 2) return
    end block
    do i = 1, 9
      if (by > 1) return
    end do
!$xmp loop on k(i)
    do i = 1, n
      r(i) = -r(i)
    end do
  end function
  recursive function begun(by)
    real(wp), intent(in) :: by
    real(wp) :: begun(n), entered(n), last(n)
!$xmp align (i) with t(i) :: begun, entered, last
!$xmp shadow (1) :: begun, entered, last
    integer :: i
!$xmp loop on t(i)
    do i = 1, n
      begun(i) = by * i
    end do
    go to 10
    entry last(by)
    begun = scaled(v, by)
    return
    entry entered(by)
!$xmp loop on t(i)
    do i = 1, n
      entered(i) = i + by
    end do
10  continue
!$xmp loop on t(i)
    do i = 1, n
      begun(i) = begun(i) + 0.5d0
    end do
  end function
  function scaled(a, by) result(r)
    real(wp), intent(in) :: a(n), by
    real(wp) :: r(n)
!$xmp align (i) with t(i) :: a, r
!$xmp shadow (1) :: a, r
    integer :: i
    calls = calls + 1
!$xmp loop on t(i)
    do i = 1, n
      r(i) = by * a(i)
      if (by < 0) r(i) = -r(i)
    end do
    if (by > 5) return
!$xmp loop on t(i)
    do i = 1, n
      r(i) = r(i) + 1
    end do
  end function
  function smooth(a)
    real(wp), intent(in) :: a(n)
    real(wp) :: smooth(n)
!$xmp align (i) with t(i) :: a, smooth
!$xmp shadow smooth(1)
!$xmp shadow a(1)
    integer :: i
!$xmp reflect (a)
    smooth = 0
!$xmp loop on t(i)
    do i = 2, n - 1
      smooth(i) = a(i - 1) + a(i) + a(i + 1)
    end do
  end function
  recursive function tower(k) result(r)
    integer, intent(in) :: k
    real(wp) :: r(n)
!$xmp align r(i) with t(i)
!$xmp shadow r(1)
    r = 1
    if (k > 0) then
!$xmp array on t
      r(:) = tower(k - 1) + column(k)
    end if
  end function
  real(wp) function column(k)
    integer, intent(in) :: k
    dimension column(n)
!$xmp align column(i) with t(i)
!$xmp shadow column(1)
    integer :: i
!$xmp loop on t(i)
    do i = 1, n
      column(i) = k * i
    end do
  end function
  function kept() result(q)
    real(wp), pointer :: q(:)
!$xmp align q(i) with t(i)
!$xmp shadow q(1)
    q => v
  end function
  function names(k)
    integer, intent(in) :: k
    character(k) :: names(0:n - 1)
!$xmp align names(i) with t(i + 1)
    integer :: i
!$xmp loop on t(i + 1)
    do i = 0, n - 1
      names(i) = repeat(char(65 + i), k)
    end do
  end function
end module

submodule (returning) parts
contains
  module function repeated(a) result(q)
    real(wp), intent(in) :: a(n)
    real(wp) :: q(n)
    integer :: i
!$xmp align a(i) with t(i)
!$xmp align q(i) with k(i)
!$xmp shadow a(1)
    if (a(1) < 0) return
    q = 0
!$xmp loop on t(i)
    do i = 1, n
      v(i) = a(i) + 100
    end do
!$xmp gmove
    q(:) = v(:)
  end function
  module procedure shortened
!$xmp align a(i) with t(i)
!$xmp align shortened(i) with k(i)
!$xmp shadow a(1)
    allocate (shortened(n))
    shortened = 1
!$xmp gmove
    shortened(2:5) = a(1:4)
  end procedure
end submodule

function outside(a, by) result(q)
  use returning, only: n, wp
  implicit none
  real(wp), intent(in) :: a(n), by
  real(wp) :: q(n)
!$xmp align (i) with t(i) :: a, q
!$xmp shadow (1) :: a, q
  integer :: i
!$xmp loop on t(i)
  do i = 1, n
    q(i) = a(i) + by
  end do
end function

function outside_alone(by)
  use returning, only: n, wp
  implicit none
  real(wp), intent(in) :: by
  real(wp) :: outside_alone(n)
!$xmp align outside_alone(i) with t(i)
  outside_alone = by
end function

! Initial values.
module tables
  implicit none
  integer, parameter :: n = 11
  real(8) :: inherited(0:n) = 4.5d0
  integer :: listed(n) = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12]
  integer :: k
!$xmp nodes p(*)
!$xmp template t(0:n)
!$xmp distribute t(block) onto p
!$xmp align inherited(i) with t(i)
!$xmp align listed(i) with t(i)
!$xmp shadow inherited(1)
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
  call results
  call undeclared
  call in_a_task_first
  call initial
  call sections
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

! Functions whose results are global arrays.
subroutine results
  use returning
  implicit none
  integer :: i, round
  real(wp) :: w(n), c(n), s
  real(wp), pointer :: here(:)
  interface double_of
    procedure twice_number, twice_array
  end interface
  character(3) :: letters(0:n - 1), all(n)
!$xmp align w(i) with t(i)
!$xmp shadow w(1)
!$xmp align c(i) with k(i)
!$xmp align here(i) with t(i)
!$xmp shadow here(1)
!$xmp align letters(i) with t(i + 1)
  w = column(1)
  do 10 i = 1, 3
    s = i; w = column(i); s = 0
10 c = column(i)
  call show('first', w)
!$xmp loop on t(i)
  do i = 1, n
    u(i) = i
  end do
  v = scaled(u, 2d0)
  call show('assigned', v)
  c = scaled(scaled(by=3d0, a=u), 0.5d0)
!$xmp gmove
  w(:) = c(:)
  call show('other layout', w)
!$xmp array on t
  v = scaled(u, 1d0) + scaled(v, 10d0) * u
  call show('array', v)
!$xmp array on t(2:n)
  w(2:n) = u(1:n-1)
  call show('argument', smooth(smooth(u)))
  if (calls > 3) w = smooth(v)
  call show('guarded', w)
!$xmp gmove
  c(:) = scaled(w, 7d0)
!$xmp gmove
  w(:) = c(:)
  call show('gmove', w)
!$xmp master_io
  print '(a, 20f8.1)', 'items', scaled(u, 3d0)
  print *, calls
  w = tower(3)
  call show('recursive', w)
  here => kept()
  call show('pointer', here)
  nullify (here)
  here => u(:)
  call show('whole section', here)
  letters = names(3)
!$xmp gmove
  all(:) = letters(:)
  print '(20a)', all
  if (first(scaled(u, 2d0)) &
    & > 0) then
    print *, 'in a condition', first(scaled(u, 3d0))
  else if (calls > 0) then
    print *, 'not so'
  end if
  round = 0
  20 w = scaled(u, real(round, wp))
  if (first(scaled(w, 2d0)) > 100) call show('under a condition', scaled(w, 0.5d0))
  round = round + 20
  if (round < 70) go to 20
  do 30 round = 1, 3
    if (round == 2) go to 30

30 w = scaled(w, 1d0)
  call show('jumps', w)
  w = double_of(double_of(w))
  call show('generic', w)
  if (double_of(2) == 4) print '(a, f8.1)', 'guarded item', first(double_of(a=w))
  w = outside(outside(u, 2d0), 1d0)
  call show('external', w)
  w = reshaped(u)
  call show('separate', w)
  w = reshaped(7d0)
  call show('generic external', w)
  w = shortened(u)
  call show('separate, allocatable', w)
  w = begun(2d0)
  call show('function', w)
  call show('entry', entered(3d0))
  w = last(4d0)
  call show('last entry', w)
  call conditions
contains
  subroutine conditions
    integer :: j
    calls = 0
    j = 0
    do while (weighted(allocated_by(real(j, wp))) < 4000)
      j = j + 1
      if (j == 2) cycle
      if (j > 100) exit
    end do
    print *, 'do while', j, calls
    do 10, while (j < 100 .and. first(scaled(u, real(j, wp))) < 9)
10  j = j + 1
    print *, 'labelled do while', j, calls
    outer: do j = 1, 5
      which: if (j == 1) then
        print *, j, 'first', calls
      else if (weighted(allocated_by(real(j, wp))) < 3900) then which
        print *, j, 'second', calls
      else if (j == 3) then which
        print *, j, 'third', calls
        exit which
      else if (first(scaled(u, 1d0)) > &
        & j .or. weighted(allocated_by(-1d0)) > 0 .and. j < 5) then
        print *, j, 'fourth', calls
        go to 20
      else which
        print *, j, 'last', calls
        cycle outer
20    end if which
      select case (int(weighted(allocated_by(real(j, wp)))) / 1785)
      case (:-1)
        print *, 'less'
      case (2)
        cycle
      case default
        print *, 'case', calls
      end select
    end do outer
!$xmp array on t
    where (outside(u, -4d0) > 0) w = w + 1
    call show('where', w)
!$xmp array on t
    where (outside(u, 0d0) > 6)
      w = 2
    elsewhere
      w = u
    end where
    call show('where and elsewhere', w)
  end subroutine
  integer function twice_number(k)
    integer, intent(in) :: k
    twice_number = 2 * k
  end function
  function twice_array(a) result(r)
    real(wp), intent(in) :: a(n)
    real(wp) :: r(n)
!$xmp align (i) with t(i) :: a, r
!$xmp shadow (1) :: a, r
!$xmp array on t
    r = 2 * a
  end function
  real(wp) function first(a)
    real(wp), intent(in) :: a(n)
!$xmp align a(i) with t(i)
!$xmp shadow a(1)
    integer :: k
    first = 0
!$xmp loop on t(k) reduction(+:first)
    do k = 1, 1
      first = first + a(k)
    end do
  end function
  real(wp) function weighted(a)
    real(wp), intent(in) :: a(n)
!$xmp align a(i) with k(i)
    weighted = 0
!$xmp loop on k(i) reduction(+:weighted)
    do i = 1, n
      weighted = weighted + a(i) * i
    end do
  end function
  subroutine show(what, a)
    character(*), intent(in) :: what
    real(wp), intent(in) :: a(n)
!$xmp align a(i) with t(i)
!$xmp shadow a(1)
    s = 0
!$xmp loop on t(i) reduction(+:s)
    do i = 1, n
      s = s + a(i) * i
    end do
    print '(a, f12.3)', what, s
  end subroutine
end subroutine

! Without `implicit none`: i and total are the procedure's, though a BLOCK or a loop of the translation has them first.
subroutine undeclared
  integer :: seen(2)
  forall (i = 1:2) seen(i) = i
  total = 0
  block
    integer :: inside(18)
!$xmp nodes q(*)
!$xmp template s(18)
!$xmp distribute s(cyclic(2)) onto q
!$xmp align inside(a) with s(a)
!$xmp loop on s(i)
    do i = 1, 18
      inside(i) = mod(7 * i, 5)
    end do
!$xmp loop on s(i) reduction(+:total)
    do i = 1, 18
      total = total + inside(i)
    end do
  end block
  print *, 'undeclared:', i, total, seen
end subroutine

! A procedure with arrays on all nodes is executed by one of them first.
subroutine in_a_task_first
  implicit none
  integer :: k
!$xmp nodes p(*)
  do k = 1, 5
    if (mod(k, 2) == 1) then
!$xmp task on p(1)
      call work(k)
!$xmp end task
    else
      call work(k)
    end if
  end do
contains
  subroutine work(k)
    integer, intent(in) :: k
    integer :: a(9), b(k), i, s
!$xmp nodes r(*)
!$xmp template t(9)
!$xmp distribute t(block) onto r
!$xmp align a(i) with t(i)
!$xmp align b(i) with t(i)
!$xmp shadow a(1)
    a = k
    b = 1
    if (mod(k, 2) == 1) return
    s = 0
!$xmp reflect (a)
!$xmp loop on t(i) reduction(+:s)
    do i = 1, 9
      s = s + a(i) * i
    end do
    call once(s)
    print *, k, s
  end subroutine
  subroutine once(s)
    integer, intent(inout) :: s
    integer :: c(9), i
!$xmp nodes r(*)
!$xmp template t(9)
!$xmp distribute t(block) onto r
!$xmp align c(i) with t(i)
    c = 1
!$xmp loop on t(i) reduction(+:s)
    do i = 1, 9
      s = s + c(i)
    end do
  end subroutine
end subroutine

! Arrays with initial values get them once.
subroutine initial
  use tables
  implicit none
  real :: u(n, 3), x, plain(2)
  character(4) :: c(n)
  integer :: i, j, s
!$xmp template w(n)
!$xmp distribute w(cyclic) onto p
!$xmp align u(i, *) with w(i)
!$xmp align c(i) with w(i)
  data ((u(i, j), j = 1, 3), i = 1, n - 1) /30 * 2.5/, x, plain / 3.5, 2*1.0/
  data (u(n, i), i = 1, 3, 2) / 7.0, 8.0 /, u(n, 2) /9.0/
  data c /'abcd', 9*'ef', 'ghij'/
  real(8) :: total
  total = 0
!$xmp loop on t(i) reduction(+:total)
  do i = 0, n
    total = total + inherited(i) * i
  end do
  print *, 'module', total, x, plain
  s = 0
!$xmp loop on t(i) reduction(+:s)
  do i = 1, n
    s = s + listed(i) * i
  end do
  print *, 'list', s
  total = 0
!$xmp loop on w(i) reduction(+:total)
  do i = 1, n
    do j = 1, 3
      total = total + u(i, j) * i * j
    end do
  end do
  print *, 'data', total
  s = 0
!$xmp loop on w(i) reduction(+:s)
  do i = 1, n
    s = s + i * (ichar(c(i)(1:1)) + ichar(c(i)(2:2)))
  end do
  print *, 'letters', s
  do j = 1, 3
    call kept(j)
    call again(2, j)
  end do
contains
  subroutine kept(m)
    integer, intent(in) :: m
    integer :: a(n), s
!$xmp template v(n * m)
!$xmp distribute v(block) onto p
!$xmp align a(i) with v(i)
    data a /3*2, 8*1/
    s = 0
!$xmp loop on v(i) reduction(+:s)
    do i = 1, n
      a(i) = a(i) + i
      s = s + a(i) * i
    end do
    print *, 'kept', m, s
  end subroutine
  recursive subroutine again(depth, m)
    integer, intent(in) :: depth, m
    integer :: a(n) = 5, b(n), s
!$xmp template v(n)
!$xmp distribute v(block) onto p
!$xmp align (i) with v(i) :: a, b
    b = 0
!$xmp loop on v(i)
    do i = 1, n
      a(i) = a(i) + i * m
      b(i) = a(i)
    end do
    if (depth > 0) call again(depth - 1, m)
    s = 0
!$xmp loop on v(i) reduction(+:s)
    do i = 1, n
      s = s + a(i) * i + b(i)
    end do
    print *, 'again', depth, m, s
  end subroutine
end subroutine

subroutine sections  ! as arguments: each node's part of them (6.2.1)
  implicit none
  integer, parameter :: n = 18, m = 3
  integer :: v(n, m), w(0:n-1, 2, m), c(n, m), i, k, s
!$xmp nodes p(*)
!$xmp template t(n)
!$xmp distribute t(block) onto p
!$xmp template r(n)
!$xmp distribute r(cyclic) onto p
!$xmp align v(i, *) with t(i)
!$xmp align w(i, *, *) with t(i + 1)
!$xmp align c(i, *) with r(i)
!$xmp shadow v(1, 0)
!$xmp loop on t(i)
  do i = 1, n
    v(i, :) = [(100 * k + i, k = 1, m)]
    w(i - 1, 1, :) = [(1000 * k + i, k = 1, m)]
    w(i - 1, 2, :) = i * i
  end do
!$xmp loop on r(i)
  do i = 1, n
    c(i, :) = [(10 * k + i, k = 1, m)]
  end do
  do k = 1, m
    call smooth(v(:, k), n)
    call smooth(v(1, k), n)
    print *, 'sections', k, weighted(v(:, k)), cyclic(c(:, k)), plane(w(:, :, k)), plane(w(0, 1, k))
  end do
  s = 0
!$xmp loop on t(i) reduction(+:s)
  do i = 1, n
    call add(w(i - 1, :, 2), s)
  end do
  print *, 'sections', s
contains
  subroutine smooth(x, n)
    integer, intent(in) :: n
    integer :: x(n), y(n), i
!$xmp align (i) with t(i) :: x, y
!$xmp shadow x(1)
!$xmp reflect (x)
!$xmp loop on t(i)
    do i = 2, n - 1
      y(i) = 2 * x(i - 1) - x(i + 1)
    end do
!$xmp loop on t(i)
    do i = 2, n - 1
      x(i) = y(i)
    end do
  end subroutine
  integer function weighted(x) result(s)
    integer :: x(:), i
!$xmp align x(i) with t(i)
!$xmp shadow x(1)
    s = 0
!$xmp loop on t(i) reduction(+:s)
    do i = 1, n
      s = s + i * x(i)
    end do
  end function
  integer function cyclic(x) result(s)
    integer :: x(n), i
!$xmp align x(i) with r(i)
    s = 0
!$xmp loop on r(i) reduction(+:s)
    do i = 1, n
      s = s + i * x(i)
    end do
  end function
  integer function plane(x) result(s)
    integer :: x(0:n-1, 2), i
!$xmp align x(i, *) with t(i + 1)
    s = 0
!$xmp loop on t(i + 1) reduction(+:s)
    do i = 0, n - 1
      s = s + i * sum(x(i, :))
    end do
  end function
  subroutine add(x, s)
    integer, intent(in) :: x(2)
    integer, intent(inout) :: s
    s = s + x(1) * x(2)
  end subroutine
end subroutine
