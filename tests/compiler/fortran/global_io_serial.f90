! What global_io.f90 writes, and reads, by Fortran's own streams and records.
program serial
  implicit none
  integer, parameter :: n = 24, m = 5
  integer :: i, j
  open (10, file='serial.dat', access='stream', status='replace')
  write (10) ((i + 0.01d0 * j, i = 1, n), j = 1, m), 'words', ((100 * j + i, i = 1, n), j = 1, m)
  write (10) (int(i, 2), i = 1, 9, 2), 1, 22, 333, 2 * n + 1, .true.
  close (10)
  open (10, file='appended.dat', access='stream', status='replace')
  write (10) 1, 22, 333
  close (10)
  open (10, file='records.dat', access='direct', recl=20, status='replace')
  do i = 1, 30
    write (10, rec=i) i, i**2, i**3, -i
  end do
end program
