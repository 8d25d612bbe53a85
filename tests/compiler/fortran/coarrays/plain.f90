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

! Types of up to 16 bytes, which functions take and give in registers that depend on the components, and longer ones.
module pairs
  implicit none
  type whole
    integer :: n
    integer(2) :: m
  end type
  type mixed
    real(8) :: x
    integer(1) :: n
  end type
  type point
    real :: x, y, z
  end type
  type precise
    real(10) :: x
  end type
  type, private :: hidden
    character(3) :: name
  end type
  type long
    type(hidden) :: text
    integer :: v(200)
  end type
contains
  pure function more(a, b)
    type(long), value :: a, b
    type(long) :: more
    more%text%name = max(a%text%name, b%text%name)
    more%v = a%v + b%v
  end function
  pure function greater(a, b)
    type(precise), intent(in) :: a, b
    type(precise) :: greater
    greater%x = max(a%x, b%x)
  end function
  subroutine combine_long(l, me)
    type(long), intent(inout) :: l
    integer, intent(in) :: me
    l%text%name = achar(64 + me)
    l%v = me
    if (me > 0) call co_reduce(l, more)
    if (l%text%name /= achar(64 + num_images())) l%v = -1
  end subroutine
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
  call reductions
  call sections(next, previous, size(a) + 2)
  call threads(next)
  call components(next, previous)
  call conditions(next)
  call teams
  call external(a, next, value)
  call tell('interface', value == 10 * next + 2)
  call interfaces(next)
  call all_at_once(next, from)
  call tell('pragma first', all(from == 10 * next + [1, 2]))
  block
    integer :: here[*]
    here = me
    sync all
    call tell('block', here[next] == next)
    sync all
  end block
  call tell('whole', all(whole(next) == 10 * next))
contains
  ! What calls external procedures of this file, declared or not.
  subroutine interfaces(next)
    integer, intent(in) :: next
    integer, external :: second
    integer :: i, found(2)
    real(real64) :: value
    found = 0
    if (second(a, next) < 0) then
      found = 9
    else if (second(a, next) == 10 * next + 2) then
      found(1) = 1
    end if
    do i = 1, second(a, next)
      if (i == 1) goto 10
      exit
10    call external(a, next, value)
    end do
    select case (second(a, next) - 10 * next)
    case (2)
      found(2) = i
    end select
    where (found == second(a, next) - 10 * next) found = second(a, next)
    call tell('interfaces', found(1) == 1 .and. found(2) == value)
    print '(a, 1x, l1)', 'interface in output', second(a, next) == value
  end subroutine

  subroutine all_at_once(next, found)
    integer, intent(in) :: next
    integer, intent(out) :: found(2)
    integer :: i
    !$omp parallel do num_threads(1)
    do i = 1, 2
      found(i) = a(i)[next]
    end do
  end subroutine

  subroutine tell(name, ok)
    character(*), intent(in) :: name
    logical, intent(in) :: ok
    print '(a, 1x, l1)', name, ok
  end subroutine

  subroutine reductions
    use pairs
    type(mixed) :: m(2)
    type(whole) :: w
    type(point) :: p(3)
    type(precise) :: e
    type(long) :: l
    real(10) :: x
    complex(10) :: z(2)
    integer :: total
    total = images * (images + 1) / 2
    w = whole(me, int(-me, 2))
    call co_reduce(w, add_whole)
    m = [mixed(me, 1_1), mixed(me / 2d0, 2_1)]
    call co_reduce(m, add_mixed)
    call tell('co_reduce of small types', w%n == total .and. w%m == -images .and. all(m%x == [total, 0] + [0d0, total / 2d0]) &
      .and. all(m%n == int([1, 2] * images, 1)))
    p = point(me, 2 * me, 1)
    call co_reduce(p(2:3), operation=add_points, result_image=1)
    if (me == 1) call tell('co_reduce of points', p(3)%x == total .and. p(2)%y == 2 * total .and. p(3)%z == images .and. p(1)%x == 1)
    e%x = me
    call co_reduce(e, greater)
    x = me + 0.1_10
    call co_reduce(x, least, stat=i)
    z = cmplx(me, -1, 10)
    call co_reduce(z, add_complex)
    call combine_long(l, me)
    call tell('co_reduce of kind 10', e%x == images .and. x == 1.1_10 .and. i == 0 .and. all(z == cmplx(total, -images, 10)))
    call tell('co_reduce of a long type', all(l%v == total))
  end subroutine

  ! Sections of several forms; the library's rules are those of a copy made first.
  subroutine sections(next, previous, limit)
    use store, only: kept, outer, double
    integer, intent(in) :: next, previous, limit
    integer, save :: v(0:9)[*], w(3, -1:2)[*]
    type(outer), save :: some(2)[*]
    integer, allocatable :: grown(:), deep(:, :)[:]
    real(double) :: reals(10), plane(5)
    complex(double), save :: z(4)[*]
    complex(double) :: sums(3)
    integer :: got(10), i, j
    logical :: right(6)
    allocate (deep(2:4, -3:limit - 8)[*])
    v = [(100 * me + i, i = 0, 9)]
    w = reshape([(100 * me + i, i = 1, 12)], [3, 4])
    deep = reshape([(100 * me + i, i = 1, 18)], [3, 6])
    some(1)%part(2)%z = [(cmplx(i, me, double), i = 1, 3)]
    z = cmplx(me, 1, double)
    do i = 1, 4
      kept(:, i) = me * [(i + 10 * j, j = 1, 5)]
    end do
    sync all
    got = 0
    got(2:4) = v(1:3)[next]
    right(1) = all(got == [0, (100 * next + i, i = 1, 3), (0, i = 5, 10)])
    got(::3) = v(6:0:-2)[next] + got(1:4)
    right(1) = right(1) .and. all(got(1:10:3) == 100 * next * [1, 2, 2, 2] + [6, 5, 4, 3])
    got = v(:)[next]
    right(2) = all(got == [(100 * next + i, i = 0, 9)])
    got(3:1:-1) = w(2, 0:2)[next]
    right(3) = all(got(1:3) == 100 * next + [11, 8, 5])
    reals = v(:)[next] / 2.0_double
    plane = kept(:, 3)[next]
    right(4) = all(reals == got(10) / 2.0_double + [(i - 9, i = 0, 9)] / 2.0_double) .and. all(plane == next * [(3 + 10 * j, j = 1, 5)])
    grown = v(4:limit - 4)[next]
    right(5) = all(grown == 100 * next + [4, 5, 6]) .and. size(grown) == 3
    grown = w(3, :)[next]
    right(5) = right(5) .and. all(grown == 100 * next + [3, 6, 9, 12])
    grown = v(5:limit - 7)[next]
    right(6) = size(grown) == 0
    got(1:3) = deep(:, 1)[next]
    if (any(deep(2:3, :)[next] < 100 * next)) right(6) = .false.
    right(6) = right(6) .and. all(got(1:3) == 100 * next + [13, 14, 15]) .and. maxval(deep(4, -3::2)[next]) == 100 * next + 15
    call tell('sections', all(right))
    reals(1:3) = [real(double) :: (real(some(1)[next]%part(2)%z(i), double), i = 1, 3)]
    sums = some(1)[next]%part(2)%z + z(1:3)[next]
    call tell('section of a component', all(sums == [(cmplx(next + i, next + 1, double), i = 1, 3)]) .and. all(reals(1:3) == [1, 2, 3]))
    sync all
    v(2:9)[me] = v(0:7)
    v(0:1) = v(4:5)[me]
    call tell('of oneself', all(v == 100 * me + [2, 3, 0, 1, 2, 3, 4, 5, 6, 7]))
    got = 0
    sync all
    v(:)[next] = [(me * i, i = 1, 10)]
    w(:, 0)[next] = got(1:3)
    w(1, ::3)[next] = -me
    w(2:3, 1)[next] = w(2:3, 2)[next] + 1
    if (limit > 0) deep(:, -3)[next] = v(limit:2:-4) * 0 + me
    some(2)[next]%part(1)%z(2:3) = z(1:2)[next] * 0 + me
    some(2)[next]%part(1)%z(1:1) = plane(1:1)
    sync all
    right(1) = all(v == [(previous * i, i = 1, 10)])
    right(2) = all(w(:, 0) == 0) .and. w(1, -1) == -previous .and. w(1, 2) == -previous .and. all(w(2:3, 1) == 100 * me + [12, 13])
    right(3) = all(deep(:, -3) == previous) .and. all(deep(:, -2) == 100 * me + [4, 5, 6])
    right(4) = all(some(2)%part(1)%z(2:3) == previous) .and. some(2)%part(1)%z(1) == me * 13
    call tell('put of sections', all(right(1:4)))
    sync all
  end subroutine

  ! Image selectors with TEAM=: of a team of some images, and from within that of one with others.
  subroutine teams
    use, intrinsic :: iso_fortran_env, only: team_type
    type(team_type) :: all_images, half
    integer, save :: v(3)[*], w[2:3, *]
    integer :: others, neighbour, seen(3), status
    form team (1, all_images)
    form team (1 + mod(me, 2), half)
    v = [0, me, 0]
    w = -me
    sync all
    others = (images + mod(me, 2)) / 2  ! of its half
    neighbour = merge(2 - mod(me, 2), me + 2, me + 2 > images)
    seen = v(:)[1 + mod((me + 1) / 2, others), team=half]
    call tell('get in a team', seen(2) == neighbour)
    v(1)[1 + mod((me + 1) / 2, others), stat=status, team=half] = v(2)[me] + w[2, 1, team=half]
    change team (half)
      if (v(2)[images, team=all_images] /= images) call tell('get from another team', .false.)
      v(3)[me, team=all_images] = me
      call tell('several codimensions in a team', w[2 + mod(me - 1, 2), 1 + (me - 1) / 2, team=all_images] == -me)
    end team
    sync all
    call tell('put in a team', v(3) == me .and. &
      v(1) == merge(2 * others - mod(me, 2), me - 2, me <= 2) - 2 + mod(me, 2))
  end subroutine

  ! Each thread has pointers of its own, also in constructs. Compiled with -fopenmp and without. The library serves one thread at
  ! a time, memory of this machine all.
  subroutine threads(next)
    integer, intent(in) :: next
    integer, save :: v(512)[*], w(512)[*]
    integer :: i, total, seen(512), parts(3), expected(3), other(2), most, n
    character(8) :: memory
    call get_environment_variable('KUMIHIMO_SHM', memory)
    most = merge(1, 4, memory == 'off')
    n = merge(32, size(v), memory == 'off')  ! each access is a message there
    v = [(me + i, i = 1, 512)]
    w = 0
    total = 0
    parts = 0
    sync all
    !$omp parallel do num_threads(most) reduction(+:total, parts) private(other)
    do i = 1, n - 1
      seen(i) = v(i)[next]
      w(i)[next] = seen(i) - v(i + 1)[next]
      if (v(i)[next] == next + i) total = total + v(i)[next]
      if (mod(i, 3) == 0) then
        parts(1) = parts(1) + sum(v(i:i + 1)[next]) - v(i)[next]
      else if (v(i)[next] == next + i .and. mod(i, 3) == 1) then
        parts(2) = parts(2) + v(i)[next]
      else if (any(v(i:i + 1)[next] == next + i + 1)) then
        other = v(i:i + 1)[next]
        parts(3) = parts(3) + other(2)
      end if
    end do
    !$omp parallel num_threads(most) private(i)
    !$omp atomic capture
    i = total
    total = total + v(1)[next] - next
    !$omp end atomic
    !$omp end parallel
    seen(n:) = v(n:)[next]
    sync all
    !$ total = total - most + 1
    call tell('threads', all(seen == [(next + i, i = 1, size(v))]) .and. all(w(:n - 1) == -1) .and. &
      total == (n - 1) * next + (n - 1) * n / 2 + 1)
    expected = [sum([(next + i + 1, i = 3, n - 1, 3)]), sum([(next + i, i = 1, n - 1, 3)]), &
      sum([(next + i + 1, i = 2, n - 1, 3)])]
    call tell('parts of threads', all(parts == expected))
    sync all
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
    else if (v(4)[k] == 4 * k) then named
      n = n + 1
    else named
      n = n - 100
    end if named
    if (v(1)[k] == k) n = n + v(2)[k] - 2 * k + 1; if (v(1)[k] /= k) v(1)[k] = 77
    sync all
    if (v(1)[k] == k) v(1)[k] = -k
    sync all
    if (any([v(1)[k], 5] == -k)) n = n + 1
    call tell('conditions', n == 4 .and. v(1) == -me)
    call branches(k, v(2)[k])
  end subroutine

  ! A condition is evaluated if those before it are false, and not earlier: the image of the second one is none.
  subroutine branches(k, twice)
    integer, intent(in) :: k, twice
    integer, save :: v(6)[*]
    integer :: n, i, none, taken(4)
    v = [(i * me, i = 1, 6)]
    none = 0
    taken = 0
    sync all
    do i = 1, 4
      chosen: if (i == 1) then
        none = images
        taken(1) = 1
      else if (v(1)[merge(k, none - images + k, i > 1)] == k .and. i == 2) then chosen
        if (v(2)[k] /= twice) then
          taken(2) = -1
        else if (all(v(2:6:2)[k] == [2, 4, 6] * k)) then
          taken(2) = 2
          if (i == 2) cycle
        end if
      elseif (sum(v(:3)[k]) == 6 * k .and. i == 3) then chosen
        taken(3) = 3
        go to 10
      else chosen
        taken(4) = taken(4) + 4
10    end if chosen
      n = i
    end do
    call tell('branches', all(taken == [1, 2, 3, 4]) .and. n == 4)
    sync all
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

  pure function add_whole(a, b)
    use pairs, only: whole
    type(whole), intent(in) :: a, b
    type(whole) :: add_whole
    add_whole = whole(a%n + b%n, min(a%m, b%m))
  end function
  pure function add_mixed(a, b)
    use pairs, only: mixed
    type(mixed), value :: a, b
    type(mixed) :: add_mixed
    add_mixed = mixed(a%x + b%x, a%n + b%n)
  end function
  pure function add_points(a, b)
    use pairs, only: point
    type(point), value :: a, b
    type(point) :: add_points
    add_points = point(a%x + b%x, a%y + b%y, a%z + b%z)
  end function
  pure function least(a, b)
    real(10), intent(in) :: a, b
    real(10) :: least
    least = min(a, b)
  end function
  pure function add_complex(a, b)
    complex(10), value :: a, b
    complex(10) :: add_complex
    add_complex = a + b
  end function
end program

subroutine external(b, k, value)
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  integer, intent(in) :: b(8)[*], k
  real(real64), intent(out) :: value
  value = b(2)[k]
end subroutine

integer function second(b, k)
  integer, intent(in) :: b(*)[*], k
  second = b(2)[k]
end function
