! Collective subroutines of every type, on scalars, arrays with and without gaps, short and long ones, all and single results,
! in teams.
module combining
  implicit none
  type :: pair
    real(8) :: value
    integer :: where
    integer(8) :: sum
  end type
  type :: five
    integer :: k(5)
  end type
contains
  pure integer function product_of(a, b)
    integer, intent(in) :: a, b
    product_of = a*b
  end function
  pure real(8) function greater(a, b)
    real(8), value :: a, b
    greater = max(a, b)
  end function
  pure complex(4) function both(a, b)
    complex(4), intent(in) :: a, b
    both = a + b
  end function
  pure logical function every(a, b)
    logical, intent(in) :: a, b
    every = a .and. b
  end function
  pure integer(8) function wide(a, b)
    integer(8), value :: a, b
    wide = ieor(a, b)
  end function
  pure function last(a, b)
    character(6), intent(in) :: a, b
    character(6) :: last
    last = max(a, b)
  end function
  pure type(pair) function better(a, b)
    type(pair), intent(in) :: a, b
    better = merge(a, b, a%value >= b%value)
    better%sum = a%sum + b%sum
  end function
  pure type(pair) function better_value(a, b)
    type(pair), value :: a, b
    better_value = better(a, b)
  end function
  pure type(five) function sums(a, b)
    type(five), value :: a, b
    sums%k = a%k + b%k
  end function
end module

subroutine collectives
  use iso_fortran_env
  use combining
  implicit none
  integer, parameter :: long = 100000
  integer :: me, images, i, status, n
  integer :: matrix(6, 5)
  integer(1) :: tiny
  integer(2) :: short
  integer(8) :: wide_one
  integer(16) :: widest
  real :: vector(10), many(long)
  real(8) :: value
  real(16) :: precise
  complex(8) :: z
  complex(4) :: c
  complex(16) :: zz
  character(6) :: text, texts(3)
  character(3, kind=4) :: wide_text
  character(4000) :: page
  logical :: flag
  type :: parts
    logical, allocatable :: matrix(:, :)
    character(:), allocatable :: text
  end type
  type(parts) :: whole
  type(pair) :: found, pairs(4)
  type(five) :: fives(2)
  type(team_type) :: halves
  integer, allocatable :: big(:)
  me = this_image()
  images = num_images()

  n = me
  call co_sum(n)
  call report('sum', n == images*(images + 1)/2)
  tiny = int(me, 1); short = int(-me, 2); wide_one = me*10000000000_8; widest = me*2_16**80
  call co_max(tiny)
  call co_min(short)
  call co_sum(wide_one)
  call co_sum(widest)
  call report('kinds', tiny == images .and. short == -images .and. wide_one == images*(images + 1)/2*10000000000_8 .and. &
              widest == images*(images + 1)/2*2_16**80)
  value = 1/real(me, 8); precise = me/3.0_16; z = cmplx(me, -me, 8); c = cmplx(me, 1); zz = cmplx(me, 2*me, 16)
  call co_min(value)
  call co_sum(precise)
  call co_sum(z, stat=status)
  call co_sum(zz)
  call report('reals', value == 1/real(images, 8) .and. abs(precise - images*(images + 1)/6.0_16) < 1e-30_16)
  call report('complex', z == cmplx(1, -1, 8)*images*(images + 1)/2 .and. zz == cmplx(1, 2, 16)*images*(images + 1)/2)
  vector = [(real(i*me), i=1, 10)]
  call co_sum(vector(2:10:3), result_image=images, stat=status)
  call report('section', status == 0 .and. vector(1) == me .and. vector(3) == 3*me)
  if (me == images) call report('result', all(vector(2:10:3) == [2, 5, 8]*real(images*(images + 1)/2)))
  matrix = me
  call co_max(matrix(2:5, 1:5:2))
  call report('matrix', all(matrix(2:5, 1:5:2) == images) .and. all(matrix(:, 2:4:2) == me) .and. all(matrix(1, :) == me))
  matrix = me
  call co_sum(matrix(6:1:-1, 3))
  call report('backwards', all(matrix(:, 3) == images*(images + 1)/2) .and. all(matrix(:, 2) == me))
  many = [(real(mod(i, 100) + me), i=1, long)]
  call co_sum(many)
  call report('long', all(many == [(real(images*mod(i, 100) + images*(images + 1)/2), i=1, long)]))
  many = [(real(i + me), i=1, long)]
  call co_max(many(1:long:2), result_image=1)
  if (me == 1) call report('long result', all(many(1:long:2) == [(real(i + images), i=1, long, 2)]))

  text = char(iachar('a') + me)//'tail'
  texts = ['x     ', char(iachar('a') + me)//'     ', 'b     ']
  call co_max(text)
  call co_min(texts)
  call report('characters', text == char(iachar('a') + images)//'tail' .and. all(texts == ['x     ', 'b     ', 'b     ']))
  wide_text = repeat(char(500 + me, kind=4), 3)
  call co_max(wide_text)
  call report('wide characters', wide_text == repeat(char(500 + images, kind=4), 3))

  n = me + 1
  call co_reduce(n, product_of)
  call report('reduce', n == product([(i + 1, i=1, images)]))
  value = me
  call co_reduce(value, greater)
  c = cmplx(me, 1)
  call co_reduce(c, both)
  flag = me /= images
  call co_reduce(flag, every)
  wide_one = 2_8**me
  call co_reduce(wide_one, wide, result_image=1)
  call report('functions', value == images .and. c == cmplx(images*(images + 1)/2, images) .and. .not. flag)
  if (me == 1) call report('function result', wide_one == 2_8**(images + 1) - 2)
  text = repeat(char(iachar('a') + me), 6)
  call co_reduce(text, last)
  found = pair(mod(me*3, images + 1), me, me)
  call co_reduce(found, better)
  call report('reduce text', text == repeat(char(iachar('a') + images), 6))
  call report('reduce type', found%sum == images*(images + 1)/2 .and. mod(found%where*3, images + 1) == int(found%value))
  found = pair(mod(me*3, images + 1), me, me)
  call co_reduce(found, better_value)
  fives = [five([1, 2, 3, 4, me]), five([me, 6, 7, 8, 9])]
  call co_reduce(fives, sums)
  call report('reduce values', found%sum == images*(images + 1)/2 .and. mod(found%where*3, images + 1) == int(found%value) .and. &
              all(fives(1)%k == [images*[1, 2, 3, 4], int(found%sum)]) .and. &
              all(fives(2)%k == [int(found%sum), images*[6, 7, 8, 9]]))
  many = 1
  call co_reduce(many, single)
  call report('reduce long', all(many == images))

  n = me; texts = text; page = repeat(char(iachar('0') + me), 4000)
  call co_broadcast(n, images)
  call co_broadcast(page, 1)
  call report('broadcast', n == images .and. page == repeat('1', 4000))
  pairs = pair(me, me, me)
  call co_broadcast(pairs(1:4:2), images)
  call report('broadcast type', all(pairs(1:4:2)%where == images) .and. all(pairs(2:4:2)%where == me))
  allocate (big(3*long), source=me)
  do i = 1, 5
    big(i) = me*i
    call co_broadcast(big, 1 + mod(i, images), stat=status)
    call report('broadcast long', all(big(i+1:) == 1 + mod(i, images)) .and. big(i) == i*(1 + mod(i, images)))
    big = me
  end do
  call report('nothing', status == 0)
  call co_sum(many(5:4))

  allocate (whole%matrix(2, 3))
  whole%text = 'abc'
  whole%matrix = me == images
  call co_broadcast(whole, images)
  call report('broadcast of components', all(whole%matrix))

  call random_init(.false., .false.)
  call random_number(value)
  precise = value
  call co_max(precise)
  call report('random_init', precise == value)
  call random_init(.false., .true.)
  call random_init(.true., .true.)
  call random_number(value)
  precise = value
  call co_max(precise)
  precise = merge(1, 0, precise == value)
  call co_sum(precise)
  call report('random_init of distinct images', nint(precise) == 1)

  form team (1 + mod(me, 2), halves)
  do i = 1, 20
    change team (halves)
      n = 1
      call co_sum(n)
      call report('team', n == num_images())
      n = me
      call co_broadcast(n, 1)
      call report('team broadcast', n == merge(2, 1, mod(me, 2) == 0))
    end team
    n = i
    call co_sum(n)
    call report('mixed', n == i*images)
    if (mod(i, 3) == 0) sync all
  end do
contains
  pure real function single(a, b)
    real, intent(in) :: a, b
    single = a + b
  end function
  subroutine report(name, right)
    character(*), intent(in) :: name
    logical, intent(in) :: right
    if (.not. right .or. me == images) print *, name, right
  end subroutine
end subroutine
