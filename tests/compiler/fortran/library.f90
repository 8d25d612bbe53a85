! The library in Fortran: the array functions against Fortran's own on whole local arrays, inquiry against what the directives say.
! Each line says what was compared, and T.
program library
  use xmp_lib
  implicit none
  integer, parameter :: n = 12, m = 9
  integer :: a(n, m), b(m, n), v(n * m), s(n), u(n), idx(n), jdx(n), ga(n, m), gb(m, n), gs(n), gidx(n), gjdx(n), list(n * m), &
    i, j, k
  real(8) :: x(n, n), y(n, m), z(m, n), gy(n, m), gz(m, n), gx(n, n)
  logical :: keep(n, m), gkeep(n, m), fixed
  type(xmp_desc) :: d
!$xmp nodes p(*)
!$xmp template t(n, m)
!$xmp template q(n * m)
!$xmp template r(n)
!$xmp distribute t(*, block) onto p
!$xmp distribute q(cyclic(5)) onto p
!$xmp distribute r(block) onto p
!$xmp align a(i, j) with t(i, j)
!$xmp align keep(i, j) with t(i, j)
!$xmp align b(j, *) with r(j)
!$xmp align v(i) with q(i)
!$xmp align (i) with r(i) :: s, u, idx, jdx
!$xmp align (i, *) with r(i) :: x, y
!$xmp align z(*, i) with r(i)
!$xmp loop on t(*, j)
  do j = 1, m
    do i = 1, n
      a(i, j) = 100 * i + j
      keep(i, j) = mod(i + j, 3) == 0
    end do
  end do
!$xmp loop on r(i)
  do i = 1, n
    s(i) = mod(i * 7, 5)
    idx(i) = mod(i * 5, n) + 1
    jdx(i) = mod(i, m) + 1
    do j = 1, m
      y(i, j) = i + j
      z(j, i) = i - j
    end do
  end do
!$xmp gmove
  ga = a
!$xmp gmove
  gkeep = keep
!$xmp gmove
  gs = s
!$xmp gmove
  gidx = idx
!$xmp gmove
  gjdx = jdx
!$xmp gmove
  gy = y
!$xmp gmove
  gz = z
  call xmp_transpose(b, a, 0)
!$xmp gmove
  gb = b
  print *, 'xmp_transpose:', all(gb == transpose(ga))
  if (n > 3) call xmp_sort_up(xmp_desc_of(u), xmp_desc_of(s))
!$xmp gmove
  list(1:n) = u
  print *, 'xmp_sort_up:', all(list(1:n - 1) <= list(2:n)) .and. sum(list(1:n)) == sum(gs)
  call xmp_sort_down(u(:), s)
!$xmp gmove
  list(1:n) = u
  print *, 'xmp_sort_down:', all(list(1:n - 1) >= list(2:n)) .and. sum(list(1:n)) == sum(gs)
  call xmp_matmul(xmp_desc_of(x), xmp_desc_of(y), xmp_desc_of(z))
!$xmp gmove
  gx = x
  print *, 'xmp_matmul:', all(gx == matmul(gy, gz))
  call xmp_gather(u, a, idx, jdx)
!$xmp gmove
  list(1:n) = u
  print *, 'xmp_gather:', all(list(1:n) == [(ga(gidx(i), gjdx(i)), i = 1, n)])
  call xmp_scatter(u, s, idx)
!$xmp gmove
  list(1:n) = u
  print *, 'xmp_scatter:', all(list(gidx) == gs)
  call xmp_pack(v, a)
!$xmp gmove
  list = v
  print *, 'xmp_pack of all:', all(list == reshape(ga, [n * m]))
  call xmp_pack(v, a, mask=keep)
!$xmp gmove
  list = v
  print *, 'xmp_pack:', all(list(1:count(gkeep)) == pack(ga, gkeep))
  list = [(-i, i = 1, n * m)]
  call xmp_unpack(a, list, keep)
  ga = unpack(list, gkeep, ga)
!$xmp gmove
  gy = a
  print *, 'xmp_unpack of a local array:', all(nint(gy) == ga)
  fixed = xmp_align_template(xmp_desc_of(a), d) == 0
  print *, 'xmp_template_ubound:', fixed .and. xmp_template_ubound(d, 2, k) == 0 .and. k == m
  print *, 'xmp_template_fixed:', xmp_template_fixed(xmp_desc_of(t), fixed) == 0 .and. fixed
  print *, 'xmp_dist_format:', xmp_dist_format(xmp_desc_of(q), 1, k) == 0 .and. k == XMP_CYCLIC
  print *, 'xmp_array_ubound:', xmp_array_ubound(xmp_desc_of(y), 2, k) == 0 .and. k == m
  print *, 'xmp_align_axis without an answer:', xmp_align_axis(xmp_desc_of(y), 2, k) == -1
  print *, 'xmp_wtime:', xmp_wtime() >= 0 .and. xmp_wtick() > 0
  call included()
  call finished()
  call aliases(a)
  call aliases(a)
  call moved()
  call moved()
  call posts()
contains
  ! Local aliases: of a dummy argument, of cyclic elements, of what is allocated later.
  subroutine aliases(b)
    integer :: b(n, m), c(n), own(:, :), mine(0:)
    real(8), allocatable :: later(:)
    real(8), dimension(-1:) :: near
!$xmp align b(i, j) with t(i, j)
!$xmp local_alias own => b
!$xmp template l(n)
!$xmp distribute l(cyclic) onto p
!$xmp align c(i) with l(i)
!$xmp local_alias mine => c
!$xmp align later(i) with r(i)
!$xmp shadow later(1)
!$xmp local_alias near => later
    integer :: i, j, k, first, whole
    logical :: right
    whole = 0
!$xmp loop on t(*, j) reduction(+:whole)
    do j = 1, m
      do i = 1, n
        whole = whole + b(i, j)
      end do
    end do
    k = 0
    if (size(own) > 0) k = sum(own)
!$xmp reduction(+:k)
    print *, 'local_alias of an argument:', k == whole .and. all(lbound(own) == 1)
!$xmp loop on l(i)
    do i = 1, n
      c(i) = 10 * i
    end do
    first = xmp_node_num()
    right = lbound(mine, 1) == 0
    if (first <= n) right = right .and. all(mine == [(10 * i, i = first, n, xmp_num_nodes())])
    print *, 'local_alias of cyclic elements:', right
    right = .not. allocated(near)
    allocate (later(n))
    near = -1
!$xmp loop on r(i)
    do i = 1, n
      later(i) = i
    end do
    k = count(near >= 0)
!$xmp reduction(+:k)
    print *, 'local_alias of an allocatable:', right .and. k == n .and. &
      lbound(near, 1) == merge(1, -1, size(near) == 0)
    deallocate (later)
    print *, 'local_alias follows deallocate:', .not. allocated(near)
  end subroutine

  ! Local aliases of what gets other memory: by an assignment, nullify, or in a procedure that it is an argument of.
  recursive subroutine moved()
    real(8), pointer :: one(:), other(:)
    real(8), allocatable :: given(:)
    real(8), dimension(0:) :: seen, got
!$xmp align (i) with r(i) :: one, other, given
!$xmp local_alias seen => one
!$xmp local_alias got => given
    logical :: right
    right = .not. (allocated(seen) .or. allocated(got))
    allocate (one(n), other(n))
    one = 1
    other = 2
    right = right .and. all(seen == 1)
    seen = seen + 1
    right = right .and. part_is(one, 2d0)
    if (right) one => other
    seen = 3
    right = right .and. part_is(other, 3d0) .and. part_is(seen, 3d0)
    nullify (one)
    print *, 'local_alias of a pointer:', right .and. .not. allocated(seen)
    call aim(one, other, given)
    right = all(seen == 3) .and. all(got == 4)
    one => null()
    print *, 'local_alias of what a procedure changes:', right .and. .not. allocated(seen)
  end subroutine
  subroutine aim(p, q, a)
    real(8), pointer :: p(:), q(:)
    real(8), allocatable :: a(:)
!$xmp align (i) with r(i) :: p, q, a
    p => q
    allocate (a(n))
    a = 4
  end subroutine
  logical function part_is(v, x)
    real(8) :: v(:), x
    part_is = all(v == x)
  end function

  ! Each node posts to the next one, and waits in three ways.
  subroutine posts()
    integer :: me, next, before, round
    me = xmp_node_num()
    next = mod(me, xmp_num_nodes()) + 1
    before = mod(me + xmp_num_nodes() - 2, xmp_num_nodes()) + 1
    do round = 1, 3
!$xmp post (p(next), 10 * me + 1)
!$xmp post (p(next), 10 * me + 2)
!$xmp post (p(next), 10 * me + 3)
!$xmp wait (p(before), 10 * before + 2)
!$xmp wait (p(before))
!$xmp wait
!$xmp sync_memory
    end do
    call xmp_barrier()
!$xmp barrier
    print *, 'post and wait:', .true.
  end subroutine
end program

subroutine included()
  include 'xmp_lib.h'
  include 'mpif.h'
  integer :: nodes, error, counted(10)
!$xmp nodes p(*)
!$xmp template t(10)
!$xmp distribute t(block) onto p
!$xmp align counted(i) with t(i)
  call xmp_init_mpi()
  ksum = 0  ! these files have no IMPLICIT statement: names that they do not declare have a type
!$xmp loop on t(i) reduction(+:ksum)
  do i = 1, 10
    counted(i) = i
    ksum = ksum + counted(i)
  end do
  print *, 'names without a declaration:', ksum == 55
  call MPI_Comm_size(xmp_get_mpi_comm(), nodes, error)
  print *, 'xmp_get_mpi_comm:', nodes == xmp_num_nodes() .and. xmp_all_num_nodes() == nodes
  print *, 'xmp_nodes_size:', xmp_nodes_size(xmp_desc_of(p), 1, nodes) == 0 .and. nodes == xmp_num_nodes()
  call xmp_finalize_mpi()
end subroutine

subroutine finished()
  use xmp_api
  print *, 'xmp_test_async:', xmp_test_async(77)
end subroutine
