! Ends in the way that its argument names.
program endings
  use iso_fortran_env
  implicit none
  character(20) :: way
  character(30) :: message
  integer :: status, wrong
  integer, save :: waiting[*]
  type part
    integer, allocatable :: a(:)
  end type
  type(part), save :: parts[*]
  real(10), save :: long_double(2) = 0
  logical :: quiet
  call get_command_argument(1, way)
  quiet = .true.
  wrong = 0
  message = ' '
  select case (way)
  case ('stop')
    if (this_image() == 2) stop 3
    sync all(stat=status)
    sync images (*, stat=wrong)
    if (this_image() == 1) then
      call execute_command_line('sleep 3')  ! longer than a node in error waits for others
      print *, 'worked on', status == stat_stopped_image .and. wrong == stat_stopped_image
    end if
  case ('text')
    if (this_image() == 2) stop 'good bye'
  case ('quiet')
    if (this_image() == 2) stop 4, quiet=.true.
  case ('missing')
    if (this_image() == 2) stop
    sync all
  case ('twice')
    if (this_image() == 2) sync images ([1, 1])
    if (this_image() == 1) sync images (2)
  case ('nobody')
    if (this_image() == 2) sync images ([wrong])
    if (this_image() == 1) sync images (2)
  case ('reported')
    if (this_image() == 2) then
      sync images ([wrong], stat=status, errmsg=message)
      print *, 'reported', status > 0 .and. status /= stat_stopped_image .and. message == 'there is no image 0: the image'
    end if
  case ('error')
    if (this_image() == 2) error stop 5
    sync all
  case ('all')
    error stop 'bad thing'
  case ('silent')
    error stop 7, quiet=quiet
  case ('failed')
    if (this_image() == 2) fail image
    sync all
  case ('exit')
    if (this_image() == 2) call exit(6)
    sync all
  case ('coindex')
    if (this_image() == 2) wrong = waiting[4]
    sync all
  case ('absent')
    if (this_image() == 2) wrong = parts[3]%a(1)
    sync all
  case ('outside')
    if (this_image() == 3) allocate (parts%a(2:4))
    sync all
    if (this_image() == 2) parts[3]%a(2:5) = 1
    sync all
  case ('kind')
    long_double = this_image()
    call co_sum(long_double)
  case default
    error stop 'no such way'
  end select
  waiting = 0
end program
