! Parts of coarrays: components, their components, allocatable and pointer ones, arrays of them, and what is allocated there.
subroutine components
  implicit none
  type plain
    integer :: k = 0, l = 0
    real(8) :: r(3) = 0
  end type
  type inner
    integer :: k = 0
    real, allocatable :: z(:)
  end type
  type object
    integer :: n = 0
    integer :: m(2:4, 3:6) = 0
    type(plain) :: b(2, 2)
    character(5) :: word = ""
    integer, allocatable :: a(:)
    integer, allocatable :: g(:, :)
    real(8), pointer :: p(:) => null(), whole(:) => null()
    integer, pointer :: q => null()
    real(8), allocatable :: s
    type(inner), allocatable :: in(:)
    type(plain), allocatable :: one
  end type
  type noted  ! gfortran moves the text by realloc; the list is too long for the memory of small components
    character(:), allocatable :: text
    integer, allocatable :: list(:), again(:)
  end type
  type(object), save :: d[*]
  type(noted), save :: note[*]
  type(plain), save :: many(5)[*]
  type(plain), allocatable :: taken(:)[:]
  integer :: me, count, next, before, i, j, v(3), w(2), found(12), plane(3, 2), status
  integer, allocatable :: any(:), anyplane(:, :)
  real(8) :: reals(6)
  real(4) :: singles(3)
  character(3) :: text

  me = this_image()
  count = num_images()
  next = merge(1, me + 1, me == count)
  before = merge(count, me - 1, me == 1)
  v = [3, 1, 5]
  w = [2, 1]
  d%n = me
  d%m = reshape([(value(me, i), i=1, 12)], [3, 4])
  d%b%k = reshape([(value(me, 10*i), i=1, 4)], [2, 2])
  do i = 1, 3
    d%b%r(i) = me + 0.25d0*i
  end do
  d%word = achar(iachar("a") + me)//"bcd"
  allocate (d%a(-1:3 + me), d%g(4, 3), d%s, d%in(me + 1), d%one)
  d%a = [(value(me, i), i=-1, 3 + me)]
  d%g = reshape([(value(me, i), i=1, 12)], [4, 3])
  allocate (d%whole(20))
  d%whole = [(me + 0.5d0*i, i=1, 20)]
  d%p => d%whole(2:20:3)
  if (me /= 2) allocate (d%q)
  if (me /= 2) d%q = 77
  d%s = me/4d0
  do i = 1, me + 1
    allocate (d%in(i)%z(i + 2))
    d%in(i)%z = [(100*me + 10*i + j, j=1, i + 2)]
    d%in(i)%k = i*me
  end do
  d%one%k = me
  many%k = [(value(me, i), i=1, 5)]
  many%l = -many%k
  allocate (taken(0:4)[*])
  taken%k = [(value(me, 20 + i), i=1, 5)]
  taken%l = 0
  sync all

  ! get: what lies in the block
  call check("component", d[next]%n == next)
  call check("element", d[next]%m(3, 5) == value(next, 8) .and. d[next]%b(2, 1)%k == value(next, 20))
  found = reshape(d[next]%m, [12])
  call check("whole component", all(found == [(value(next, i), i=1, 12)]))
  found(1:4) = d[next]%m(4, :)
  call check("row", all(found(1:4) == [(value(next, i), i=3, 12, 3)]))
  plane(1:2, :) = d[next]%m(4:2:-2, 6:4:-2)
  call check("backward", all(plane(1:2, :) == &
             reshape([value(next, 12), value(next, 10), value(next, 6), value(next, 4)], [2, 2])))
  found(1:2) = d[next]%b(2, :)%k
  call check("component of a row", all(found(1:2) == [value(next, 20), value(next, 40)]))
  reals(1:2) = d[next]%b(1, 2)%r(3:1:-2)
  call check("array in array", all(reals(1:2) == next + [0.75d0, 0.25d0]))
  call check("text", d[next]%word == achar(iachar("a") + next)//"bcd ")
  found(1:3) = many(1:5:2)[next]%k
  call check("component of a section", all(found(1:3) == [(value(next, i), i=1, 5, 2)]))
  found(1:5) = taken(:)[next]%k
  call check("component of an allocatable", all(found(1:5) == [(value(next, 20 + i), i=1, 5)]))
  found(1:2) = taken(3:)[next]%k
  call check("open end", all(found(1:2) == [value(next, 24), value(next, 25)]))
  call check("component of an element", taken(3)[next]%k == value(next, 24))
  singles = d[next]%b(1, 1)%r
  call check("converted", all(singles == next + [0.25, 0.5, 0.75]))

  ! get: allocatable and pointer components
  call check("element of allocatable", d[next]%a(2) == value(next, 2))
  any = d[next]%a
  call check("allocated by assignment", size(any) == next + 5 .and. all(any == [(value(next, i), i=-1, next + 3)]))
  any = d[next]%a(1:)
  call check("reallocated", size(any) == next + 3 .and. all(any == [(value(next, i), i=1, next + 3)]))
  any = d[next]%a(:0)
  call check("open start", size(any) == 2 .and. all(any == [value(next, -1), value(next, 0)]))
  found(1:3) = d[next]%a(4:0:-2)
  call check("backward allocatable", all(found(1:3) == [(value(next, i), i=4, 0, -2)]))
  any = d[next]%a(:2:2)
  call check("stride", all(any == [value(next, -1), value(next, 1)]))
  v = [3, -1, 4]
  found(1:3) = d[next]%a(v)
  call check("vector", all(found(1:3) == [(value(next, v(i)), i=1, 3)]))
  v = [3, 1, 2]
  plane = d[next]%g(v, w)
  call check("two vectors", all(plane == reshape([((value(next, v(i) + 4*(w(j) - 1)), i=1, 3), j=1, 2)], [3, 2])))
  anyplane = d[next]%g(2:4:2, :)
  call check("plane", all(shape(anyplane) == [2, 3]) .and. &
             all(anyplane == reshape([((value(next, i + 4*(j - 1)), i=2, 4, 2), j=1, 3)], [2, 3])))
  call check("sum", sum(d[next]%g) == sum([(value(next, i), i=1, 12)]))
  reals(1:3) = d[next]%p(1:5:2)
  call check("pointer with a stride", all(reals(1:3) == next + 0.5d0*[2, 8, 14]))
  call check("scalar", d[next]%s == next/4d0)
  call check("nested", d[next]%in(2)%k == 2*next .and. d[next]%in(2)%z(3) == 100*next + 23)
  singles = d[next]%in(1)%z
  call check("nested array", all(singles == [(100*next + 10 + j, j=1, 3)]))
  call check("scalar object", d[next]%one%k == next)
  status = 0
  call check("present", allocated(d[next]%a) .and. allocated(d[next]%in) .and. allocated(d[next]%s))
  sync all

  ! send
  d[next]%n = 100 + me
  d[next]%m(2:4:2, 3) = [me, -me]
  d[next]%b(:, 2)%l = 7
  text = "ab"//achar(iachar("a") + me)  ! gfortran 12 sends no concatenations
  d[next]%word = text
  many(2:4)[next]%k = [me, 2*me, 3*me]  ! gfortran 12 forgets where %l lies
  taken(4)[next]%l = me
  taken(0:2:2)[next]%k = -1
  d[next]%a(0:2) = [me, me + 1, me + 2]
  d[next]%g(v, 3) = -me
  d[next]%g(4, 1:2) = [1.5, 2.5]
  d[next]%p(2) = -1
  d[next]%s = me + 0.5
  d[next]%in(1)%z(:) = me
  d[next]%in(2)%k = -me
  d[next]%one%l = me
  sync all
  i = before
  call check("sent component", d%n == 100 + i .and. d%word == "ab"//achar(iachar("a") + i))
  call check("sent section", d%m(2, 3) == i .and. d%m(4, 3) == -i .and. d%m(3, 3) == value(me, 2))
  call check("sent components", all(d%b(:, 2)%l == 7) .and. all(d%b(:, 1)%l == 0) .and. d%b(1, 2)%k == value(me, 30))
  call check("sent to elements", all(many%k == [value(me, 1), i, 2*i, 3*i, value(me, 5)]))
  call check("sent to allocatable", taken(4)%l == i .and. all(taken%k == [-1, value(me, 22), -1, value(me, 24), value(me, 25)]))
  call check("sent to component", all(d%a(-1:3) == [value(me, -1), i, i + 1, i + 2, value(me, 3)]))
  call check("sent to vector", all(d%g(1:3, 3) == -i) .and. d%g(4, 3) == value(me, 12) .and. all(d%g(4, 1:2) == [1, 2]))
  call check("sent to pointer", d%whole(5) == -1 .and. d%whole(8) == me + 4)
  call check("sent to scalar", d%s == i + 0.5d0)
  call check("sent to nested", all(d%in(1)%z == i) .and. d%in(2)%k == -i .and. d%in(2)%z(1) == 100*me + 21)
  call check("sent to object", d%one%l == i .and. d%one%k == me)
  sync all

  ! from image to image, and what is gone
  d%a(-1:3) = [(value(me, i), i=-1, 3)]
  sync all
  d[me]%g(::2, :) = reshape([1, 2, 3, 4, 5, 6], [2, 3])
  call check("every second row", all(d%g(1:3:2, :) == reshape([1, 2, 3, 4, 5, 6], [2, 3])) .and. d%g(4, 3) == value(me, 12))
  sync all
  if (me == 1) d[count]%g(1:3, 1) = d[next]%a(1:3)
  if (me == 1) d[count]%m(3, 4) = d[next]%a(0)
  sync all
  if (me == count) call check("image to image", all(d%g(1:3, 1) == [(value(merge(2, 1, count > 1), i), i=1, 3)]) .and. &
                              d%m(3, 4) == value(merge(2, 1, count > 1), 0))
  if (me == count) deallocate (d%a, d%in, d%s)
  sync all
  call check("not present", .not. (allocated(d[count]%a) .or. allocated(d[count]%in) .or. allocated(d[count]%s)))
  sync all
  if (me == count) d%a = [5, 6, 7]
  if (me == count) d%a = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20]
  sync all
  any = d[count]%a(18:)
  call check("assigned anew", all(any == [18, 19, 20]))
  if (me == count) allocate (d%in(100))
  do i = 1, merge(3000, 0, me == count)
    j = mod(i, 100) + 1
    if (allocated(d%in(j)%z)) deallocate (d%in(j)%z)
    allocate (d%in(j)%z(j))
    d%in(j)%z = i
  end do
  sync all
  call check("hundred components", all(d[count]%in(100)%z == 2999) .and. d[count]%in(51)%z(50) == 2950)
  sync all

  ! what is moved, and what is given back
  before = resident()
  do i = 1, 2000
    note%text = "short"
    note%text = repeat(achar(iachar("a") + mod(i, 20)), 30000 + i)
    if (i < 2000) deallocate (note%text)
  end do
  call check("given back", resident() - before < 20000 .and. note%text == repeat("a", 32000))
  deallocate (note%text)
  before = resident()
  do i = 1, 500
    note%text = repeat("x", 70000)
    note%text = repeat(achar(iachar("a") + mod(i, 20)), 150000 + 100 * i)
    note%text = repeat("y", 400000 - 300 * i)
    if (i < 500) deallocate (note%text)
  end do
  call check("long texts given back", resident() - before < 20000 .and. note%text == repeat("y", 250000))
  allocate (note%list(50000 + me))
  note%list = [(i, i=1, 50000 + me)]
  sync all
  call check("long component", sum(note[next]%list(49000:)) == sum([(i, i=49000, 50000 + next)]))
  note[next]%list(50000) = -me
  sync all
  call check("sent to long component", note%list(50000) == -merge(count, me - 1, me == 1))
  deallocate (note%text, note%list)
  note%text = "short"
  note%text = repeat("x", 5000)
  allocate (note%list(10))  ! perhaps where the short text was
  note%list = me
  deallocate (note%text)
  allocate (note%again(10))
  note%again = -1
  call check("where another was", all(note%list == me))
  deallocate (note%list, note%again)
  sync all

contains

  integer function value(image, i)
    integer, intent(in) :: image, i
    value = image*1000 + i
  end function

  ! Memory of this process in KiB.
  integer function resident()
    integer :: unit, pages(2)
    open (newunit=unit, file="/proc/self/statm")
    read (unit, *) pages
    close (unit)
    resident = 4*pages(2)
  end function

  subroutine check(name, fine)
    character(*), intent(in) :: name
    logical, intent(in) :: fine
    print *, name, " ", fine
  end subroutine
end subroutine
