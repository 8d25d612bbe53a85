program statements
  implicit none
  integer, parameter :: n = 8
  real :: u(n), v(n, n), w(n), x, location
  integer :: i, j, at(3), width
!$xmp nodes p(*)
!$xmp nodes one(1) = p(1:1)
!$xmp template t(n)
!$xmp template t2(n, n)
!$xmp template wide(width)
!$xmp distribute t(block) onto p
!$xmp distribute t2(*, block) onto p
!$xmp align u(i) with t(i)
!$xmp align v(i, j) with t2(i, j)
!$xmp shadow v(0, 1)
  u = 0
  w = u(2:5)
  print *, size(u), u(at), v(1)
!$xmp loop on t(i)
  do i = 2, n - 1
    if (u(i) > 1) exit
    if (u(i) > 2) go to 10
    if (u(i) > 3) cycle
    u(i) = u(i + 1)
    assign 5 to at
    if (u(i) > 4) go to at
    if (u(i) > 5) go to (5, 10), i
    if (u(i) > 6) go to at, (5)
    if (u(i) > 7) call sub(*10)
    if (u(i) > 8) go to width
5   continue
  end do
10 continue
  assign 10 to width
!$xmp loop on t2(*, j) reduction(firstmax:x/location/)
  do j = 3, n
    v(1, j) = v(1, j - 2) + v(1, j - 1)
  end do
!$xmp loop (i, j) on t2(i, j)
!$omp parallel do collapse(2)
  do j = 1, n
    do i = 1, j
      v(i, j) = 0
    end do
  end do
!$xmp loop on t(i) reduction(.and.:x, y) reduction(+:u)
  do while (x > 0)
  end do
!$xmp loop on t(i) reduction(.and.:x, y) reduction(+:u)
  do i = 1, n
    x = x + u(i)
  end do
!$xmp loop on t(k)
  do i = 1, n
    x = x + u(i)
  end do
!$xmp reflect (w, v) width(0, 2)
!$xmp gmove
  x = u(1)
!$xmp template_fix t(1:9)
!$xmp reduction(max:x/y/)
!$xmp task on p(1)
  return
!$xmp end tasks
end program
