! Runs for a time with status everywhere, and goes on in a team of those that are left whenever an image fails. Prints how often
! it went on, what went wrong, and `ended`.
program killed
  use iso_fortran_env
  implicit none
  type(team_type) :: alive
  type(lock_type), save :: lock[*]
  type(event_type), save :: event[*]
  integer(atomic_int_kind), save :: counter[*]
  integer, save :: shared[*]
  integer, allocatable :: more(:)[:]
  integer(8) :: begin, now, rate
  real :: seconds
  integer :: me, images, next, status, ignored, n, steps, over, teams
  integer :: long(20000)
  character(20) :: argument
  sync all (stat=status)
  if (this_image() == 1) print *, 'started'
  flush (output_unit)
  call get_command_argument(1, argument)
  read (argument, *) seconds
  call system_clock(begin, rate)
  shared = 0
  call atomic_define(counter, 0)
  over = 0
  teams = 0
  do while (over == 0)
    form team (1, alive)
    teams = teams + 1
    change team (alive)
      me = this_image()
      images = num_images()
      next = merge(1, me + 1, me == images)
      steps = 0
      do
        steps = steps + 1
        sync all (stat=status)
        if (status /= 0) exit
        n = me
        call co_sum(n, stat=status)
        if (status /= 0) exit
        if (n /= images*(images + 1)/2) print *, 'wrong sum', n
        event post (event[next], stat=ignored)
        event wait (event, stat=ignored)
        lock (lock[1], stat=ignored)
        if (ignored == 0 .or. ignored == 6002) then
          shared = shared + 1
          unlock (lock[1], stat=ignored)
        end if
        call atomic_add(counter[next], 1, ignored)
        long = me
        call co_max(long, stat=status)
        if (status /= 0) exit
        if (any(long /= images)) print *, 'wrong maximum'
        n = me
        call co_broadcast(n, images, stat=ignored)
        if (mod(steps, 100) == 0) then
          allocate (more(10)[*], stat=status)
          if (status /= 0) exit
          deallocate (more, stat=ignored)
        end if
        call system_clock(now)
        over = merge(1, 0, now - begin > seconds*rate)
        call co_max(over, stat=status)
        if (status /= 0) over = 0
        if (status /= 0 .or. over /= 0) exit
      end do
    end team
  end do
  print *, 'ended', this_image(), teams, steps
end program
