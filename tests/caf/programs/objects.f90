! Where coarrays come from: modules, dummy arguments, allocations, blocks; and objects of derived types as coarrays.
module things
  implicit none
  integer, save :: of_module(3)[*] = 5
  type thing
    character(4) :: names(3) = "none"
    logical :: flag = .false.
    complex(8) :: z = 0
    integer, allocatable :: deep(:)
  end type

contains

  subroutine assumed_shape(x, n, next)
    integer, intent(in) :: n, next
    integer, intent(inout) :: x(:)[*]
    integer :: found(n), j
    found = x(:)[next]
    call check("assumed shape", all(found == [(100*next + 2*j + 1, j=1, n)]))
    found(1:1) = x(n:n)[next]
    call check("end of assumed shape", found(1) == 100*next + 2*n + 1)
    sync all
    x(1)[next] = -1
  end subroutine

  subroutine explicit_shape(x, n, next)
    integer, intent(in) :: n, next
    integer, intent(in) :: x(0:n - 1)[0:*]
    call check("explicit shape", x(2)[next - 1] == 100*next + 3)
  end subroutine

  subroutine allocatable_dummy(x, next)
    integer, allocatable, intent(inout) :: x(:)[:]
    integer, intent(in) :: next
    allocate (x(4)[*])
    x = this_image()
    sync all
    call check("allocatable dummy", x(4)[next] == next)
    sync all
  end subroutine

  subroutine check(name, fine)
    character(*), intent(in) :: name
    logical, intent(in) :: fine
    print *, name, " ", fine
  end subroutine

end module

subroutine objects
  use things
  implicit none
  integer, allocatable :: a(:)[:], b(:)[:], c(:)[:], d[:], e(:, :)[:, :], local(:)
  integer, save :: early(3)[*] = 7, late(3)[*] = 8
  type(thing), save :: s[*]
  type(thing), allocatable :: one[:]
  character(4) :: names(3)
  integer :: me, count, next, i

  me = this_image()
  count = num_images()
  next = merge(1, me + 1, me == count)
  early(:)[next] = me  ! no image begins before all have their initial values
  late(:)[merge(count, me - 1, me == 1)] = me
  call check("initial value", all(of_module(:)[next] == 5))
  allocate (a(10)[*])
  a = [(100*me + i, i=1, 10)]
  sync all
  call check("put at once", all(early == merge(count, me - 1, me == 1)) .and. all(late == next))
  call assumed_shape(a(3:9:2), 4, next)
  sync all
  call check("sent by a dummy", a(3) == -1)
  a(3) = 100*me + 3
  sync all
  call explicit_shape(a, 10, next)
  call allocatable_dummy(b, next)
  call move_alloc(b, c)
  call check("moved", .not. allocated(b) .and. c(2)[next] == next)
  sync all
  deallocate (c)
  allocate (c(3)[*], source=7)
  call check("source", all(c(:)[next] == 7))
  allocate (d[*])
  d = me
  sync all
  call check("scalar", d[next] == next)
  allocate (e(2, 3)[2, *])
  e = me
  sync all
  call check("cosubscripts", e(2, 3)[1, 1] == 1 .and. e(1, 1)[min(2, count), 1] == min(2, count))
  block
    integer, save :: inside[*]
    inside = me
    sync all
    call check("block", inside[next] == next)
    sync all
  end block

  s%names = [character(4) :: "ab", achar(64 + me), "ef"]
  s%z = cmplx(me, -me, 8)
  s%flag = me == 1
  allocate (s%deep(me))
  s%deep = me
  sync all
  names = s[next]%names
  call check("texts", all(names == [character(4) :: "ab", achar(64 + next), "ef"]))
  call check("text", s[next]%names(2) == achar(64 + next))
  call check("complex", s[next]%z == cmplx(next, -next, 8))
  call check("logical", s[next]%flag .eqv. (next == 1))
  local = s[next]%deep
  call check("sizes differ", size(local) == next .and. all(local == next))
  sync all
  s[next]%names(3) = "zz"
  s[next]%flag = .true.
  sync all
  call check("sent to objects", s%names(3) == "zz" .and. s%flag)
  do i = 1, 3
    allocate (one[*])
    allocate (one%deep(2))
    one%deep = me*[1, 2]
    sync all
    call check("allocatable object", all(one[next]%deep == next*[1, 2]))
    sync all
    deallocate (one)
  end do
end subroutine
