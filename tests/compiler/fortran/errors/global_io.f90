program global_io
  implicit none
  integer, parameter :: n = 8
  type box
    real, allocatable :: inside(:)
  end type
  type(box) :: a_box
  real :: u(n), a(n)
  integer :: i, status
!$xmp nodes p(*)
!$xmp template t(n)
!$xmp distribute t(block) onto p
!$xmp align u(i) with t(i)
!$xmp global_io
  rewind 10
!$xmp global_io
  i = 3
!$xmp global_io begin
  open (10, file='a', form='formatted', err=100)
  open (newunit=i, file='a', access='direct')
  close (10, status='throw')
!$xmp end global_io
!$xmp global_io direct
  open (10, file='a', position='append')
!$xmp global_io direct
  read (10) a
!$xmp global_io
  write (10, *) a
!$xmp global_io
  write (*) a
!$xmp global_io
  write (10, rec=3) a
!$xmp global_io
  write (10) (a(i), i = 1, n), u(3), u + 1, a_box
!$xmp global_io
  read (10) a(1), n
!$xmp global_io atomic
  write (10, iostat=status) u
!$xmp end global_io
!$xmp file_sync_all (unit=missing)
!$xmp global_io begin
100 continue
end program
