! What an assignment to or from another image makes of other types, kinds and lengths.
subroutine conversions
  implicit none
  integer(1), save :: i1(4)[*]
  integer(2), save :: i2(4)[*]
  integer(4), save :: i4(4)[*]
  integer(8), save :: i8(4)[*]
  integer(16), save :: i16(4)[*]
  real(4), save :: r4(4)[*]
  real(8), save :: r8(4)[*]
  real(10), save :: r10(4)[*]
  real(16), save :: r16(4)[*]
  complex(4), save :: c4(4)[*]
  complex(8), save :: c8(4)[*]
  complex(16), save :: c16(4)[*]
  logical(1), save :: l1(4)[*]
  logical(8), save :: l8(4)[*]
  character(5), save :: text(3)[*]
  character(4, kind=4), save :: wide[*]
  character(:), allocatable :: deferred[:]
  integer(1) :: a1(4)
  integer(4) :: a4(4)
  integer(8) :: a8(4)
  real(4) :: b4(4)
  real(8) :: b8(4)
  real(16) :: b16(4)
  complex(8) :: z8(4)
  logical(4) :: flags(4)
  character(3) :: short(3)
  character(8) :: long(3)
  character(6, kind=4) :: wider
  integer :: me, next

  me = this_image()
  next = merge(1, me + 1, me == num_images())
  allocate (character(len=6) :: deferred[*])
  i1 = [1, -2, 127, -128]; i2 = [1, -2, 32767, -32768]; i4 = [1, -2, 3, -4]; i8 = i4; i16 = i4
  r4 = [1.5, -2.5, 3.75, -4.25]; r8 = r4; r10 = r4; r16 = r4
  c4 = cmplx(r4, -r4); c8 = c4; c16 = c4
  l1 = [.true., .false., .true., .true.]; l8 = l1
  text = ["hello", "ab   ", "xyz  "]
  wide = 4_"a"//char(955, 4)//4_"cd"
  deferred = "origin"
  sync all

  a8 = i1(:)[next]; call check("integer 1 to 8", all(a8 == [1, -2, 127, -128]))
  a1 = i8(:)[next]; call check("integer 8 to 1", all(a1 == [1, -2, 3, -4]))
  a4 = i16(4:1:-1)[next]; call check("integer 16 to 4", all(a4 == [-4, 3, -2, 1]))
  b8 = i2(:)[next]; call check("integer 2 to real 8", all(b8 == [1d0, -2d0, 32767d0, -32768d0]))
  a4 = r8(:)[next]; call check("real 8 to integer 4", all(a4 == [1, -2, 3, -4]))
  b8 = r4(:)[next]; call check("real 4 to 8", all(b8 == [1.5d0, -2.5d0, 3.75d0, -4.25d0]))
  b4 = r10(:)[next]; call check("real 10 to 4", all(b4 == [1.5, -2.5, 3.75, -4.25]))
  b16 = r10(:)[next]; call check("real 10 to 16", all(b16 == [1.5, -2.5, 3.75, -4.25]))
  b8 = r16(:)[next]; call check("real 16 to 8", all(b8 == [1.5, -2.5, 3.75, -4.25]))
  z8 = c4(:)[next]; call check("complex 4 to 8", all(z8 == cmplx(r8, -r8, 8)))
  z8 = r4(:)[next]; call check("real 4 to complex 8", all(z8 == cmplx(r8, 0, 8)))
  a4 = c16(:)[next]; call check("complex 16 to integer 4", all(a4 == [1, -2, 3, -4]))
  flags = l1(:)[next]; call check("logical 1 to 4", all(flags .eqv. [.true., .false., .true., .true.]))
  flags = l8(4:1:-1)[next]; call check("logical 8 to 4", all(flags .eqv. [.true., .true., .false., .true.]))
  short = text(:)[next]; call check("text cut off", all(short == ["hel", "ab ", "xyz"]))
  long = text(:)[next]; call check("text with blanks", all(long == ["hello   ", "ab      ", "xyz     "]))
  wider = wide[next]; call check("wide text", wider == 4_"a"//char(955, 4)//4_"cd  ")
  call check("deferred length", deferred[next] == "origin" .and. len(deferred) == 6)
  long(1) = deferred[next]; call check("deferred length, blanks", long(1) == "origin  ")
  sync all

  i8(:)[next] = i1; r4(2:4)[next] = [7_8, 8_8, 9_8]; r16(:)[next] = r8; c8(:)[next] = i4; c4(:)[next] = z8(1)
  i2(1:2)[next] = 3.99d0; l8(:)[next] = flags
  text(1:2)[next] = "pq"; text(3)[next] = "much longer"; deferred[next] = "new"
  wide[next] = 4_"xy"
  sync all
  call check("sent integer 1 to 8", all(i8 == [1, -2, 127, -128]))
  call check("sent integer 8 to real 4", all(r4 == [1.5, 7.0, 8.0, 9.0]))
  call check("sent real 8 to 16", all(r16 == [1.5, -2.5, 3.75, -4.25]))
  call check("sent integer to complex", all(c8 == [(1, 0), (-2, 0), (3, 0), (-4, 0)]))
  call check("sent complex to all", all(c4 == (1.5, 0.0)))
  call check("sent real to all integers", all(i2 == [3, 3, 32767, -32768]))
  call check("sent logical", logical(all(l8 .eqv. [.true., .true., .false., .true.])))
  call check("sent text", all(text == ["pq   ", "pq   ", "much "]) .and. deferred == "new   ")
  call check("sent wide text", wide == 4_"xy  ")
  sync all

  i4 = [1, 2, 3, 4]; r8 = 0; text = "abc"
  sync all
  r8(:)[me] = i4(4:1:-1)[next]; call check("integer here to real here", all(r8 == [4, 3, 2, 1]))
  deferred[me] = text(2)[next]; call check("text to text", deferred == "abc   ")

contains

  subroutine check(name, fine)
    character(*), intent(in) :: name
    logical, intent(in) :: fine
    print *, name, " ", fine
  end subroutine
end subroutine
