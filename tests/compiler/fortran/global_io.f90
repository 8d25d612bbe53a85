! Global I/O: what nodes write in every way equals what a serial program writes (global_io_serial.f90), and each reads the other's
! files. Each line says what was compared, and T. With an argument the program ends by an error.
program global_files
  use xmp_lib
  implicit none
  integer, parameter :: n = 24, m = 5, whole = 10, some = 11
  real(8) :: u(n, m), v(n, m)
  integer :: w(n, m), x(n, m), numbers(3), more(3), i, j, last, me, nodes, wrong, first, second, record(4)
  integer(2), pointer :: every(:)
  integer(2), target :: short(9)
  character(5) :: word
  character(20) :: argument
  logical :: truth, there
!$xmp nodes p(*)
!$xmp template t(n, m)
!$xmp distribute t(block, *) onto p
!$xmp template c(n, m)
!$xmp distribute c(*, cyclic(2)) onto p
!$xmp align u(i, j) with t(i, j)
!$xmp align v(i, j) with c(i, j)
!$xmp align w(i, j) with c(i, j)
!$xmp align x(i, *) with t(i, *)
!$xmp shadow u(1, 0)
  me = xmp_node_num()
  nodes = xmp_num_nodes()
!$xmp loop (i, j) on t(i, j)
  do j = 1, m
    do i = 1, n
      u(i, j) = i + 0.01d0 * j
    end do
  end do
!$xmp loop on c(*, j)
  do j = 1, m
    do i = 1, n
      w(i, j) = 100 * j + i
    end do
  end do
  numbers = [1, 22, 333]
  word = 'words'
  short = [(int(i, 2), i = 1, 9)]
  every => short(1:9:2)
  call get_command_argument(1, argument)

  ! ---- collective: global arrays of any layout, local variables, expressions ----
!$xmp global_io begin
  open (unit=whole, file='written.dat', form='unformatted', status='replace', position='rewind', action='readwrite', iostat=first)
  write (whole) u, word, w
  write (unit=whole, iostat=second) every, numbers, 2 * n + 1, .true.
  close (whole)
!$xmp end global_io
  print *, 'collective writes:', first == 0 .and. second == 0
  every = 0
  numbers = 0
  word = ''
!$xmp global_io
  open (whole, file='serial.dat', form='UNFORMATTED ', access='Sequential', status='old', action='read')
!$xmp global_io
  read (whole) v, word, x
!$xmp file_sync_all (unit=whole)
!$xmp global_io
  read (whole, iostat=first) every, numbers, i, truth
  print *, 'local variables:', word == 'words' .and. all(numbers == [1, 22, 333]) .and. i == 2 * n + 1 .and. truth
  print *, 'an array with gaps:', all(short(1:9:2) == [1, 3, 5, 7, 9]) .and. all(short(2:8:2) == [2, 4, 6, 8])
  wrong = 0
!$xmp loop on c(*, j) reduction(+:wrong)
  do j = 1, m
    do i = 1, n
      if (v(i, j) /= i + 0.01d0 * j) wrong = wrong + 1
    end do
  end do
!$xmp loop on t(i, *) reduction(+:wrong)
  do i = 1, n
    do j = 1, m
      if (x(i, j) /= 100 * j + i) wrong = wrong + 1
    end do
  end do
  print *, 'global arrays:', wrong == 0
!$xmp global_io
  read (whole, iostat=first) v
!$xmp global_io
  read (whole, iostat=second) numbers
  print *, 'end of file:', first == -1 .and. second == -1
!$xmp global_io
  write (whole, iostat=first) numbers
  print *, 'read only:', first > 0
  if (argument == 'open') stop
  if (argument == 'end') then
!$xmp global_io
    read (whole) v
  end if
!$xmp global_io begin
  close (whole, status='keep')
  open (whole, file='written.dat', form='unformatted', position='append')
  write (whole) numbers
  close (whole)
  open (whole, file='missing.dat', form='unformatted', status='old', iostat=first)
  open (whole, file='written.dat', form='unformatted', status='new', iostat=second)
  write (whole, iostat=i) numbers
  close (whole, iostat=j)
!$xmp end global_io
  print *, 'missing, new, not open:', first == 2 .and. second == 17 .and. i > 0 .and. j == 0

  ! ---- the same unit on two sets of nodes ----
!$xmp task on p(1)
  numbers = 1
  call on_some('first.dat')
!$xmp end task
  last = min(2, nodes)
!$xmp task on p(last:nodes)
  numbers = 2
  call on_some('second.dat')
!$xmp end task
!$xmp barrier
!$xmp global_io begin
  open (some, file='first.dat', form='unformatted')
  read (some) numbers
  close (some, status='delete')
  open (some, file='second.dat', form='unformatted', action='read')
  read (some) more
  close (some, status='delete')
!$xmp end global_io
  inquire (file='second.dat', exist=there)
  print *, 'sets of nodes:', all(numbers == 1) .and. all(more == 2) .and. .not. there

  ! ---- atomic: each node's statement in one piece, in any order ----
  wrong = 0
!$xmp global_io atomic
  open (some, file='atomic.dat', form='unformatted', status='replace')
  do i = 1, 8
!$xmp global_io atomic
    write (some) me, i, word, me * i
  end do
!$xmp global_io begin atomic
  close (some)
  open (some, file='atomic.dat', form='unformatted', action='read')
!$xmp end global_io
  first = 0
  do
!$xmp global_io atomic
    read (some, iostat=second) i, j, word, last
    if (second /= 0) exit
    first = first + 1
    if (i < 1 .or. i > nodes .or. j < 1 .or. j > 8 .or. word /= 'words' .or. last /= i * j) wrong = wrong + 1
  end do
  if (second /= -1) wrong = wrong + 1
!$xmp reduction (+:first, wrong)
  print *, 'atomic:', first == 8 * nodes .and. wrong == 0
!$xmp global_io atomic
  close (some)

  ! ---- direct: each node its own records ----
!$xmp global_io direct begin
  open (some, file='direct.dat', access='direct', recl=20, status='replace')
!$xmp end global_io
  do i = me, 30, nodes
    record = [i, i**2, i**3, -i]
!$xmp global_io direct
    write (some, rec=i) record
  end do
!$xmp file_sync_all (some)
  wrong = 0
  do i = 1, 30
!$xmp global_io direct
    read (unit=some, rec=i, iostat=first) record
    if (first /= 0 .or. any(record /= [i, i**2, i**3, -i])) wrong = wrong + 1
  end do
!$xmp global_io direct
  read (some, rec=31, iostat=first) record
!$xmp global_io direct
  write (some, rec=1, iostat=second) record, record
  print *, 'direct:', wrong == 0 .and. first == -1 .and. second > 0
!$xmp global_io direct
  close (some)
contains
  subroutine on_some(name)
    character(*), intent(in) :: name
!$xmp global_io begin
    open (some, file=name, form='unformatted', status='replace')
    write (some) numbers
    close (some)
!$xmp end global_io
  end subroutine
end program
