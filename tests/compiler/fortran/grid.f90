! Two-dimensional blocks and blocks of given sizes on 2 x n nodes, parts of node arrays, directives in a main program without a
! program statement. Prints the same as plain gfortran.
!$xmp nodes q(2, *)
!$xmp nodes column(2) = q(:, 1)
!$xmp template t(n, 0:m)
!$xmp distribute t(gblock(sizes), block) onto q
!$xmp template half(n)
!$xmp distribute half(block) onto column
implicit none
integer, parameter :: n = 17, m = 12, sizes(2) = (/ 11, 6 /)
real*8 u(n, 0:m), x, v(0:m); integer i, j
!$xmp align u(i, j) with t(i, j)
!$xmp align v(j) with t(*, j)
!$xmp shadow u(1, 1)
integer c(n); integer total
!$xmp align c(i) with half(i)
!$xmp loop (i, j) on t(i, j)
do j = 0, m
  do i = 1, n
    u(i, j) = i * 0.5d0 + j * j
  end do
end do
!$xmp loop on t(*, j)
do j = 0, m; v(j) = j; end do
!$xmp reflect (u) orthogonal
x = 0
!$xmp loop (i, j) on t(i, j) reduction(+:x)
do j = m - 1, 1, -2
  do i = 2, n - 1
    x = x + u(i - 1, j) + u(i + 1, j) - 3 * u(i, j - 1) + u(i, j + 1) + v(j)
  end do
end do
if (x > 0) print *, 'orthogonal reflect, steps of minus two:', x, i, j
total = 0
!$xmp task on column
!$xmp loop on half(i) reduction(+:total)
do i = 1, n
  c(i) = i
  total = total + c(i)
end do
!$xmp end task
!$xmp bcast (total) from q(1, 1)
print *, 'task on a part of the nodes:', total
x = 0
!$xmp loop on t(i, m) reduction(max:x)
do i = 1, n
  x = max(x, u(i, m))
end do
!$xmp bcast (x) from t(1, m)
print *, 'loop on t(i, m), bcast from t:', x
end
