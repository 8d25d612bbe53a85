! Layouts and nests: every distribution, every form of a distributed loop; OpenMP beside them. Prints the same as plain gfortran
! does without OpenMP, each result behind the name of its case.
program layouts
  implicit none
  call cyclic()
  call nests()
  call reductions()
  call blocks_inside()
  call threads_first()
end program

subroutine cyclic
  implicit none
  integer, parameter :: n = 37, m = 5
  integer :: a(n), b(n), c(n), d(0:n), g(n, m), wide(n)
  integer :: i, j, k, s, step
!$xmp nodes p(*)
!$xmp template t(n)
!$xmp template t3(0:n)
!$xmp template t9(n)
!$xmp template tb(n)
!$xmp distribute t(cyclic) onto p
!$xmp distribute t3(cyclic(3)) onto p
!$xmp distribute t9(cyclic(9)) onto p
!$xmp distribute tb(block) onto p
!$xmp align a(i) with t(i)
!$xmp align b(i) with t(i)
!$xmp align c(i) with t9(i)
!$xmp align d(i) with t3(i)
!$xmp align g(i,j) with t3(i)
  step = 2
!$xmp loop on t(i)
  do i = 1, n
    a(i) = i * i
    b(i) = 0
  end do
  print *, 'variable after a loop over positions:', i
!$xmp loop on t(i)
  do i = n, 1, -1
    b(i) = a(i) + 1
  end do
!$xmp loop on t(i)
  do i = 2, n - 1, step
    b(i) = a(i) + i
  end do
!$xmp loop on t(i)
  do i = n - 2, 2, -3
    b(i) = b(i) + a(i)
  end do
!$xmp loop on t3(i)
  do i = 0, n
    d(i) = i * 3
  end do
!$xmp loop on t3(i)
  do i = n, 0, -1
    d(i) = d(i) + i
  end do
!$xmp loop on t3(i)
  do i = n, 0, -2
    d(i) = d(i) + i
  end do
!$xmp loop on t3(i)
  do i = 1, n, 2
    d(i) = d(i) * 2
  end do
!$xmp loop on t9(i)
  do i = 1, n
    c(i) = 2 * i
  end do
!$xmp loop on t9(i)
  do i = n, 1, -1
    c(i) = c(i) + 1
  end do
!$xmp loop on t9(i)
  do i = 5, n, 4
    c(i) = c(i) + i
  end do
!$xmp loop on t3(i)
  do 10 j = 1, m
    do 10 i = 1, n
10  g(i, j) = i * 100 + j
  s = 0
!$xmp loop on t3(i) reduction(+:s)
  do i = 1, n
    s = s + i
  end do
  print *, 'sum of a loop without arrays:', s
  s = 0
!$xmp loop on t(i) reduction(+:s)
  do i = 1, n, 3
    s = s + i * (i + 1)
  end do
  print *, 'sum in steps of three:', s
  s = 0
!$xmp loop on t(i) reduction(+:s)
  do i = 1, n
    s = s + a(i) * 3 + b(i)
  end do
  print *, 'cyclic:', s
  s = 0
!$xmp loop on t3(k) reduction(+:s)
  do k = 0, n
    s = s + d(k) * (k + 1)
  end do
  print *, 'cyclic(3):', s
  s = 0
!$xmp loop on t9(i) reduction(+:s)
  do i = 1, n
    s = s + c(i) * (mod(i, 7) + 1)
  end do
  print *, 'cyclic(9):', s
  s = 0
!$xmp loop on t3(i) reduction(+:s)
  do i = 1, n
    do j = 1, m
      s = s + g(i, j) * j
    end do
  end do
  print *, 'labels and cyclic(3):', s
  s = 0
!$xmp loop on t3(i) reduction(+:s)
  do i = 2, n
    s = s + g(i + 0, 1) + mod(g((i), 2), 7)
  end do
  print *, 'general subscripts:', s
!$xmp task on t(5)
  print *, 'an element:', a(5), a(step + 3)
!$xmp end task
end subroutine

subroutine nests
  implicit none
  integer, parameter :: n = 29
  integer :: a(n), b(0:n+1), x(n), c(n, n), cc(n, n), lo(3), hi(3), u(0:n+1,0:n+1), w(0:n+1,0:n+1)
  integer :: i, j, k, s, first(n), sum_of
  external sum_of
!$xmp nodes p(*)
!$xmp nodes q(*)
!$xmp template t(0:n+1)
!$xmp template tc(n)
!$xmp template t5(n)
!$xmp template tt(0:n+1, 0:n+1)
!$xmp distribute t(block) onto p
!$xmp distribute tc(cyclic) onto p
!$xmp distribute t5(cyclic(5)) onto p
!$xmp distribute tt(*, block) onto p
!$xmp align a(i) with t(i)
!$xmp align b(i) with t(i)
!$xmp shadow b(1)
!$xmp align x(i) with t5(i)
!$xmp align c(*, i) with t(i)
!$xmp align cc(*, i) with tc(i)
!$xmp align u(*, i) with tt(*, i)
!$xmp align w(*, i) with tt(*, i)
!$xmp shadow u(0, 1)
!$xmp shadow w(0, 1)
  first = [(mod(i, 5) + 1, i = 1, n)]
!$xmp loop (j) on t(j)
  do j = 1, n
    do i = 1, n
      c(i, j) = i + 100 * j
    end do
  end do
!$xmp loop (j) on tc(j)
  do 30 j = 1, n
    do 30 i = 1, j
      cc(i, j) = i + 100 * j
30 continue
  ! dependent bounds
  s = 0
!$xmp loop (j) on tc(j) reduction(+:s)
  do i = 1, n
    do j = first(i), i, 2
      s = s + cc(1, j) * i
    end do
  end do
  print *, 'dependent:', s
  s = 0
!$xmp loop (j) on t5(j) reduction(+:s)
  do i = 1, n
    inner: do j = first(i), i, 2
      if (mod(j, 3) == 0) cycle inner
      x(j) = j
      s = s + x(j) * i
    end do inner
  end do
  print *, 'dependent cyclic(5):', s
  s = 0
!$xmp loop (j) on t5(j) reduction(+:s)
  do 40 i = 1, n
    do 40 j = i, 1, -1
      x(j) = j
      if (mod(j, 3) == 0) goto 40
40    s = s + x(j) * i
  print *, 'dependent cyclic(5), labels:', s
  ! OpenMP, both orders
!$omp parallel do
!$xmp loop on t(i)
  do i = 1, n
    a(i) = 2 * i
  end do
!$omp end parallel do
  s = 0
!$xmp loop on t5(i)
!$omp parallel do private(j)
  do i = 1, n
    j = i
    x(i) = 2 * i + j
  end do
!$omp end parallel do
!$omp parallel do reduction(+:s)
!$xmp loop on t5(i) reduction(+:s)
  do i = 1, n
    s = s + x(i) * i + 1
  end do
!$omp end parallel do
  print *, 'omp:', s, i
  s = 0
!$xmp loop (j) on t5(j) reduction(+:s)
!$omp parallel do reduction(+:s) collapse(2)
  do j = 1, n
    do i = 1, 3
      s = s + x(j) * i + j
    end do
  end do
  print *, 'omp collapse:', s, j
  ! widths
!$xmp loop on t(i)
  do i = 0, n + 1
    b(i) = i * i
  end do
!$xmp loop on t(i) expand(1)
  do i = 1, n
    b(i) = 3 * i
  end do
  s = 0
!$xmp loop on t(i) reduction(+:s)
  do i = 2, n - 1
    s = s + b(i - 1) + 2 * b(i + 1)
  end do
  print *, 'expand:', s
!$xmp loop (i, j) on tt(i, j)
  do j = 0, n + 1
    do i = 0, n + 1
      u(i, j) = i * j + i
      w(i, j) = -1
    end do
  end do
!$xmp reflect (u) async(4)
!$xmp loop (i, j) on tt(i, j) peel_and_wait(4, 0, -1)
  do j = 1, n
    do i = 1, n
      w(i, j) = sum_of(u(i, j - 1), u(i, j + 1))  ! unknown here: it may ask for its executing set, this node alone
    end do
  end do
  s = 0
!$xmp loop (i, j) on tt(i, j) reduction(+:s)
  do j = 0, n + 1
    do i = 0, n + 1
      s = s + w(i, j) * mod(i + 2 * j, 7)
    end do
  end do
  print *, 'peel_and_wait:', s
  ! loops on nodes
  s = 0
!$xmp loop on t(i) reduction(+:s)
  do i = 1, n
    s = s + a(i)
  end do
  print *, 'loop on t:', s
  lo = [1, 1, 1]; hi = [1, 1, 1]
  s = 0
!$xmp loop on p(lo(i):hi(i))
  do 50 i = 1, 3
    if (i == 2) goto 50
!$xmp task on p(1)
    s = s + i
!$xmp end task
50 continue
!$xmp bcast (s)
  print *, 'general:', s, i
end subroutine

subroutine reductions
  implicit none
  type totals
    integer :: sum, parts(2)
    real(8) :: most(3)
  end type
  type(totals) :: t_, many(2)
  integer :: row(4)
  integer, parameter :: n = 31
  integer :: a(n), c(n), g(n, n), i, j, best, where_, place(2), at
  integer :: w(0:n+1)
  logical :: found
  real(8) :: x
!$xmp nodes p(*)
!$xmp template t(0:n+1)
!$xmp template tc(n)
!$xmp distribute t(block) onto p
!$xmp distribute tc(cyclic(3)) onto p
!$xmp align a(i) with t(i)
!$xmp align c(i) with tc(i)
!$xmp align w(i) with t(i)
!$xmp align g(*, i) with tc(i)
!$xmp shadow w(1)
!$xmp loop on t(i)
  do i = 1, n
    a(i) = mod(i * 7, 11)
  end do
!$xmp loop on tc(i)
  do i = 1, n
    c(i) = mod(i * 5, 13)
  end do
!$xmp loop on tc(j)
  do j = 1, n
    do i = 1, n
      g(i, j) = mod(i * j, 17) 
    end do
  end do
  best = -1; where_ = 0
!$xmp loop on t(i) reduction(firstmax: best / where_ /)
  do i = 1, n
    if (a(i) <= best) cycle
    best = a(i)
    where_ = i
  end do
  print *, 'firstmax:', best, where_
  best = 100; at = 0
!$xmp loop on tc(i) reduction(lastmin: best / at /)
  do i = 1, n
    if (c(i) <= best) then
      best = c(i)
      at = i
    end if
  end do
  print *, 'lastmin, cyclic(3):', best, at
  x = 0; place = 0; found = .false.
!$xmp loop (j) on tc(j) reduction(firstmax: x / place, found /)
  do 10 i = 1, n
    do 10 j = n, 1, -2
      if (g(i, j) > x) then
        x = g(i, j)
        place = [i, j]; found = .true.
      end if
10 continue
  print *, 'firstmax, downwards:', x, place, found
!$xmp loop on t(i)
  do i = 0, n + 1
    w(i) = 0
  end do
!$xmp reflect (w)
!$xmp loop on t(i)
  do i = 1, n
    w(i - 1) = w(i - 1) + i
    w(i + 1) = w(i + 1) + 2 * i
  end do
!$xmp reduce_shadow (w)
  at = 0
!$xmp loop on t(i) reduction(+:at)
  do i = 0, n + 1
    at = at + i * w(i)
  end do
  print *, 'reduce_shadow:', at
  t_%sum = 5; t_%parts = [1, 2]; many(2)%most = -1; row = 3
!$xmp loop on tc(i) reduction(+: t_%sum, row(2), t_%parts) reduction(max: many(2)%most(3))
  do i = 1, n
    t_%sum = t_%sum + c(i)
    row(2) = row(2) + 1
    t_%parts(1 + mod(i, 2)) = t_%parts(1 + mod(i, 2)) + i
    many(2)%most(3) = max(many(2)%most(3), real(c(i) * 2, 8))
  end do
  print *, 'elements and components:', t_%sum, t_%parts, many(2)%most, row
end subroutine

subroutine blocks_inside
  implicit none
  integer :: a(5, 11), b(11)
  common /inside/ a, b  ! nothing of it is left
  integer :: i, j, s
!$xmp nodes p(*)
!$xmp template t(5, 11)
!$xmp distribute t(*, cyclic(2)) onto p
!$xmp align a(i, j) with t(i, j)
!$xmp align b(j) with t(*, j)
!$xmp loop (i, j) on t(i, j)
  do i = 1, 5
    do j = 1, 11
      a(i, j) = i + 10 * j
    end do
  end do
  s = 0
!$xmp loop (i, j) on t(i, j) reduction(+:s)
  do i = 5, 1, -1
    do j = 1, 11
      b(j) = a(i, j) * j
      s = s + b(j)
    end do
  end do
  print *, 'blocks of cyclic(2), inside of another loop:', s
end subroutine

integer function sum_of(a, b)
  implicit none
  integer, intent(in) :: a, b
  sum_of = a + b
end function

subroutine threads_first
  dimension a(20)
  integer, save :: own
!$xmp nodes p(*)
!$xmp template t(20)
!$xmp distribute t(block) onto p
!$xmp align a(i) with t(i)
!$omp threadprivate (own)
!$omp parallel do
!$xmp loop on t(i)
  do i = 1, 20
    a(i) = 3 * i
  end do
!$omp end parallel do
  s = 0
!$xmp loop on t(i) reduction(+:s)
  do i = 1, 20
    s = s + a(i)
  end do
  own = nint(s)
  print *, 'threads first:', own
end subroutine
