! Coarrays without directives: elements of other images as loads and stores, and what xmpf90 repairs. As in mixed.f90.
module store
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  real(real64), save :: kept(5, 4)[*]
  integer, allocatable :: late(:)[:]
  integer, parameter :: double = real64
  type, private :: inner
    integer(2) :: s
    complex(double) :: z(3)
  end type
  type outer
    character :: c
    real(double) :: x
    type(inner) :: part(2)
    real, allocatable :: late(:)
    integer :: number
  end type
  type, extends(outer) :: more
    logical :: flag
  end type
end module

program plain
  use store, only: kept, late
  use, intrinsic :: iso_fortran_env, only: real64, int64
  implicit none
  integer, save :: a(8)[*], single[0:*], counter[*]
  logical, save :: flag[*]
  complex(real64), save :: z(3)[*], alone[2, *]
  integer :: me, images, next, previous, i, from(2)
  integer(int64) :: long
  real(10) :: precise(2)
  real(real64) :: value
  me = this_image()
  images = num_images()
  next = mod(me, images) + 1
  previous = modulo(me - 2, images) + 1
  a = [(10 * me + i, i = 1, 8)]
  kept = me / 2.0_real64
  single = -me
  flag = mod(me, 2) == 0
  z = cmplx(me, -me, real64)
  allocate (late(me + 3 - me)[*])
  late = 5 * me
  sync all
  from = 0
  from(1) = a(3)[next]
  call tell('get', from(1) == 10 * next + 3)
  value = kept(2, 3)[next] + 2 * single[next - 1]
  call tell('two gets', value == next / 2.0_real64 - 2 * next)
  i = 1
  from(i + 1) = a(from(1) - 10 * next)[previous] + a(a(1) - 10 * me)[next]
  call tell('subscripts', from(2) == 10 * previous + 3 + 10 * next + 1)
  if (flag[next]) i = late(2)[next]
  call tell('condition', i == merge(5 * next, 1, mod(next, 2) == 0))
  call tell('complex', z(2)[next] == cmplx(next, -next, real64))
  long = 7
  a(int(long))[next] = me; a(8)[next] = a(int(long))[next] + 1
  z(1)[next] = me
  alone[modulo(next - 1, 2) + 1, (next + 1) / 2] = cmplx(-me, me, real64)
  kept(5, 4)[next] = me
  if (me > 0) late(3)[next] = kept(1, 1)[next] * 2
  from = [(a(i)[next], i = 1, 2)]
  call tell('implied do', all(from == 10 * next + [1, 2]))
  sync all
  call tell('put', a(7) == previous .and. a(8) == previous + 1 .and. kept(5, 4) == previous .and. late(3) == me)
  call tell('several codimensions', alone == cmplx(-previous, previous, real64))
  call tell('put converted', z(1) == cmplx(previous, 0, real64))
  precise = [real(me, 10), 1.0_10 / 3]
  call co_sum(precise(1))
  if (images > 0) call co_max(precise, stat=i)
  call tell('kind 10', precise(1) == images * (images + 1) / 2 .and. precise(2) == 1.0_10 / 3 .and. i == 0)
  ! A place sees what others have written since.
  counter = 0
  do i = 1, 3
    sync all
    if (me == 1) counter[images] = i
    sync all
    value = counter[images]
    call tell('after image control', value == i)
  end do
  ! Another coarray at the same place of the program, and at the same address.
  do i = 1, 3
    deallocate (late)
    allocate (late(100 * i)[*])
    late = me + i
    sync all
    value = late(100 * i)[next]
    call tell('allocated again', value == next + i)
    sync all
  end do
  call procedures(a, next)
  call components(next, previous)
  call conditions(next)
  call external(a, next, value)
  call tell('interface', value == 10 * next + 2)
  call tell('whole', all(whole(next) == 10 * next))
contains
  subroutine tell(name, ok)
    character(*), intent(in) :: name
    logical, intent(in) :: ok
    print '(a, 1x, l1)', name, ok
  end subroutine

  subroutine components(next, previous)
    use store, only: double, more, outer
    integer, intent(in) :: next, previous
    type(outer), save :: one[*], some(2:3)[*]
    type(more), allocatable :: later(:)[:]
    integer :: j
    logical :: right
    allocate (later(3)[*])
    one%x = me
    one%late = [1, 2 * me]
    some(2)%x = 2 * me
    do j = 1, 2
      some(3)%part(j)%s = int(100 * j + me, 2)
      some(3)%part(j)%z = [(cmplx(i, me, double), i = 1, 3)]
    end do
    later%number = [1, 2, 3] * me
    later%flag = [.true., .false., mod(me, 2) == 0]
    sync all
    right = one[next]%x + some(2)[next]%x == 3 * next
    call tell('component', right .and. one[next]%late(2) == 2 * next)
    j = 2
    right = some(3)[next]%part(j)%s == 200 + next .and. some(3)[next]%part(1)%z(3) == cmplx(3, next, double)
    call tell('component of a component', right)
    right = later(j)[next]%number == 2 * next .and. (later(3)[next]%flag .eqv. mod(next, 2) == 0)
    call tell('component of an allocatable', right)
    sync all
    some(3)[next]%part(j)%z(1) = (7, 8)
    some(3)[next]%part(j)%s = 5
    later(1)[next]%number = -me
    later(1)[next]%outer%x = me
    sync all
    right = some(3)%part(2)%z(1) == (7, 8) .and. some(3)%part(2)%s == 5
    call tell('put of a component', right .and. some(3)%part(1)%s == 100 + me)
    call tell('put of an allocatable one', later(1)%number == -previous .and. later(1)%x == previous)
  end subroutine

  subroutine conditions(k)
    integer, intent(in) :: k
    integer, save :: v(4)[*]
    integer :: n
    v = [1, 2, 3, 4] * me
    n = 0
    sync all
    if (v(2)[k] == 2 * k .and. v(1)[k] == k) then
      n = n + 1
    end if
    named: if (v(3)[k] /= 3 * k) then
      n = n - 100
    else if (v(4)[k] == 4 * k) then
      n = n + 1
    end if named
    if (v(1)[k] == k) n = n + v(2)[k] - 2 * k + 1; if (v(1)[k] /= k) v(1)[k] = 77
    sync all
    if (v(1)[k] == k) v(1)[k] = -k
    sync all
    if (any([v(1)[k], 5] == -k)) n = n + 1
    call tell('conditions', n == 4 .and. v(1) == -me)
  end subroutine

  function whole(k)
    integer, intent(in) :: k
    integer :: whole(2, 3), w(2, 3)[*]
    w = 10 * me
    sync all
    whole = w[k]
    sync all
  end function

  subroutine procedures(b, k)
    integer, intent(inout) :: b(2:*)[*]
    integer, intent(in) :: k
    integer :: seen
    seen = b(4)[k]
    call tell('argument', seen == 10 * k + 3)
    b(3)[k] = me
    sync all
    call tell('argument put', b(3) == previous)
    sync all
    b(3) = 10 * me + 2
    sync all
  end subroutine
end program

subroutine external(b, k, value)
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  integer, intent(in) :: b(8)[*], k
  real(real64), intent(out) :: value
  value = b(2)[k]
end subroutine
