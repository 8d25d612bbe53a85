! Components of derived types as global arrays: in modules, arguments, arrays of a type, types that extend another.
module types
  implicit none
  integer, parameter :: n = 24, wp = kind(1d0)
!$xmp nodes p(*)
!$xmp template t(n, n)
!$xmp distribute t(*, block) onto p
!$xmp template c(n)
!$xmp distribute c(cyclic(2)) onto p
  type state
    real(wp), allocatable :: h(:,:), q(:,:)
    real(wp) :: time = 0
!$xmp shadow h(0,1)
  end type
  type, extends(state) :: more
    integer :: k(n)
  end type
  type pair
    integer :: x(n), y = 3
!$xmp align (j) with c(j) :: x
  end type
  type nest
    type(pair) :: two(2)
    type(state) :: s
  end type
!$xmp align state%h(i,j) with t(i,j)
!$xmp align state%q(i,j) with t(i,j)
!$xmp align more%k(j) with t(*,j)
  type(pair) :: shared
  type(nest), private :: hidden
  type(more), pointer :: ptr
contains
  subroutine make(s)
    class(state), intent(inout) :: s
    allocate(s%h(n,n), s%q(n,n))
  end subroutine
  subroutine fill(s, f)
    type(state), intent(inout) :: s
    integer, intent(in) :: f
    integer :: i, j
!$xmp loop (j) on t(*,j)
    do j = 1, n
      do i = 1, n
        s%h(i,j) = i + f*j
        s%q(i,j) = 0
      end do
    end do
    call smooth(s)
    s%time = s%time + 1
  end subroutine
  subroutine smooth(s)  ! its first use of a component is in an executable directive
    type(state), intent(inout) :: s
    integer :: j
!$xmp reflect (s%h)
!$xmp loop (j) on t(*,j)
    do j = 2, n - 1
      s%q(:,j) = s%h(:,j-1) + s%h(:,j+1)
    end do
  end subroutine
  subroutine unused(found)  ! of `never` no component is used
    type(pair) :: never
    integer, intent(inout) :: found
!$xmp task on p(1)
    found = found + never%y
!$xmp end task
  end subroutine
  real(wp) function total(s)
    type(state), intent(in) :: s
    integer :: j
    total = 0
!$xmp loop (j) on t(*,j) reduction(+:total)
    do j = 1, n
      total = total + sum(s%q(:,j))
    end do
  end function
  subroutine inside
    integer :: j, s
    call make(hidden%s)
    call fill(hidden%s, 7)
    s = 0
!$xmp loop (j) on c(j) reduction(+:s)
    do j = 1, n
      hidden%two(1)%x(j) = j
      hidden%two(2)%x(j) = hidden%two(1)%x(j) * 2
      s = s + hidden%two(2)%x(j)
    end do
    print *, 'inside', s, total(hidden%s), hidden%two(2)%y
    deallocate(hidden%s%h)
  end subroutine
  subroutine local(f)
    integer, intent(in) :: f
    type(pair) :: mine(2:4)
    type(state) :: gone
    integer :: j, k, s
    call make(gone)
    call fill(gone, f)
    s = 0
    do k = 2, 4
!$xmp loop (j) on c(j) reduction(+:s)
      do j = 1, n
        mine(k)%x(j) = j*k + f
        s = s + mine(k)%x(j) + mine(k)%y
      end do
    end do
    print *, 'local', s, total(gone)
    if (f > 2) return
    mine(2)%y = 9
  end subroutine
end module
program structures
  use types
  implicit none
  type(state) :: many(3)
  type(more), target :: m
  integer :: k, j, s
  s = 0
  call unused(s)
!$xmp bcast (s)
  if (s /= 3) stop 1
  do k = 1, 3
    if (.not. allocated(many(k)%h)) call make(many(k))
    call fill(many(k), k)
    print *, k, total(many(k)), many(k)%time, size(many(k)%h, 2), allocated(many(k)%q)
  end do
  deallocate(many(2)%h)
  print *, allocated(many(1)%h), allocated(many(2)%h)
  call make(m)
  call fill(m%state, 5)
  ptr => m
  s = 0
!$xmp loop (j) on t(*,j) reduction(+:s)
  do j = 1, n
    m%k(j) = j
    s = s + ptr%k(j)
  end do
!$xmp loop (j) on c(j) reduction(+:s)
  do j = 1, n
    shared%x(j) = 2*j
    s = s + shared%x(j)
  end do
  print *, s, total(m%state), shared%y
!$xmp gmove
  many(1)%q(:, 3) = many(3)%q(:, 8)
  print *, total(many(1))
!$xmp array on t
  many(3)%q(1:n,1:n) = many(3)%q(1:n,1:n) + many(1)%q(1:n,1:n)
  print *, total(many(3))
  call inside
  call local(1)
  call local(2)
  call local(3)
  call fixed_later
  call pointing
end program

! A template that gets its shape later.
subroutine fixed_later
  implicit none
  type cell
    integer :: x(12)
    real, allocatable :: y(:)
  end type
  type(cell) :: one, many(2)
!$xmp nodes p(*)
!$xmp template t(:)
!$xmp distribute t(block) onto p
!$xmp align cell%x(i) with t(i)
!$xmp align cell%y(i) with t(i)
  integer :: i, s
!$xmp template_fix t(12)
  allocate(one%y(12))
  s = 0
!$xmp loop on t(i) reduction(+:s)
  do i = 1, 12
    one%x(i) = i
    many(2)%x(i) = 2*i
    one%y(i) = 3
    s = s + one%x(i) * many(2)%x(i) + int(one%y(i))
  end do
  print *, s
  call inner
contains
  subroutine inner
    integer :: i, s
    s = 0
!$xmp loop on t(i) reduction(+:s)
    do i = 1, 12
      s = s + many(2)%x(i)
    end do
    print *, s
  end subroutine
end subroutine

! What a component points to stays another's.
subroutine pointing
  implicit none
  type t
    integer, pointer :: w(:) => null()
  end type
  type(t) :: s
  integer, target :: b(12)
  integer :: i, k
!$xmp nodes p(*)
!$xmp template tt(12)
!$xmp distribute tt(block) onto p
!$xmp align t%w(i) with tt(i)
!$xmp align b(i) with tt(i)
!$xmp loop on tt(i)
  do i = 1, 12
    b(i) = i
  end do
  do k = 1, 3
    s%w => b
!$xmp loop on tt(i)
    do i = 1, 12
      s%w(i) = s%w(i) + 1
    end do
    allocate(s%w(12))
!$xmp loop on tt(i)
    do i = 1, 12
      s%w(i) = 100
    end do
    deallocate(s%w)
  end do
  k = 0
!$xmp loop on tt(i) reduction(+:k)
  do i = 1, 12
    k = k + b(i)
  end do
  print *, k, associated(s%w)
end subroutine
