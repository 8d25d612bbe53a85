! Everything that xmpf90 translates, with results that do not depend on the number of nodes: prints the same as plain gfortran,
! each result behind the name of its case.
program features
  use, intrinsic :: iso_fortran_env, only: int64
  implicit none
  integer, parameter :: n = 24, m = 10, dp = kind(1.0d0)
  integer, parameter :: sizes(7) = [5, 0, 9, 1, 3, 4, 2]
  REAL(dp), dimension(0:n - 1, m) :: a, plain
  integer :: v(n), w(0:n + 1), k, &  ! a comment inside
             counts(3)
  integer(int64) :: big(n), big_sum
  logical :: flags(n), every, some, even, odd
  real :: single(n), lowest, highest
  complex(dp) :: z(n), z_sum
  real(dp) :: total, product_, difference
  integer :: i, j, bits, ones, parity, step, final, scalar, vector(4), pieces(8)
!$XMP NODES p(*)
!$xmp nodes q(*)
!$xmp template t(n)
!$xmp template s(0:n+1)
!$xmp template r(n)
!$xmp template g(0:n - 1, &
!$xmp   m)
!$xmp distribute t(block) onto p
!$xmp distribute s(block) onto p
!$xmp distribute r(block(24)) onto q
!$xmp distribute g(block, *) onto p
!$xmp align v(i) with t(i)
!$xmp align (i) with t(i) :: big, flags, single
!$xmp align w(i) with s(i)
!$xmp align z(i) with r(i)
!$xmp align a(i, j) with g(i, j)
!$xmp shadow w(1)
!$xmp shadow a(2:1, 0)

  plain = 0
!$xmp loop on t(i)
  do i = 1, n
    v(i) = i * i - 7 * i
    big(i) = 1000000000_int64 * i
    flags(i) = mod(i, 3) == 0
    single(i) = real(i) / 2
  end do
  print *, 'variable after a loop upwards:', i
!$xmp loop on s(i)
  do i = n + 1, 0, -1
    w(i) = i
  end do
  print *, 'variable after a loop downwards:', i
!$xmp loop on r(i)
  do i = 1, n
    z(i) = cmplx(i, -i, dp)
  end do
!$xmp loop (i, j) on g(i, j)
  outer: do j = 1, m
    do i = 0, n - 1
      if (mod(i, 5) == 4) cycle outer
      a(i, j) = i + 100 * j
    end do
  end do outer
!$xmp loop (i) on g(i, *)
  do i = 0, n - 1
    do j = 1, m; a(i, j) = i + 100 * j; end do
  end do

  ! ---- every operator ----
  k = 5; bits = 63; ones = 0; parity = 12; every = .true.; some = .false.; even = .true.; odd = .false.
  big_sum = 1; lowest = 3; highest = -5; total = 0.5d0; product_ = 2; difference = 1000; z_sum = (1, 1); counts = [1, 2, 3]
!$xmp loop on t(i) reduction(+:k, big_sum) reduction(iand:bits) reduction(ior:ones) reduction(ieor:parity) &
!$xmp   reduction(.and.:every) reduction(.or.:some) reduction(.eqv.:even) reduction(.neqv.:odd) &
!$xmp   reduction(min:lowest) reduction(max:highest) reduction(+:counts)
  do i = 1, n
    k = k + v(i)
    big_sum = big_sum + big(i)
    bits = iand(bits, 32 + i)
    ones = ior(ones, 64 * v(i))
    parity = ieor(parity, v(i))
    every = every .and. flags(i)
    some = some .or. flags(i)
    even = even .eqv. flags(i)
    odd = odd .neqv. flags(i)
    lowest = min(lowest, single(i))
    highest = max(highest, single(i))
    counts(1 + mod(i, 3)) = counts(1 + mod(i, 3)) + 1
  end do
  print *, 'reduction(+) of integers:', k
  print *, 'reduction(+) of 64-bit integers:', big_sum
  print *, 'reduction(iand):', bits
  print *, 'reduction(ior):', ones
  print *, 'reduction(ieor):', parity
  print *, 'reduction(.and.):', every
  print *, 'reduction(.or.):', some
  print *, 'reduction(.eqv.):', even
  print *, 'reduction(.neqv.):', odd
  print *, 'reduction(min):', lowest
  print *, 'reduction(max):', highest
  print *, 'reduction(+) of an array:', counts
!$xmp loop on r(i) reduction(+:z_sum)
  do i = 1, n
    z_sum = z_sum + z(i)
  end do
!$xmp loop on t(i) reduction(*:product_) reduction(-:difference)
  do i = 2, n, 5
    product_ = product_ * single(i)
    difference = difference - v(i)
  end do
  print *, 'reduction(+) of complex numbers:', z_sum
  print *, 'reduction(*), in steps of five:', product_, i
  print *, 'reduction(-):', difference

  ! ---- shadow, negative and variable steps ----
!$xmp reflect (w)
!$xmp loop on s(i) reduction(+:total)
  do 20 i = n, 1, -1
    total = total + w(i - 1) * w(i + 1)
20 continue
  print *, 'reflect, loop with a label:', total
  step = -3
  total = 0
!$xmp loop on t(i) reduction(+:total)
  do i = n - 1, 2, step
    total = total + v(i)
  end do
  print *, 'step in a variable, downwards:', total, i
  total = 0
!$xmp reflect (a) width(2:1, 0)
!$xmp reflect (a) async(3)
!$xmp wait_async (3)
!$xmp loop (j, i) on g(i, j) reduction(+:total)
  do j = 1, m
    do i = 2, n - 2
      total = total + a(i - 2, j) - a(i + 1, j) + a(i, j)
    end do
  end do
  print *, 'reflect with width and async:', total, i, j

  ! ---- nested loop directives, loops on nodes, calls inside ----
!$xmp loop on g(i, *)
  do i = 0, n - 1
!$xmp loop on g(i, j)
    do j = 1, m
      a(i, j) = double(a(i, j))
    end do
  end do
  total = 0
!$xmp loop (i, j) on g(i, j) reduction(+:total)
  do j = 1, m
    do i = 0, n - 1
      total = total + a(i, j)
    end do
  end do
  print *, 'nested loop directives, call of a function:', total

  ! ---- communication and tasks ----
  scalar = 1
  vector = [1, 2, 3, 4]
  pieces = 0
!$xmp task on p(1)
  scalar = 42
  vector = vector * 10
  pieces(1:7:2) = [7, 8, 9, 10]
!$xmp end task
!$xmp bcast (scalar, vector) from p(1) on p(:)
!$xmp bcast (pieces(1:7:2), pieces(:), pieces(:4), pieces(::2)) from p(1)
!$xmp barrier
!$xmp barrier on p
  final = scalar
!$xmp reduction(max:final, vector)
!$xmp tasks
!$xmp task on p(1)
  scalar = scalar + 1
!$xmp end task
!$xmp task on t(n)
  if (v(n) /= n * n - 7 * n) print *, 'wrong'
!$xmp end task
!$xmp end tasks
!$xmp bcast (scalar)
!$xmp task on p(1)
  print *, 'bcast after tasks:', scalar
  print *, 'reduction(max) directive:', final, vector
  print *, 'bcast of a section:', pieces
  print *, 'characters in a string: ', 'it''s done; really! & so on'
!$xmp end task

contains

  real(dp) function double(x)
    real(dp), intent(in) :: x
    double = 2 * x
  end function

end program features
