! Atomic subroutines, locks, critical constructs and events, on this and other images, also in arrays and components.
subroutine words
  use iso_fortran_env
  implicit none
  type :: record
    real :: before
    integer(atomic_int_kind) :: counted
  end type
  integer(atomic_int_kind), save :: counter[*], counters(5)[*]
  logical(atomic_logical_kind), save :: flag[*]
  type(lock_type), save :: lock[*], locks(3)[*]
  type(event_type), save :: event[*]
  type(event_type), allocatable :: events(:)[:]
  type(record), save :: records(2)[*]
  integer, save :: shared[*], guarded[*]
  integer :: me, images, next, before, i, status, n
  logical :: was, got
  character(60) :: message
  me = this_image()
  images = num_images()
  next = merge(1, me + 1, me == images)
  flag = .false.
  shared = 0
  guarded = 0
  records%counted = 0
  allocate (events(4)[*])
  call atomic_define(counter, 0)
  call atomic_define(counters(3)[next], next)
  sync all

  do i = 1, 100
    call atomic_add(counter[1], me)
  end do
  call atomic_fetch_add(counters(3)[next], 10, before, status)
  call report('fetch_add', before == next .and. status == 0)
  sync all
  call atomic_ref(n, counter[1])
  call report('add', n == 50*images*(images + 1))
  call atomic_ref(n, counters(3))
  call report('own', n == me + 10)
  call atomic_and(counters(3), 12)
  call atomic_or(counters(3), 1)
  call atomic_xor(counters(3), 3)
  call atomic_ref(n, counters(3))
  call report('bits', n == ieor(ior(iand(me + 10, 12), 1), 3))
  call atomic_fetch_and(counters(3), 6, before)
  call atomic_fetch_or(counters(3), 8, i)
  call report('fetch_and', before == n .and. i == iand(n, 6))
  call atomic_fetch_xor(counters(3), 5, before)
  call report('fetch_or', before == ior(i, 8))
  call atomic_ref(n, counters(3))
  call report('fetch_xor', n == ieor(before, 5))
  call atomic_cas(counters(3)[me], before, n + 1, 77)
  call report('cas fails', before == n)
  call atomic_cas(counters(3)[me], before, n, 77)
  call atomic_ref(i, counters(3))
  call report('cas', before == n .and. i == 77)
  call atomic_add(records(2)[1]%counted, 2)
  call atomic_define(flag[next], .true.)
  sync all
  call atomic_ref(was, flag)
  call report('logical', was)
  call atomic_ref(n, records(2)[1]%counted)
  call report('component', n == 2*images .and. records(1)%counted == 0)

  do i = 1, 50
    lock (lock[1])
    shared[1] = shared[1] + 1
    unlock (lock[1])
    critical
      guarded[1] = guarded[1] + 2
    end critical
  end do
  sync all
  call report('lock', shared[1] == 50*images)
  call report('critical', guarded[1] == 100*images)
  lock (locks(2))
  lock (locks(2), stat=status, errmsg=message)
  call report('locked', status == stat_locked .and. message == 'this image has locked this already')
  sync all
  if (images > 1) then
    lock (locks(2)[next], acquired_lock=got, stat=status)
    call report('not acquired', .not. got .and. status == 0)
    unlock (locks(2)[next], stat=status)
    call report('another image', status == stat_locked_other_image)
  end if
  sync all
  unlock (locks(2))
  message = ' '
  unlock (locks(2), stat=status, errmsg=message)
  call report('unlocked', status == stat_unlocked .and. message == 'the lock is not locked')
  lock (locks(3)[next], acquired_lock=got)
  call report('acquired', got)
  unlock (locks(3)[next])

  do i = 1, 3
    event post (event[next])
  end do
  event wait (event, until_count=2)
  event wait (event)
  call event_query(event, n)
  call report('event', n == 0)
  shared[next] = me
  sync images ([next, next], stat=status)
  call report('the same image twice', status == 3)
  event post (events(3)[next], stat=status)
  event wait (events(3))
  call report('events', shared == merge(images, me - 1, me == 1) .and. status == 0)
contains
  subroutine report(name, right)
    character(*), intent(in) :: name
    logical, intent(in) :: right
    if (.not. right .or. me == images) print *, name, right
  end subroutine
end subroutine
