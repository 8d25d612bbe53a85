! The time of image control and of collective subroutines, by standard Fortran: any coarray library can be linked. Image 1 prints
! `name bytes microseconds`.
program coarray_control
  use iso_fortran_env
  implicit none
  integer, parameter :: most = 4*1024*1024/8
  real(8), parameter :: seconds = 1, burst = 0.0005
  type(lock_type), save :: lock[*]
  type(event_type), save :: event[*]
  integer(atomic_int_kind), save :: counter[*]
  real(8), allocatable :: values(:)
  integer :: me, images, next, bytes
  me = this_image()
  images = num_images()
  next = 1 + mod(me, images)
  allocate (values(most), source=1d0)
  call atomic_define(counter, 0)
  sync all
  call measure('sync all', 1, 0)
  call measure('sync images', 2, 0)
  call measure('event ping-pong', 3, 0)
  call measure('lock and unlock', 4, 0)
  call measure('atomic_add', 5, 0)
  bytes = 8
  do while (bytes <= 8*most)
    call measure('co_sum', 6, bytes)
    call measure('co_broadcast', 7, bytes)
    bytes = bytes*8
  end do
contains
  subroutine measure(name, what, bytes)
    character(*), intent(in) :: name
    integer, intent(in) :: what, bytes
    integer(8) :: first, begin, now, rate
    integer :: count, over
    real(8) :: best, once
    best = huge(best)
    count = 1
    over = 0
    call repeat_it(what, bytes, 2)
    call system_clock(first, rate)
    do while (over == 0)  ! short bursts, of which the best counts: a machine has other work too
      sync all
      call system_clock(begin)
      call repeat_it(what, bytes, count)
      call system_clock(now)
      once = real(now - begin, 8)/rate/count
      call co_max(once)
      best = min(best, once)
      count = max(1, min(10000, int(burst/best)))
      over = merge(1, 0, now - first > seconds*rate)
      call co_max(over)
    end do
    if (me == 1) print '(a, i10, f12.3)', name, bytes, best*1d6
  end subroutine

  subroutine repeat_it(what, bytes, count)
    integer, intent(in) :: what, bytes, count
    integer :: i
    select case (what)
    case (1)
      do i = 1, count
        sync all
      end do
    case (2)
      do i = 1, count
        sync images (*)
      end do
    case (3)
      do i = 1, count
        if (me == 1) event post (event[next])
        event wait (event)
        if (me /= 1) event post (event[next])
      end do
    case (4)
      if (me == images) then
        do i = 1, count
          lock (lock[1])
          unlock (lock[1])
        end do
      end if
    case (5)
      if (me == images) then
        do i = 1, count
          call atomic_add(counter[1], 1)
        end do
      end if
    case (6)
      do i = 1, count
        values(1:bytes/8) = 1
        call co_sum(values(1:bytes/8))
      end do
    case (7)
      do i = 1, count
        call co_broadcast(values(1:bytes/8), 1 + mod(i, images))
      end do
    end select
  end subroutine
end program
