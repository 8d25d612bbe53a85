! Master I/O: files and what is printed are those of the serial program, byte for byte.
module shapes
  implicit none
  integer, parameter :: wide = kind(1d0), n = 23, m = 7
  type cell
    real(4) :: x
    integer(2) :: k
    character(3) :: name
  end type
  real(wide) :: u(n, m)
!$xmp nodes p(*)
!$xmp template t(m)
!$xmp distribute t(block) onto p
!$xmp align u(*, j) with t(j)
!$xmp shadow u(0, 1:2)
  integer :: steps = 3, list(3) = [1, 2, 3]
  real :: ratio = 0.25
  character(8) :: label = 'none'
  namelist /settings/ steps, ratio, list, label
contains
  subroutine save(a, unit)
    real(wide), intent(in) :: a(n, m)
!$xmp align a(*, j) with t(j)
!$xmp shadow a(0, 1:2)
    integer, intent(in) :: unit
!$xmp master_io
    write (unit, '(f9.3)') a, a(2, 3), largest(a) / 2
  end subroutine
  real(wide) function largest(a)
    real(wide), intent(in) :: a(n, m)
!$xmp align a(*, j) with t(j)
!$xmp shadow a(0, 1:2)
    integer :: j
    largest = -1
!$xmp loop on t(j) reduction(max:largest)
    do j = 1, m
      largest = max(largest, maxval(a(:, j)))
    end do
  end function
end module

program files
  use shapes, only: n, m, w => u, cell, save, settings, steps, ratio, list, label
  implicit none
  integer, parameter :: sizes(2) = [5, 18]
  integer :: v(0:n), c(n), g(n), i, j, k, status, length
  complex(4) :: z(m, n)
  type(cell) :: cells(n)
  logical(1) :: flags(n)
  real(8) :: line(4), two(n, m), first(n), x
  character(20) :: name, string
  character(90) :: message
  character(4) :: words(n)
  logical :: there, opened
!$xmp template s(0:n)
!$xmp template r(n)
!$xmp template q(n, m)
!$xmp distribute s(cyclic(2)) onto p
!$xmp distribute r(cyclic) onto p
!$xmp nodes one(1, *)
!$xmp distribute q(block, cyclic(3)) onto one
!$xmp nodes pair(2) = p(1:2)
!$xmp template b(n)
!$xmp distribute b(gblock(sizes)) onto pair
!$xmp align v(i) with s(i)
!$xmp align c(i) with r(i)
!$xmp align (i) with r(i) :: flags, cells, words
!$xmp align z(*, i) with s(i)
!$xmp align two(i, j) with q(i, j)
!$xmp align first(i) with q(i, *)
!$xmp align g(i) with b(i)
!$xmp loop on t(j)
  do j = 1, m
    do i = 1, n
      w(i, j) = sqrt(real(i + j, 8))*10d0**(j - 4)
    end do
  end do
!$xmp loop on s(i)
  do i = 0, n
    v(i) = i*i
  end do
!$xmp loop on s(i)
  do i = 1, n
    do j = 1, m
      z(j, i) = cmplx(j, -i)
    end do
  end do
!$xmp loop on r(i)
  do i = 1, n
    c(i) = -i
    flags(i) = mod(i, 3) == 0
    words(i) = char(64 + i)//'x'
    cells(i)%x = i/3.0
    cells(i)%k = int(-i, 2)
    cells(i)%name = 'c'//char(64 + i)
  end do
!$xmp loop (i, j) on q(i, j)
  do j = 1, m
    do i = 1, n
      two(i, j) = i + j/100d0
    end do
  end do
!$xmp loop on q(i, *)
  do i = 1, n
    first(i) = i + 0.5d0
  end do

  ! formatted and list-directed, all layouts
  name = 'a, "b"'
  k = 7
!$xmp master_io begin
  open (10, file='text', status='replace')
  write (10, *) 'list', w, n, name, z, flags
  write (10, '(5(f12.4, ","), a)') w
  write (10, 100) v(3), (v(i), i = 0, n), i
  write (unit=10, fmt=*) c, cells, first, words
  write (10, '(6(a, ";"))') words, words(2), 'end'
  write (10, *, iostat=status) ((w(i, j), i, j = 1, 2), k, i = 1, 2), cells(3)%x, cells(4), two(n, m)
100 format (i5, /, (10i6))
  write (10, '(3i5)', advance='no') v
  write (10, '(a)') 'end'
  write (10, '(9i5)') ((v(i), j = 1, 3), i = 1, 2), (v(j), i, j = n, 0, -7), (v(i), i = 3, 2)
  write (10, '(6f9.3)') ((w(i, j), j = m, 1, -2), i = 2, n, 9), ((two(i, j), i = 1, 2*j), j = 1, m, 2)
  write (10, *) ((w(i, j), i = 22, 23), j = 6, 7), (cells(i)%k, cells(i)%x, i = 1, 4, 3), (cells(i)%name, i = 2, 3)
  write (10, '(7f10.2)') two, real(size(two)), real(ubound(w))
  write (10, *) (i, v(i), c(i), words(i), v(i), i = 1, n), (n, (two(i, j), i*j, i = 1, n, 2), j = m, 1, -1), i, j
  write (10, '(3(i6, f9.2))') (i, first(i), i = n, 1, -1), (j, v(j), w(j, k), j = 1, 0), ((i, w(i, j), i = 1, j), j = 1, m)
!$xmp end master_io
  call save(w, 10)
  do 20 i = 1, 2
    do 20 j = 1, 2
!$xmp master_io
20      write (10, *) i, j, &
              w(i, j)
!$xmp master_io
  write (10, nml=settings)
!$xmp master_io
  print '(a, 6i4)', 'printed', v
!$xmp task on pair
!$xmp loop on b(i)
  do i = 1, n
    g(i) = 3*i
  end do
!$xmp master_io begin
  open (12, file='task')
  write (12, *) g, (g(i), i = n, 1, -4)
  rewind (12)
  read (12, *) i, g(2), g(1), (j, g(i), i = 3, 12)
  write (12, '(23i3)') g
  close (12)
!$xmp end master_io
!$xmp end task

  ! what was written is read again: the array that was saved is the last one
!$xmp master_io
  rewind 10
!$xmp loop on t(j)
  do j = 1, m
    w(:, j) = -1
  end do
!$xmp master_io
  read (10, *) name, w, k
!$xmp master_io
  inquire (10, exist=there, opened=opened, name=message, recl=length, iostat=status)
!$xmp master_io begin
  write (10, *) name, k, w, there, opened, message(len_trim(message) - 3:), length, status
  open (newunit=k, file='parts', action='readwrite', status='replace')
  write (k, '(a)') '1 2 3*7, , 99 /', '12345678', 'ab', &
    '&settings steps = 9, list(2) = 8, label = "read" /', '4 5 6'
  rewind (k)
!$xmp end master_io
  line = 0
!$xmp master_io
  read (k, *) line(1), i, (list(j), v(j), j = 1, 3)
!$xmp master_io
  read (k, '(2i2, a)', advance='no', size=length, eor=31, iostat=status) list(1:2), string
  print *, 'wrong'
31 continue
!$xmp master_io
  print *, 'size', length, status, list, string, i, j, line, v
!$xmp master_io
  read (k, '(2i1)', advance='no', err=33) list(3), c(2)
  print *, 'wrong'
33 continue
!$xmp master_io begin
  backspace k
  read (k, '(a)') name
  read (k, settings)
  write (10, *) name, c, v, steps, ratio, list, label
!$xmp end master_io
!$xmp master_io
  read (k, *, end=35) line
  print *, 'wrong'
35 continue
!$xmp master_io begin
  read (k, *, iostat=status, iomsg=message) line
  write (10, *) status, trim(message), line(1:3)
  backspace (k)
  endfile k
  close (k, status='delete')
!$xmp end master_io
  write (string, '(i3)') status
!$xmp master_io
  print *, string

  ! unformatted: sequential, stream, direct
!$xmp master_io begin
  open (11, file='records', form='unformatted', status='replace')
  write (11) w, v, z, cells, n, flags
  write (11) (v(i), w(i, 2), i = 1, n, 3), cells(2)%k
  write (11) two(1, 1), first, words
  rewind (11)
!$xmp master_io end
  w = 0
!$xmp loop on r(i)
  do i = 1, n
    cells(i)%k = 0
    flags(i) = .true.
    words(i) = ' '
  end do
!$xmp loop on s(i)
  do i = 1, n
    v(i) = 0
    z(:, i) = 0
  end do
!$xmp master_io begin
  read (11) w, v, z, cells, k, flags
  read (11) (v(i - 1), w(i, 1), i = 1, n, 3), cells(1)%k
  read (11) x, first, words
  rewind (11)
  read (11) ((two(i, j), i = 1, n), j = 1, m)
  write (10, *) two, i, j
  rewind (11)
  read (11) ((two(i, j), j = 1, m), i = 1, n)
  read (11)
  read (11)
  read (11, iostat=status) w
  write (10, *) two, w, v, z, cells, k, flags, x, first, words, status
  close (11)
  open (11, file='stream', access='stream', status='replace')
  write (11) w, 'abc', v
  read (11, pos=9) v(1), x, line(2:4)
  inquire (11, pos=k, size=length)
  close (11)
  open (13, file='direct', access='direct', recl=8*n, status='replace')
  write (13, rec=3) first
  write (13, rec=1) (i, c(i), i = 1, n)
  read (13, rec=1) (k, v(i), i = n, 2, -2), (v(i), v(i), k, i = 3, 4)
  read (13, rec=3) (w(i, m), i = 1, n)
  inquire (iolength=i) w, v(2), x
  write (10, *) v, x, line, w, i, k, length
!$xmp end master_io
end program
