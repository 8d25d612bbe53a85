! Global arrays that the program allocates, templates that get a shape later, pointers, recursive procedures: prints what
! plain gfortran prints, each result behind the name of its case.
module grid
  implicit none
  integer, parameter :: dp = kind(1d0)
  real(dp), allocatable :: u(:, :)
  real(dp) :: fixed(20)
!$xmp nodes p(*)
!$xmp template t(:, :)
!$xmp distribute t(*, block) onto p
!$xmp template f(:)
!$xmp distribute f(block) onto p
!$xmp align u(i, j) with t(i, j)
!$xmp shadow u(0, 1)
!$xmp align fixed(i) with f(i)
contains
  subroutine prepare(n)
    integer, intent(in) :: n
    integer :: i, j, error
!$xmp template_fix t(n, n)
    allocate (u(n, n), stat=error)
    print *, 'allocated:', error, allocated(u)
    allocate (u(n, n), stat=error)
    print *, 'allocated again:', error
!$xmp loop (i, j) on t(i, j)
    do j = 1, n
      do i = 1, n
        u(i, j) = i + 100 * j
      end do
    end do
  end subroutine
end module

module arguments
  implicit none
  integer, parameter :: n = 11
!$xmp nodes p(*)
!$xmp template t(n)
!$xmp distribute t(block) onto p
!$xmp template c(n)
!$xmp distribute c(cyclic) onto p
contains
  subroutine make(a, first)
    real(8), allocatable, intent(out) :: a(:)
    integer, intent(in) :: first
    integer :: i
!$xmp align a(i) with t(i)
!$xmp shadow a(1)
    allocate (a(n))
!$xmp loop on t(i)
    do i = 1, n
      a(i) = i * first
    end do
!$xmp reflect (a)
  end subroutine
  subroutine ensure(a)
    real(8), allocatable, intent(inout) :: a(:)
    integer :: i
!$xmp align a(i) with t(i)
!$xmp shadow a(1)
    if (.not. allocated(a)) call make(a, 100)
!$xmp loop on t(i)
    do i = 1, n
      a(i) = a(i) + 1
    end do
  end subroutine
  recursive subroutine clear(a, depth)
    real(8), allocatable, intent(inout) :: a(:)
    integer, intent(in) :: depth
!$xmp align a(i) with t(i)
!$xmp shadow a(1)
    if (depth > 0) then
      call clear(a, depth - 1)
    else
      if (allocated(a)) deallocate (a)
      allocate (a(n), source=7d0)
    end if
  end subroutine
  subroutine aim(q, on)
    integer, pointer :: q(:)
    integer, target :: on(n)
!$xmp align (i) with c(i) :: q, on
    q => on
  end subroutine
  real(8) function total(a)
    real(8), allocatable, optional :: a(:)
    integer :: i
!$xmp align a(i) with t(i)
!$xmp shadow a(1)
    total = -1
    if (present(a)) then
      total = 0
!$xmp loop on t(i) reduction(+:total)
      do i = 1, n
        total = total + a(i)
      end do
    end if
  end function
end module

module kinds_of_elements
  implicit none
  type point
    real(8) :: x = -1, v(3) = 0
    integer :: n = 0
  end type
contains
  subroutine mark(names, n, l)
    integer, intent(in) :: n, l
    character(*), intent(inout) :: names(n)
    character(l) :: own(n)
    integer :: i
!$xmp nodes q(*)
!$xmp template tn(n)
!$xmp distribute tn(block) onto q
!$xmp align (i) with tn(i) :: names, own
!$xmp loop on tn(i)
    do i = 1, n
      own(i) = 'abcdefgh'
      names(i) = trim(own(i)) // names(i)(1:2)
    end do
  end subroutine
end module

program alloc
  use grid, w => u
  implicit none
  integer :: i, j, n, m, k
  integer, allocatable :: a(:), plain(:)
  integer, pointer :: x(:), y(:), z(:)
  integer, target :: v(30)
  real(dp) :: s
  integer :: sizes(7)
  integer :: waits(12)
!$xmp template g(:)
!$xmp template h(30)
!$xmp distribute g(gblock(*)) onto p
!$xmp distribute h(cyclic(2)) onto p
!$xmp align a(i) with h(i)
!$xmp align x(i) with h(i)
!$xmp align y(i) with h(i)
!$xmp align z(i) with h(i)
!$xmp align v(i) with h(i)
!$xmp align waits(i) with g(i)
  n = 25
  call prepare(n)
  s = 0
!$xmp loop (j) on t(:, j) reduction(+:s)
  do j = 1, n
    do i = 1, n
      s = s + w(i, j)
    end do
  end do
  print *, 'allocatable in a module:', s
  deallocate (w)
  print *, 'freed:', allocated(w)
  if (.not. allocated(w)) allocate (w(n, n), plain(3))
!$xmp template_fix f(20)
  block
!$xmp loop on f(i)
  do i = 1, 20
    fixed(i) = i
  end do
  s = 0
!$xmp loop on f(i) reduction(+:s)
  do i = 1, 20
    s = s + fixed(i) * i
  end do
  print *, 'fixed later:', s
  end block
  sizes = 0
  sizes(1) = 12
!$xmp template_fix(gblock(sizes)) g(12)
  do k = 1, 3
    call local(10 * k, s)
    print *, 'shape of each call:', s
  end do
  call recurse(4, k)
  print *, 'recursive:', k
  k = 0
!$xmp task on p(1)
  call executing(k)
!$xmp end task
  call executing(k)
  print *, 'nodes of each call:', k
  do k = 10, 16
    call passing(k, s)
    print *, 'passed under another template:', s
  end do
  allocate (a(30))
  allocate (x(30), y(30))
!$xmp loop on h(i)
  do i = 1, 30
    a(i) = i; x(i) = 2 * i; y(i) = 3 * i; v(i) = 7 * i
  end do
  z => x
  x => y
  y => z
  k = 0
!$xmp loop on h(i) reduction(+:k)
  do i = 1, 30
    k = k + a(i) + x(i) * i + 2 * y(i)
  end do
  print *, 'pointers:', k
  z => v
  k = 0
!$xmp loop on h(i) reduction(+:k)
  do i = 1, 30
    k = k + z(i)
  end do
  print *, 'a target:', k
  print *, 'inquiries:', size(v), shape(w), size(w, 2), lbound(v, 1), ubound(v), size(v, kind=8), associated(z, v)
  call blocks(3, k)
  print *, 'ends of a BLOCK:', k
  nullify (z)
  deallocate (a, x, y)
  call allocatable_arguments
  call other_types
  call deferred
contains
  subroutine local(n, s)
    integer, intent(in) :: n
    real(dp), intent(out) :: s
    real(dp), allocatable :: b(:)
    real(dp) :: c(n)
    integer :: i
!$xmp template t2(:)
!$xmp distribute t2(cyclic) onto p
!$xmp align b(i) with t2(i)
!$xmp align c(i) with t2(i)
!$xmp template_fix t2(n)
    allocate (b(n))
!$xmp loop on t2(i)
    do i = 1, n
      b(i) = i; c(i) = 2
    end do
    s = 0
!$xmp loop on t2(i) reduction(+:s)
    do i = 1, n
      s = s + b(i) * c(i)
    end do
    if (n == 20) return
    s = s + 1
  end subroutine
  recursive subroutine blocks(rounds, total)  ! each round leaves the block in another way
    integer, intent(in) :: rounds
    integer, intent(out) :: total
    integer :: i, round, part
    integer, allocatable :: outside(:)
!$xmp align outside(i) with h(i)
    total = 0
    do round = 1, rounds
      block
        integer, allocatable :: b(:)
!$xmp template t4(:)
!$xmp distribute t4(block) onto p
!$xmp align b(i) with t4(i)
!$xmp template_fix t4(10 * round)
        allocate (b(10 * round))
        part = 0
!$xmp loop on t4(i)
        do i = 1, 10 * round
          b(i) = i + size(b)
        end do
!$xmp loop on t4(i) reduction(+:part)
        do i = 1, 10 * round
          part = part + b(i)
        end do
        total = total + part
        if (round == 2) cycle
        allocate (outside(30))
        if (round == 3) return
        deallocate (outside)
      end block
    end do
  end subroutine
  subroutine executing(k)
    integer, intent(out) :: k
    integer :: e(30), i
!$xmp nodes now(*) = *
!$xmp template t5(30)
!$xmp distribute t5(block) onto now
!$xmp align e(i) with t5(i)
    k = 0
!$xmp loop on t5(i) reduction(+:k)
    do i = 1, 30
      e(i) = i
      k = k + e(i)
    end do
  end subroutine
  recursive subroutine passing(n, s)
    integer, intent(in) :: n
    real(dp), intent(out) :: s
    integer :: a(n), b(n), c(n), i
!$xmp template t7(n)
!$xmp distribute t7(block) onto p
!$xmp align (i) with t7(i) :: a, b, c
!$xmp loop on t7(i)
    do i = 1, n
      a(i) = i; c(i) = 3 * i
    end do
    s = shifted(a, n)
!$xmp gmove
    b(1:n) = c(1:n)
!$xmp gmove
    a(1:n) = b(1:n)
    s = s + shifted(a, n)
  end subroutine
  integer function shifted(e, n) result(k)  ! the same, seen under a template of its own
    integer, intent(in) :: n, e(0:n - 1)
    integer :: i
!$xmp template t8(0:n - 1)
!$xmp distribute t8(block) onto p
!$xmp align e(i) with t8(i)
    k = 0
!$xmp loop on t8(i) reduction(+:k)
    do i = 0, n - 1
      k = k + e(i)
    end do
  end function
  integer function total_of(e, n) result(k)  ! remembers an argument that is gone at the next call
    integer, intent(in) :: n, e(n)
    integer :: i
!$xmp template t6(n)
!$xmp distribute t6(block) onto p
!$xmp align e(i) with t6(i)
    k = 0
!$xmp loop on t6(i) reduction(+:k)
    do i = 1, n
      k = k + e(i)
    end do
  end function
  recursive subroutine recurse(n, k)
    integer, intent(in) :: n
    integer, intent(out) :: k
    integer :: e(n), i, below
!$xmp template t3(n)
!$xmp distribute t3(block) onto p
!$xmp align e(i) with t3(i)
    k = 0
    below = 0
    if (n < 0) return
!$xmp loop on t3(i)
    do i = 1, n
      e(i) = i * n
    end do
    if (n > 1) call recurse(n - 1, below)
    k = total_of(e, n) + below
  end subroutine
end program

subroutine allocatable_arguments
  use arguments
  implicit none
  real(8), allocatable :: u(:), v(:), w(:), plain(:)
  integer, target :: x(n)
  integer, pointer :: q(:)
  integer :: i, error
  character(40) :: why
!$xmp align (i) with t(i) :: u, v, w
!$xmp shadow (1) :: u, v, w
!$xmp align (i) with c(i) :: x, q
  do i = 1, 3
    call make(u, i)
    print *, 'make', i, ':', total(u)
  end do
  call ensure(u)
  call ensure(v)
  call ensure(v)
  print *, 'ensure:', total(u), total(v), total()
!$xmp reflect (u, v)
  call clear(v, 3)
!$xmp reflect (v)
  print *, 'clear:', total(v), size(v)
!$xmp loop on c(i)
  do i = 1, n
    x(i) = i
  end do
  call aim(q, x)
  i = 0
!$xmp loop on c(i)
  do i = 1, n
    q(i) = q(i) + 1
  end do
  call sum_up(x)
  allocate (w, source=u)
  print *, 'source:', total(w), lbound(w), ubound(w)
  deallocate (w)
  allocate (real(8) :: w(n), plain(4))
  error = 0
  allocate (w(n), stat=error, errmsg=why)
  print *, 'taken:', error /= 0
  deallocate (w, plain)
  allocate (plain(n))
  plain = [(i * i, i = 1, n)]
  allocate (w, source=plain)
  print *, 'local:', total(w)
  deallocate (w)
  allocate (w(n), source=2 * plain + 1)
  print *, 'computed:', total(w)
  deallocate (w)
  allocate (w, mold=v)
  print *, 'mold:', size(w), allocated(w)
contains
  subroutine sum_up(a)
    integer :: a(n), s, i
!$xmp align a(i) with c(i)
    s = 0
!$xmp loop on c(i) reduction(+:s)
    do i = 1, n
      s = s + a(i)
    end do
    print *, 'sum:', s
  end subroutine
end subroutine

subroutine other_types
  use kinds_of_elements
  implicit none
  integer, parameter :: n = 11
  type(point) :: g(n), h(0:n), all(n)
  character(len=5) :: text(n), whole(n), c(n)
  real(8) :: total
  integer :: i
!$xmp nodes p(*)
!$xmp template t(0:n)
!$xmp distribute t(block) onto p
!$xmp template tn(n)
!$xmp distribute tn(block) onto p
!$xmp template tc(n)
!$xmp distribute tc(cyclic) onto p
!$xmp align g(i) with tc(i)
!$xmp align h(i) with t(i)
!$xmp shadow h(1)
!$xmp align text(i) with tn(i)
!$xmp align c(i) with tc(i)
!$xmp loop on tc(i)
  do i = 1, n
    g(i)%x = i
    g(i)%v(2) = 10 * i
    c(i) = char(64 + i)
  end do
!$xmp loop on t(i)
  do i = 0, n
    h(i)%n = i
  end do
!$xmp loop on tn(i)
  do i = 1, n
    text(i) = char(96 + i) // 'x'
  end do
!$xmp reflect (h)
  total = 0
!$xmp loop on t(i) reduction(+:total)
  do i = 1, n
    total = total + h(i)%n * h(i - 1)%n
  end do
  call mark(text, n, 2)
!$xmp gmove
  all(:) = g(:)
!$xmp gmove
  h(1:n) = g(1:n)
!$xmp gmove
  whole(:) = text(:)
  print *, 'total:', total, sum(all%x), sum(all%v(2))
  print *, 'text:', whole, len(text)
!$xmp gmove
  whole(1:n) = c(1:n)
  print *, 'cyclic text:', whole
  total = 0
!$xmp loop on t(i) reduction(+:total)
  do i = 1, n
    total = total + h(i)%x
  end do
  print *, 'h:', total
end subroutine

! Arrays whose bounds the declaration leaves open, in blocks and dealt out.
subroutine deferred
  implicit none
  integer, parameter :: n = 20
  integer :: i, j
!$xmp nodes p(*)
!$xmp template t(0:n, n)
!$xmp distribute t(*, cyclic(3)) onto p
!$xmp template b(0:n, n)
!$xmp distribute b(*, block) onto p
  real(8), allocatable :: u(:,:), v(:,:), w(:,:), row(:)
  real(8) :: s
!$xmp align (i, j) with t(i, j) :: u, v
!$xmp align (i, j) with b(i, j) :: w
  allocate(u(0:n, n), v(0:n, n), w(0:n, n), row(0:n))
  row = 2
!$xmp loop on t(*, j)
  do j = 1, n
    do i = 0, n
      u(i, j) = i * j; v(i, j) = i - j
    end do
  end do
!$xmp array on t
  u = u + 2 * v
!$xmp array on t
  u(:, :) = u(:, :) * 0.5d0
!$xmp array on t(2:n-1, 2:n-1)
  v(2:n-1, 2:) = u(2:n-1, 2:)
!$xmp array on t
  where (v > 3) v = 0
!$xmp gmove
  w = u
!$xmp array on b
  w = w + 1
!$xmp array on b(:, 4)
  w(:, 4) = row
  s = 0
!$xmp loop on t(*, j) reduction(+:s)
  do j = 1, n
    s = s + sum(u(:, j)) + sum(v(:, j))
  end do
!$xmp loop on b(*, j) reduction(+:s)
  do j = 1, n
    s = s + sum(w(:, j)) * j
  end do
  print *, 'deferred:', s
  call assumed(w)
contains
  subroutine assumed(a)
    real(8) :: a(0:, :)
!$xmp align a(i, j) with b(i, j)
    real(8) :: s
!$xmp array on b
    a = a + 1
!$xmp array on b
    a(:, :) = a(:, :) * 3
    s = 0
!$xmp loop on b(*, j) reduction(+:s)
    do j = 1, size(a, 2)
      s = s + sum(a(:, j)) * j
    end do
    print *, 'assumed:', s
  end subroutine
end subroutine
