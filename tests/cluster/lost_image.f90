! The last image is the only one of its machine, and dies. The others meet that in what the argument says, and go on in a team.
program lost_image
  use iso_fortran_env
  use iso_c_binding
  implicit none
  interface
    integer(c_int) function raise(signal) bind(c)
      import
      integer(c_int), value :: signal
    end function
    integer(c_int) function usleep(microseconds) bind(c)
      import
      integer(c_int), value :: microseconds
    end function
  end interface
  integer, parameter :: long = 1000000, kill = 9
  integer, save :: a(long)[*]
  integer :: b(long), status, last, ignored, neighbour
  integer(8) :: begin, now, rate
  character(20) :: what
  type(team_type) :: alive
  call get_command_argument(1, what)
  last = num_images()
  a = this_image()
  sync all (stat=status)
  if (this_image() == last) then
    ignored = usleep(200000)
    ignored = raise(kill)
  end if
  call system_clock(begin, rate)
  status = 0
  do while (status == 0)
    select case (what)
    case ('get')
      b(1) = a(5)[last, stat=status]
    case ('long get')
      b(:) = a(:)[last, stat=status]
    case ('strided get')
      b(1:1000) = a(1:long:1000)[last, stat=status]
    case ('put')
      a(5)[last] = 3
      sync memory
      if (size(failed_images()) > 0) status = image_status(last)
    case ('long put')
      a(:)[last] = b(:)
      if (size(failed_images()) > 0) status = image_status(last)
    case ('atomic')
      call atomic_add(a(1)[last], 1, status)
    case ('sync all')
      sync all (stat=status)
    case ('sync images')
      sync images (last, stat=status)
    case ('co_sum')
      b(1) = 1
      call co_sum(b(1), stat=status)
    case ('co_broadcast')
      call co_broadcast(b, 1, stat=status)
    end select
  end do
  call system_clock(now)
  if (status /= stat_failed_image .or. any(failed_images() /= [last])) print *, 'wrong status', status, failed_images()
  if (now - begin > 20*rate) print *, 'late', real(now - begin)/rate
  form team (1, alive)
  change team (alive)
    b(1) = this_image()
    call co_sum(b(1), stat=status)
    neighbour = merge(1, this_image() + 1, this_image() == num_images())
    if (status == 0 .and. b(1) == 3 .and. a(7)[neighbour] == neighbour) print *, 'goes on'
  end team
end program
