! gmove, and sections in bcast and reduction, with results that do not depend on the number of nodes: prints the same as plain
! gfortran.
module shapes
  implicit none
  type point
    real :: x
    integer :: tag(3)
  end type
end module

program assignments
  use shapes
  implicit none
  integer, parameter :: n = 12, m = 9, zero = 0
  integer :: a(n, m), b(0:n - 1, -3:m - 4), v(n), w(n)
  real(8) :: d(m, n)
  integer :: local(n, m), line(-2:n - 3), scalar, k, i, j, place, step
  integer, allocatable :: some(:, :)
  character(3) :: name
  type(point) :: here, all(4)
!$xmp nodes p(*)
!$xmp template t(n, m)
!$xmp template r(0:n - 1, -3:m - 4)
!$xmp distribute t(*, block) onto p
!$xmp distribute r(block, *) onto p
!$xmp align a(i, j) with t(i, j)
!$xmp align b(i, j) with r(i, j)
!$xmp align d(j, i) with t(i, j)
!$xmp align v(i) with t(i, *)
!$xmp align w(i) with t(i, *)
!$xmp shadow a(0, 1)

!$xmp loop on t(*, j)
  do j = 1, m
    do i = 1, n
      a(i, j) = 100 * i + j
    end do
  end do
  allocate (some(0:3, 2:5))
  local = 0; scalar = 7; k = 4; step = -2

!$xmp gmove
  b(:, :) = a(:, :)
!$xmp gmove
  local(:, :) = b(:, :)
  print *, 'transposed distribution:', sum(local * reshape([(i, i = 1, n * m)], [n, m]))
!$xmp gmove
  b = a
!$xmp gmove
  local = b
  print *, 'whole arrays:', sum(local)
!$xmp gmove
  b(1:k, -1) = a(k:k + 3, 2)
!$xmp gmove
  b(n - 1:5:step, 0) = a(1:4, m)
!$xmp gmove
  b(:4:2, m - 4) = a(3, 1:3)
!$xmp gmove
  local(:, 3) = b(:, -1)
!$xmp gmove
  local(:, 4) = b(:, 0); print *, 'columns:', local(:, 3), local(:, 4)
!$xmp gmove
  line(:) = b(:, m - 4)
  print *, 'lower bounds of a local array:', line
!$xmp gmove
  some(1:2, 3:5:2) = a(4:5, 1:5:4)
  print *, 'part of an allocatable array:', some(1:2, 3:5:2)
!$xmp gmove
  d(2:m, 3) = a(n, 1:m - 1)
!$xmp gmove
  scalar = a(3, k)
  print *, 'one element:', scalar
!$xmp gmove
  a(5, 1) = scalar
!$xmp gmove
  a(6, 2:3) = 17
!$xmp gmove
  a(7:8, m) = zero
!$xmp gmove
20 local = a
  print *, 'values:', sum(local), local(5, 1), local(6, :), local(7, :), local(1:2, 1)
!$xmp gmove in
  line(0:3) = a(1:4, 2)
!$xmp gmove out async(4)
  b(0:3, 1) = line(0:3)
!$xmp wait_async (4)
!$xmp barrier
!$xmp gmove
  line(0:3) = b(0:3, 1)
  print *, 'in, out:', line(0:3)

  ! ---- what a clause names: sections, elements, global arrays, derived types, location variables ----
  v = 0; w = 0
  here = point(0, 0); all = here; name = 'old'
!$xmp task on p(1)
  v = [(i, i = 1, n)]; w(3:11:4) = [5, 6, 7]
  here = point(2.5, [1, 2, 3]); all(2:4:2) = here; name = 'new'; some(1, :) = 8
!$xmp end task
!$xmp bcast (v, w(3:11:4), here, all(1:4), name, some(1, 2:5)) from p(1)
!$xmp bcast (all(2)%tag(1:2)) from p(1) on p
  print *, 'bcast of sections:', v, w, some(1, :)
  print *, 'bcast of derived types:', here, all, name
!$xmp reduction(max:v(2:4), w) on p
!$xmp reduction(min:v(1), line(0:3))
  print *, 'reduction of sections:', v, w, line(0:3)
  place = 1; k = 9; i = 3
!$xmp reduction(max:i/place, line(0:1)/) on p
  print *, 'location variables:', i, place, line(0:1)
end program
