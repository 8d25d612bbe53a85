program files
  implicit none
  integer, parameter :: n = 8
  type node
    real, pointer :: p
    integer :: k
  end type
  real(8) :: u(n, n), a(n)
  integer :: v(n), i, m
  type(node) :: chain
  character(20) :: text
!$xmp nodes p(*)
!$xmp template t(n)
!$xmp distribute t(block) onto p
!$xmp align u(*, j) with t(j)
!$xmp align v(i) with t(i)

!$xmp master_io
  m = 3
!$xmp master_io
  if (m > 2) print *, m
!$xmp master_io
  flush (10)
!$xmp master_io begin
  write (10) m
  a = 2
!$xmp end master_io
!$xmp master_io begin
  write (10) m
!$xmp barrier
  write (10) m
!$xmp end master_io

!$xmp master_io
  write (10, *) v(1:3)
!$xmp master_io
  write (10, *) u(:, 2)
!$xmp master_io
  read (10, *) u(1, [1, 2])
!$xmp master_io
  print *, v(2) + 1, a
!$xmp master_io
  print *, sum(v)
!$xmp master_io
  print *, -v(2)
!$xmp master_io
  print *, (a(i), i = 1, v(1))
!$xmp master_io
  print *, u(v(1), 2)
!$xmp master_io
  print *, a(v(1))
!$xmp master_io
  print *, u(1)
!$xmp master_io
  write (v(1), *) m
!$xmp master_io
  read (10, *, iostat=v(2)) m
!$xmp master_io
  write (text, *) m
!$xmp master_io
  read (text(1:4), '(i4)') m
!$xmp master_io
  write (10, asynchronous='yes') m
!$xmp master_io
  read (10) chain
!$xmp master_io begin
  print *, m
end program
