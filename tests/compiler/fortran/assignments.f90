! gmove, sections in bcast and reduction, and array, with results that do not depend on the number of nodes: prints the same as plain
! gfortran.
module shapes
  implicit none
  type point
    real :: x
    integer :: tag(3)
  end type
end module

program assignments
  use shapes
  implicit none
  integer, parameter :: n = 12, m = 9, zero = 0
  integer :: a(n, m), b(0:n - 1, -3:m - 4), v(n), w(n)
  real(8) :: d(m, n)
  integer :: local(n, m), line(-2:n - 3), scalar, k, i, j, place, step
  integer, allocatable :: some(:, :)
  character(3) :: name
  type(point) :: here, all(4)
!$xmp nodes p(*)
!$xmp template t(n, m)
!$xmp template r(0:n - 1, -3:m - 4)
!$xmp distribute t(*, block) onto p
!$xmp distribute r(block, *) onto p
!$xmp align a(i, j) with t(i, j)
!$xmp align b(i, j) with r(i, j)
!$xmp align d(j, i) with t(i, j)
!$xmp align v(i) with t(i, *)
!$xmp align w(i) with t(i, *)
!$xmp shadow a(0, 1)

!$xmp loop on t(*, j)
  do j = 1, m
    do i = 1, n
      a(i, j) = 100 * i + j
    end do
  end do
  allocate (some(0:3, 2:5))
  local = 0; scalar = 7; k = 4; step = -2

!$xmp gmove
  b(:, :) = a(:, :)
!$xmp gmove
  local(:, :) = b(:, :)
  print *, 'transposed distribution:', sum(local * reshape([(i, i = 1, n * m)], [n, m]))
!$xmp gmove
  b = a
!$xmp gmove
  local = b
  print *, 'whole arrays:', sum(local)
!$xmp gmove
  b(1:k, -1) = a(k:k + 3, 2)
!$xmp gmove
  b(n - 1:5:step, 0) = a(1:4, m)
!$xmp gmove
  b(:4:2, m - 4) = a(3, 1:3)
!$xmp gmove
  local(:, 3) = &  ! on two lines
    b(:, -1)
!$xmp gmove
  local(:, 4) = b(:, 0); print *, 'columns:', local(:, 3), local(:, 4)
!$xmp gmove
  line(:) = b(:, m - 4)
  print *, 'lower bounds of a local array:', line
!$xmp gmove
  some(1:2, 3:5:2) = a(4:5, 1:5:4)
  print *, 'part of an allocatable array:', some(1:2, 3:5:2)
!$xmp gmove
  d(2:m, 3) = a(n, 1:m - 1)
!$xmp gmove
  scalar = a(3, k)
  print *, 'one element:', scalar
!$xmp gmove
  a(5, 1) = scalar
!$xmp gmove
  a(6, 2:3) = 17
!$xmp gmove
  a(7:8, m) = zero
!$xmp gmove
20 local = a
  print *, 'values:', sum(local), local(5, 1), local(6, :), local(7, :), local(1:2, 1)
!$xmp gmove in
  line(0:3) = a(1:4, 2)
!$xmp gmove out async(4)
  b(0:3, 1) = line(0:3)
!$xmp wait_async (4)
!$xmp barrier
!$xmp gmove
  line(0:3) = b(0:3, 1)
  print *, 'in, out:', line(0:3)

  ! ---- what a clause names: sections, elements, global arrays, derived types, location variables ----
  v = 0; w = 0
  here = point(0, 0); all = here; name = 'old'
!$xmp task on p(1)
  v = [(i, i = 1, n)]; w(3:11:4) = [5, 6, 7]
  here = point(2.5, [1, 2, 3]); all(2:4:2) = here; name = 'new'; some(1, :) = 8
!$xmp end task
!$xmp bcast (v, w(3:11:4), here, all(1:4), name, some(1, 2:5)) from p(1)
!$xmp bcast (all(2)%tag(1:2), here%x) from p(1) on p
  print *, 'bcast of sections:', v, w, some(1, :)
  print *, 'bcast of derived types:', here, all, name
!$xmp reduction(max:v(2:4), w) on p
!$xmp reduction(min:v(1), line(0:3))
  print *, 'reduction of sections:', v, w, line(0:3)
  place = 1; k = 9; i = 3
!$xmp reduction(max:i/place, line(0:1)/) on p
  print *, 'location variables:', i, place, line(0:1)
  call constructs()
  call scattered()
end program

! The array construct: each node assigns its part.
subroutine constructs()
  implicit none
  integer, parameter :: n = 20, m = 6
  integer :: a(n, m), b(n, m), v(0:n), w(n), c(n, m), d(n, m), local(n, m), weight(n, m), i, j, k, s
  real :: x(n), y(n)
!$xmp nodes p(*)
!$xmp template t(0:n)
!$xmp template r(n)
!$xmp template q(n)
!$xmp distribute t(block) onto p
!$xmp distribute r(cyclic) onto p
!$xmp distribute q(cyclic(3)) onto p
!$xmp align a(i, *) with t(i)
!$xmp align b(i, *) with t(i)
!$xmp align v(i) with t(i)
!$xmp align w(i) with t(i - 1)
!$xmp align c(i, *) with r(i)
!$xmp align d(i, *) with q(i)
!$xmp align (i) with t(i) :: x, y
!$xmp shadow v(1)
  local = reshape([(i, i = 1, n * m)], [n, m]); k = 3; weight = local * 3 - 7
!$xmp array on t(1:n)
  a(:, :) = local
!$xmp array on t(1:n)
  b = 0
!$xmp array on t
  v = 1
!$xmp array on t(:)
  b(2:n - 1, 2:m) = a(2:n - 1, 1:m - 1) * k + local(3:n, 2:m)
!$xmp array on t(1:n)
  b(:, 1) = max(a(:, 1), a(:, m)) + sum(local)
!$xmp array on t(2:n:3)
  v(2:n:3) = v(2:n:3) * 5
!$xmp reflect (v)
!$xmp array on t(1:n - 1)
  w(2:n) = v(0:n - 2) + v(2:n)
!$xmp array on r
  c = 1
!$xmp array on r(3:n)
  c(3:n, 2) = c(3:n, 2) + 5
!$xmp array on q(2:)
  d(2:n, :) = k
!$xmp array on q
  d(1:1, 1:m) = 8
!$xmp array on t(1:n)
  where (mod(a(:, 2:3), 2) == 0) a(:, 2:3) = -a(:, 2:3)
!$xmp array on t(1:n)
  where (a(:, :) > 50)
    a(:, :) = 50
  elsewhere (a < 0)
    a = b
  elsewhere
    a(:, :) = a + 1
  end where
!$xmp array on t
  forall (i = 2:n - 1:2, j = 1:m, mod(i, 3) /= 0) a(i + 1, j) = a(i + 1, j) * j
!$xmp array on r(:)
  forall (i = 3:n)
    c(i, 1) = i + c(i, 1)
    c(i, 4) = c(i, 2) - i
  end forall
!$xmp gmove
  local = a
  print *, 'where:', sum(local * weight)
!$xmp gmove
  local = b
  print *, 'where, b:', sum(local(2:n - 1, :) * weight(2:n - 1, :)), local(:, 1)
!$xmp gmove
  local(:, 1) = v(1:n)
!$xmp gmove
  local(:, 2) = w
  print *, 'steps, shifted:', local(:, 1), local(2:n, 2)
!$xmp gmove
  local = c
  print *, 'cyclic:', sum(local * weight)
!$xmp gmove
  local = d
  print *, 'cyclic(3):', sum(local * weight)
end subroutine

! Along cyclic dimensions in any step and alignment; vector subscripts, components; a function that asks for the executing set.
subroutine scattered()
  implicit none
  integer, parameter :: n = 23, m = 4
  type pair
    real(8) :: x
    integer :: k
  end type
  type holder
    integer :: v(n), one
  end type
  integer :: a(n), b(n), c(n), e(0:n, m), plain(n), idx(n), col(m), i, j, k, s
  type(pair) :: g(n)
  type(holder) :: h
  integer :: w(n)
!$xmp nodes p(*)
!$xmp template t(0:n)
!$xmp distribute t(cyclic) onto p
!$xmp template q(0:n)
!$xmp distribute q(cyclic(3)) onto p
!$xmp template r(0:n)
!$xmp distribute r(block) onto p
!$xmp align a(i) with t(i)
!$xmp align b(i) with t(i - 1)
!$xmp align c(i) with q(i)
!$xmp align e(i, *) with q(i)
!$xmp align g(i) with r(i)
  plain = [(i * i, i = 1, n)]; idx = [(n + 1 - i, i = 1, n)]; col = [3, 1, 4, 2]; k = 2
  h%v = plain + 1; h%one = 7
!$xmp array on t(1:n)
  a = plain
!$xmp array on t(0:n - 1)
  b(:) = plain * 2
!$xmp array on t(2:n:3)
  a(2:n:3) = a(2:n:3) + plain(1:n - 1:3)
!$xmp array on t(2:n - 1)
  a(2:n - 1) = a(2:n - 1) + b(3:n)
!$xmp array on t(n:1:-2)
  a(n:1:-2) = a(n:1:-2) * h%v(1:n:2) + h%one
!$xmp array on q(1:n)
  c(:) = plain(idx) + idx(idx(:)) * k
!$xmp array on q(1:n:4)
  c(1:n:4) = c(1:n:4) - plain(1:n:4)
!$xmp array on q(k:n:5)
  where (c(k:n:5) > 30)
    c(k:n:5) = -c(k:n:5)
  elsewhere
    c(k:n:5) = 0
  end where
!$xmp array on q(:)
  e = 1
!$xmp array on q(1:n)
  e(1:n, col) = e(1:n, [4, 3, 2, 1]) + spread(plain, 2, m) * 0 + 1
!$xmp array on q(1:n)
  e(1:n, 2) = e(1:n, col(1)) + c + h%v
!$xmp array on q(1:n:2)
  e(1:n:2, 2:4) = e(1:n:2, 1:3) + 1  ! all is read before
!$xmp array on q(1:n)
  forall (i = 1:n, j = 2:4) e(i, j) = e(i, j - 1) + e(i, j)
!$xmp array on q(2:n:3)
  forall (i = 2:n:3, modulo(i, 2) == 0 .or. plain(i) > 200) c(i) = c(i) + i * plain(n + 1 - i)
!$xmp array on q
  forall (i = n:1:-1, j = 1:m, j /= 2)
    e(i - 1, j) = e(i - 1, j) + i * j + merge(plain(i), idx(i), mask=i > k)
  end forall
!$xmp array on r(2:n)
  g(2:n)%k = plain(2:n)
!$xmp array on r(1:n)
  g%x = h%v * 0.5d0
!$xmp array on r
  g(:)%k = counted(1)
!$xmp array on r(2:n)
  g(2:n)%k = plain(2:n)
!$xmp array on r(3:n)
  g(3:n)%x = g(3:n)%x + g(3:n)%k + sqrt(real(plain(3:n), 8))
!$xmp gmove
  w(:) = a(:)
  print '(a, 30i7)', 'a:', w
!$xmp gmove
  w(:) = b(:)
  print '(a, 30i7)', 'b:', w
!$xmp gmove
  w(:) = c(:)
  print '(a, 30i7)', 'c:', w
  do j = 1, m
!$xmp gmove
    w(:) = e(1:n, j)
    print '(a, i0, a, 30i7)', 'e', j, ':', w
  end do
  s = 0
!$xmp loop on r(i) reduction(+:s)
  do i = 2, n
    s = s + g(i)%k * i + int(g(i)%x)
  end do
  print *, 'g:', s
contains
  integer function counted(x)
    integer, intent(in) :: x
    counted = x
!$xmp barrier
  end function
end subroutine
