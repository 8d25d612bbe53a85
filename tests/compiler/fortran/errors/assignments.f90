program assignments
  implicit none
  integer, parameter :: n = 8
  integer :: u(n, 0:n), v(n), local(n), k, many(2)
  logical :: flag(n)
  type node
    integer :: number
    type(node), pointer :: next
  end type
  type(node) :: first
  character(4) :: name
!$xmp nodes p(*)
!$xmp template t(n)
!$xmp distribute t(block) onto p
!$xmp align u(i, *) with t(i)
!$xmp align v(i) with t(i)
!$xmp gmove
  call nothing(k)
!$xmp gmove
  local(:) = v(:) + 1
!$xmp gmove
  local = k
!$xmp gmove
  v(:) = u(:, 0:3)
!$xmp gmove
  v(1:4) = u(1:5, 0)
!$xmp gmove
  v(0:4) = u(1:5, n + 1)
!$xmp gmove
  v = u(:)
!$xmp gmove in
  v(1) = k
!$xmp gmove out
  local = v
!$xmp gmove
  n = v(1)
!$xmp gmove
  local(1) = v(v(2))
!$xmp gmove
  local(1) = v(name)
!$xmp gmove
  v = flag
!$xmp gmove
  v(2:4:0) = k
!$xmp bcast (v(1), first, u(3))
!$xmp bcast (local(v(1)))
!$xmp reduction(+:flag, v)
!$xmp reduction(max:local/k/)
!$xmp bcast (u(2, 3:n + 4))
  v = local
  v(2:3) = 0
!$xmp array on t
  call nothing(k)
!$xmp array on t
  v(2) = k
!$xmp array on t
  v = u
!$xmp array on t(2:4)
  v(1:4) = 1
!$xmp array on t
  u = u * sum(v)
!$xmp array on t
  local = v(8:1:-1)
!$xmp array on t
  u(1, 1:) = v(:)
!$xmp array on p
  v = 0
!$xmp array on t
  v = local([1, 2])
!$xmp array on t
  forall (k = 1:n) v(2 * k) = k
!$xmp array on t
  forall (k = 1:n) local(k) = k
  u(1, :) = 0
!$xmp array on t(2:n)
  v(2:n) = v(1:n-1) + u(1:n-1, 0)
end program
