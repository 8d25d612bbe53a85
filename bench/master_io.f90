! A file of one node's records with an array that no node could hold, here 512 MiB on 8 nodes of at most 128 MiB each:
!   xmpf90 -O2 -o master_io bench/master_io.f90
!   (ulimit -d 131072; xmprun -n 8 ./master_io)
! Prints the file's size, whether what was read is what was written, and the most memory that each node has had.
program master_file
  use xmp_lib
  use, intrinsic :: iso_fortran_env, only: int64
  implicit none
  integer, parameter :: n = 64 * 1024, m = 1024
  real(8) :: u(n, m)
  integer :: i, j, wrong
  integer(int64) :: bytes
!$xmp nodes p(*)
!$xmp template t(m)
!$xmp distribute t(block) onto p
!$xmp align u(*, j) with t(j)
!$xmp loop on t(j)
  do j = 1, m
    do i = 1, n
      u(i, j) = i + n * real(j, 8)
    end do
  end do
!$xmp master_io begin
  open (10, file='master_io.dat', form='unformatted', status='replace')
  write (10) u
  rewind (10)
!$xmp end master_io
!$xmp loop on t(j)
  do j = 1, m
    u(:, j) = 0
  end do
!$xmp master_io begin
  read (10) u
  inquire (10, size=bytes)
  close (10, status='delete')
!$xmp end master_io
  wrong = 0
!$xmp loop on t(j) reduction(+:wrong)
  do j = 1, m
    do i = 1, n
      if (u(i, j) /= i + n * real(j, 8)) wrong = wrong + 1
    end do
  end do
  print '(a, i0, a, i0, a, i0, a, f0.1, a)', 'node ', xmp_node_num(), ': a file of ', bytes, ' bytes, ', wrong, &
    ' elements wrong, at most ', most_memory() / 1024, ' MiB of memory'
contains
  real function most_memory()  ! of this process, in KiB
    character(80) :: line
    integer :: unit, status
    open (newunit=unit, file='/proc/self/status', action='read')
    do
      read (unit, '(a)', iostat=status) line
      if (status /= 0) exit
      if (line(:6) == 'VmHWM:') read (line(7:), *) most_memory
    end do
    close (unit)
  end function
end program
