! The last of several images fails: the others go on, and every status and inquiry says so.
program failing
  use iso_fortran_env
  implicit none
  integer(atomic_int_kind), save :: counter[*]
  integer, save :: counted[*]
  type(lock_type), save :: lock[*]
  type(event_type), save :: event[*]
  type(team_type) :: alive
  integer, allocatable :: list(:), more(:)[:]
  integer :: me, images, last, status, n
  character(50) :: message
  me = this_image()
  images = num_images()
  last = images
  call report('nobody', size(failed_images()) == 0 .and. image_status(last) == 0 .and. num_images(failed=.true.) == 0)
  call atomic_define(counter, 0)
  if (images == 1) stop
  sync all
  if (me == last) then
    lock (lock[1])
    sync images (1)
    fail image
    print *, 'alive', .false.
  end if
  if (me == 1) sync images (last)
  sync all (stat=status, errmsg=message)
  call report('sync all', status == stat_failed_image .and. message == 'an image that is to take part has failed')
  call report('image_status', image_status(last) == stat_failed_image .and. image_status(1) == 0)
  list = failed_images()
  call report('failed_images', size(list) == 1 .and. all(list == last) .and. kind(failed_images(kind=8)) == 8)
  call report('failed', all(failed_images(kind=8) == int(last, 8)) .and. size(stopped_images()) == 0)
  call report('num_images', num_images(failed=.true.) == 1 .and. num_images(failed=.false.) == images - 1)
  call report('all', num_images() == images)
  sync images (last, stat=status)
  call report('sync images', status == stat_failed_image)
  call atomic_add(counter[last], 1, status)
  call report('atomic', status == stat_failed_image)
  call atomic_add(counter[1], 1, status)
  call report('atomic of others', status == 0)
  n = counted[last, stat=status]
  call report('get', status == stat_failed_image)
  counted[last, stat=status] = 1
  call report('put', status == stat_failed_image)
  n = counted[1, stat=status]
  call report('get of others', status == 0)
  event post (event[last], stat=status)
  call report('post', status == stat_failed_image)
  sync all (stat=status)
  call atomic_ref(n, counter[1])
  call report('together', status == stat_failed_image .and. n == images - 1)
  lock (lock[last], stat=status)
  call report('lock there', status == stat_failed_image)
  if (me == 1) then
    lock (lock[1], stat=status)
    call report('lock of failed', status == 6002)
    unlock (lock[1], stat=status)
    call report('unlock', status == 0)
  end if
  n = 1
  call co_sum(n, stat=status, errmsg=message)
  call report('co_sum', status == stat_failed_image)
  allocate (more(3)[*], stat=status)
  call report('allocate', status == stat_failed_image .and. .not. allocated(more))
  form team (1, alive)
  change team (alive)
    call report('alive', num_images() == images - 1 .and. this_image() == me)
    allocate (more(3)[*], stat=status)
    call report('allocate among others', status == 0 .or. far())
    if (status == 0) more = me
    n = 1
    call co_sum(n)
    call report('co_sum of others', n == images - 1)
    n = me
    call co_broadcast(n, 1)
    sync all
    call report('goes on', n == 1)
    if (status == 0) call report('others', more(2)[num_images()] == images - 1)
  end team
  call report('freed', .not. allocated(more))
  event post (event[me])
  event wait (event, stat=status)
  call report('event', status == 0)
  if (me == 1) then
    event wait (event, stat=status, until_count=2)  ! the last of the others has ended some time
    n = merge(stat_failed_image, stat_stopped_image, images == 2)
    call report('no event', status == n)
  end if
contains
  include 'programs/far.inc'
  subroutine report(name, right)
    character(*), intent(in) :: name
    logical, intent(in) :: right
    if (.not. right .or. me == 1) print *, name, right
  end subroutine
end program
