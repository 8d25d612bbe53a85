! get, send and sendget: sections, negative strides, vector subscripts, scalars to arrays, overlap on one image.
! Every image fills its own block by a formula, so that each knows what it finds on another.
subroutine sections
  implicit none
  integer, parameter :: n = 12, m = 5
  integer, save :: line(n)[*], grid(0:n - 1, -2:m - 3)[*], deep(2, 2, 2, 2, 2, 2, 2, 2)[*]
  integer, allocatable :: taken(:)[:], hidden(:, :)[:]
  integer :: me, next, count, i, j, v(3), w(2), found(n), plane(n, m), small(3, 2), one
  integer :: cube(2, 2, 2, 2, 2, 2, 2, 2)
  integer(8), allocatable :: huge(:)[:]
  integer :: status
  character(200) :: text
  logical :: ok

  me = this_image()
  count = num_images()
  next = merge(1, me + 1, me == count)
  v = [7, 2, 11]
  w = [-1, -2]
  allocate (taken(-3:8)[*], hidden(3, 4)[*])
  line = [(value(me, i, 0), i=1, n)]
  grid = reshape([((value(me, i, j), i=0, n - 1), j=-2, m - 3)], [n, m])
  taken = [(value(me, i, 7), i=-3, 8)]
  hidden = me
  deep = reshape([(value(me, i, 9), i=1, 256)], shape(deep))
  sync all

  ! get
  call check("scalar", line(3)[next] == value(next, 3, 0))
  found = line(:)[next]
  call check("whole", all(found == [(value(next, i, 0), i=1, n)]))
  found(1:4) = line(2:11:3)[next]
  call check("stride", all(found(1:4) == [(value(next, i, 0), i=2, 11, 3)]))
  found(1:4) = line(11:2:-3)[next]
  call check("backward", all(found(1:4) == [(value(next, i, 0), i=11, 2, -3)]))
  found(10:1:-3) = line(1:10:3)[next]
  call check("backward here", all(found(1:10:3) == [(value(next, i, 0), i=10, 1, -3)]))
  found(v) = line(v)[next]
  call check("vector", all(found(v) == [(value(next, v(i), 0), i=1, 3)]))
  found(1:3) = taken(v - 4)[next]
  call check("vector, lower bound", all(found(1:3) == [(value(next, v(i) - 4, 7), i=1, 3)]))
  plane = grid(:, :)[next]
  call check("plane", all(plane == reshape([((value(next, i, j), i=0, n - 1), j=-2, m - 3)], [n, m])))
  found(1:m) = grid(4, :)[next]
  call check("row", all(found(1:m) == [(value(next, 4, j), j=-2, m - 3)]))
  found(1:3) = grid(v, 1)[next]
  call check("vector and subscript", all(found(1:3) == [(value(next, v(i), 1), i=1, 3)]))
  small = grid(v, w)[next]
  call check("two vectors", all(small == reshape([((value(next, v(i), w(j)), i=1, 3), j=1, 2)], [3, 2])))
  small = grid(2:10:4, w)[next]
  call check("triplet and vector", all(small == reshape([((value(next, i, w(j)), i=2, 10, 4), j=1, 2)], [3, 2])))
  found(1:2) = grid(9, w)[next]
  call check("subscript and vector", all(found(1:2) == [(value(next, 9, w(j)), j=1, 2)]))
  cube = deep(:, :, :, :, :, :, :, :)[next]
  call check("eight dimensions", all(cube == reshape([(value(next, i, 9), i=1, 256)], shape(cube))))
  cube(:, 2:1:-1, :, :, :, :, 2:1:-1, :) = deep(2:1:-1, :, :, 2:1:-1, :, 2:1:-1, :, 2:1:-1)[next]
  plane(1, 1) = cube(1, 1, 1, 1, 1, 1, 1, 1)
  call check("eight, backward", plane(1, 1) == value(next, place([2, 2, 1, 2, 1, 2, 2, 2]), 9))
  plane(1, 1) = cube(2, 1, 2, 2, 1, 1, 1, 2)
  call check("eight, backward 2", plane(1, 1) == value(next, place([1, 2, 2, 1, 1, 2, 2, 1]), 9))
  one = sum(line(:)[next])
  call check("sum", one == sum([(value(next, i, 0), i=1, n)]))
  found(1:0) = line(5:4)[next]
  sync all

  ! send
  line(3)[next] = -me
  line(5:9:2)[next] = [-me - 1, -me - 2, -me - 3]
  line(12:10:-2)[next] = [-12, -10]
  taken(v - 5)[next] = [100 + me, 200 + me, 300 + me]
  grid(3, :)[next] = -me
  grid(8:9, w)[next] = reshape([1, 2, 3, 4], [2, 2])
  hidden(:, 2:4)[next] = 9
  one = merge(count, me - 1, me == 1)
  sync all
  call check("sent scalar", line(3) == -one)
  call check("sent stride", all(line(5:9:2) == [-one - 1, -one - 2, -one - 3]))
  call check("sent backward", all(line(10:12:2) == [-10, -12]))
  call check("not sent", all([line(4), line(6), line(11)] == [value(me, 4, 0), value(me, 6, 0), value(me, 11, 0)]))
  call check("sent vector", all([taken(2), taken(-3), taken(6)] == [100 + one, 200 + one, 300 + one]))
  call check("not sent vector", taken(-2) == value(me, -2, 7))
  call check("sent scalar to row", all(grid(3, :) == -one) .and. all(grid(4, :) == [(value(me, 4, j), j=-2, m - 3)]))
  call check("sent to vector", all([grid(8, -1), grid(9, -1), grid(8, -2), grid(9, -2)] == [1, 2, 3, 4]))
  call check("sent scalar to section", all(hidden(:, 1) == me) .and. all(hidden(:, 2:) == 9))
  sync all

  ! one image's memory on both sides
  line = [(i, i=1, n)]
  line(2:8)[me] = line(1:7)
  call check("shifted up", all(line == [1, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12]))
  line(1:7)[me] = line(2:8)[me]
  call check("shifted down", all(line == [1, 2, 3, 4, 5, 6, 7, 7, 9, 10, 11, 12]))
  line(12:1:-1)[me] = line(:)[me]
  call check("turned", all(line == [12, 11, 10, 9, 7, 7, 6, 5, 4, 3, 2, 1]))
  line(1:12:2) = line(2:7)[me]
  call check("stretched", all(line(1:12:2) == [11, 10, 9, 7, 7, 6]))
  sync all

  ! from image to image
  line = [(value(me, i, 3), i=1, n)]
  taken = 0
  sync all
  if (me == 1) then
    taken(:)[next] = line(:)[count]
    taken(-3:5:4)[count] = line(3:1:-1)[next]
    grid(v, -2)[count] = line(2:6:2)[1]
  end if
  sync all
  ok = .true.
  if (me == next .and. me /= count .and. count > 2) ok = all(taken == [(value(count, i, 3), i=1, n)])
  if (me == 2 .and. count > 2) ok = all(taken == [(value(count, i, 3), i=1, n)])
  if (me == count .and. count > 2) ok = all(taken(-3:5:4) == [(value(2, i, 3), i=3, 1, -1)]) .and. taken(-2) == 0
  if (me == count) ok = ok .and. all(grid(v, -2) == [(value(1, i, 3), i=2, 6, 2)])
  call check("image to image", ok)

  ! what cannot be
  allocate (huge(2_8**55)[*], stat=status, errmsg=text)
  call check("too large", status /= 0 .and. .not. allocated(huge) .and. index(text, "allocation too large") > 0)
  text = "untouched"
  allocate (huge(3)[*], stat=status, errmsg=text)
  call check("not too large", status == 0 .and. size(huge) == 3 .and. all(huge == 0) .and. text == "untouched")
  deallocate (huge, stat=status)
  call check("deallocated", status == 0 .and. .not. allocated(huge))
  one = 7
  one = line(1)[count + 1, stat=status]
  call check("no such image", status /= 0)
  one = line(1)[count, stat=status]
  call check("such an image", status == 0 .and. one == value(count, 1, 3))

contains

  integer function value(image, i, j)
    integer, intent(in) :: image, i, j
    value = image*10000 + i*100 + j
  end function

  integer function place(subscripts)
    integer, intent(in) :: subscripts(8)
    integer :: d
    place = 1
    do d = 1, 8
      place = place + (subscripts(d) - 1)*2**(d - 1)
    end do
  end function

  subroutine check(name, fine)
    character(*), intent(in) :: name
    logical, intent(in) :: fine
    print *, name, " ", fine
  end subroutine
end subroutine
