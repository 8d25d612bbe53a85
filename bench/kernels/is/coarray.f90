! Integer Sort of the NAS Parallel Benchmarks in coarray Fortran: ranks of keys by buckets. Written from the report RNR-94-007.
! Its argument is the class: S, W or A.
!
! Every image has a block of the keys and sorts it into buckets of values. Buckets are dealt out so that every image ranks about
! as many keys; each image gets the keys of its buckets from all others.
include '../records.f90'
include '../nas.f90'

module integer_sort
  use nas
  implicit none
  private
  public :: make_keys, rank_all, sorted
  integer, parameter, public :: iterations = 10
  integer, parameter :: buckets = 1024, tests = 5
  integer :: keys, values  ! of all images; values are 0 .. values - 1
  integer :: width         ! of a bucket: how many bits of a value do not tell it
  integer :: first         ! keys of the images before this one
  integer, allocatable :: own(:), received(:)
  integer :: mine          ! how many were received

  ! My keys by buckets; those for image i are bucketed(begin(i):begin(i + 1) - 1).
  integer, allocatable :: bucketed(:)[:], begin(:)[:]

  ! rank(i): how many keys of all images have values below lowest + i, where i < span. Images before this one have `below` keys.
  integer, allocatable :: rank(:)
  integer :: lowest, span, below

  ! What five of the keys have as ranks: place, rank in iteration 0, and its change with each iteration.
  type test
    integer :: place, rank, step
  end type
  type(test) :: expected(tests)

contains

  subroutine make_keys(class)
    character, intent(in) :: class
    integer(int64) :: state
    real(dp) :: sum
    integer :: i, k, most
    select case (class)
    case ('S')
      keys = 2**16
      values = 2**11
      expected = [test(48427, 0, 1), test(17148, 18, 1), test(23627, 346, 1), test(62548, 64917, -1), test(4431, 65463, -1)]
    case ('W')
      keys = 2**20
      values = 2**16
      expected = [test(357773, 1247, 1), test(934767, 11696, 1), test(875723, 1039987, -1), test(898999, 1043896, -1), &
                  test(404505, 1048018, -1)]
    case ('A')
      keys = 2**23
      values = 2**19
      expected = [test(2112377, 103, 1), test(662041, 17522, 1), test(5336171, 123927, 1), test(3642833, 8288933, -1), &
                  test(4250760, 8388265, -1)]
    end select
    width = trailz(values / buckets)
    most = (keys + num_images() - 1) / num_images()
    first = first_of(this_image())
    allocate (own(first_of(this_image() + 1) - first), received(keys), rank(0:values))
    allocate (bucketed(most)[*], begin(num_images() + 1)[*])
    state = nas_skip(nas_seed, 4_int64 * first)
    do i = 1, size(own)
      sum = 0
      do k = 1, 4
        sum = sum + nas_random(state)
      end do
      own(i) = int(sum * (values / 4))
    end do
  end subroutine

  pure integer function first_of(image)
    integer, intent(in) :: image
    first_of = int(int(keys, int64) * (image - 1) / num_images())
  end function

  ! One ranking; how many of the test keys this image ranks as expected.
  integer function rank_all(iteration) result(right)
    integer, intent(in) :: iteration
    integer :: totals(buckets + tests), counts(buckets), first_bucket(num_images() + 1)
    call change_keys(iteration)
    call count_buckets(own, counts)
    totals = [counts, test_values()]  ! summed, since each of them is on one image
    call co_sum(totals)
    first_bucket = dealt(totals)
    sync all  ! everybody has received what was sorted before
    call sort_into_buckets(own, counts, first_bucket, bucketed)
    sync all
    call receive
    call rank_keys(totals(:buckets), first_bucket(this_image()), first_bucket(this_image() + 1))
    right = right_ranks(totals(buckets + 1:), iteration)
  end function

  ! Each iteration ranks slightly other keys.
  subroutine change_keys(iteration)
    integer, intent(in) :: iteration
    if (first > 0) return
    own(iteration + 1) = iteration
    own(iteration + iterations + 1) = values - iteration
  end subroutine

  subroutine count_buckets(keys, counts)
    integer, intent(in) :: keys(:)
    integer, intent(out) :: counts(0:)
    integer :: i, place
    counts = 0
    do i = 1, size(keys)
      place = shiftr(keys(i), width)
      counts(place) = counts(place) + 1
    end do
  end subroutine

  ! Those of other images are 0.
  function test_values() result(found)
    integer :: found(tests)
    integer :: i, place
    found = 0
    do i = 1, tests
      place = expected(i)%place - first + 1
      if (place >= 1 .and. place <= size(own)) found(i) = own(place)
    end do
  end function

  ! The first bucket of each image: those before complete the share of the images before.
  function dealt(totals) result(first_bucket)
    integer, intent(in) :: totals(:)
    integer :: first_bucket(num_images() + 1)
    integer :: bucket, image, sum
    first_bucket = buckets + 1
    first_bucket(1) = 1
    sum = 0
    image = 1
    do bucket = 1, buckets
      sum = sum + totals(bucket)
      do while (image < num_images() .and. sum >= first_of(image + 1))
        image = image + 1
        first_bucket(image) = bucket + 1
      end do
    end do
  end function

  subroutine sort_into_buckets(keys, counts, first_bucket, sorted)
    integer, intent(in) :: keys(:), counts(buckets), first_bucket(:)
    integer, intent(out) :: sorted(:)
    integer :: next(0:buckets), i, bucket
    next(0) = 1
    do bucket = 1, buckets
      next(bucket) = next(bucket - 1) + counts(bucket)
    end do
    begin = next(first_bucket - 1)
    do i = 1, size(keys)
      bucket = shiftr(keys(i), width)
      sorted(next(bucket)) = keys(i)
      next(bucket) = next(bucket) + 1
    end do
  end subroutine

  ! The keys of my buckets. Each image begins with its own: so no two ask the same one at once.
  subroutine receive
    integer :: i, me, image, from, count
    me = this_image()
    mine = 0
    do i = 0, num_images() - 1
      image = 1 + mod(me - 1 + i, num_images())
      from = begin(me)[image]
      count = begin(me + 1)[image] - from
      received(mine + 1:mine + count) = bucketed(from:from + count - 1)[image]
      mine = mine + count
    end do
  end subroutine

  ! From a first bucket to the one before `end`.
  subroutine rank_keys(totals, first_bucket, end)
    integer, intent(in) :: totals(:), first_bucket, end
    integer :: i
    lowest = shiftl(first_bucket - 1, width)
    span = shiftl(end - first_bucket, width)
    below = sum(totals(:first_bucket - 1))
    call count_values(received(:mine), lowest, rank(:span))
    rank(0) = below
    do i = 1, span
      rank(i) = rank(i) + rank(i - 1)
    end do
  end subroutine

  ! counts(i): of the value lowest + i - 1.
  subroutine count_values(keys, lowest, counts)
    integer, intent(in) :: keys(:), lowest
    integer, intent(out) :: counts(0:)
    integer :: i, place
    counts = 0
    do i = 1, size(keys)
      place = keys(i) - lowest + 1
      counts(place) = counts(place) + 1
    end do
  end subroutine

  integer function right_ranks(test_values, iteration) result(right)
    integer, intent(in) :: test_values(tests), iteration
    integer :: i, place
    right = 0
    do i = 1, tests
      place = test_values(i) - lowest
      if (place < 0 .or. place >= span) cycle
      if (rank(place) == expected(i)%rank + iteration * expected(i)%step) right = right + 1
    end do
  end function

  ! Whether keys are in order where their ranks put them, and behind those of the image before.
  logical function sorted()
    integer, allocatable :: keys(:), highest[:]
    integer :: i, place
    allocate (keys(mine), highest[*])
    do i = 1, mine
      place = received(i) - lowest
      rank(place) = rank(place) + 1
      keys(rank(place) - below) = received(i)
    end do
    highest = lowest
    if (mine > 0) highest = keys(mine)
    sync all
    sorted = all(keys(2:) >= keys(:mine - 1))
    if (mine > 0 .and. this_image() > 1) sorted = sorted .and. keys(1) >= highest[this_image() - 1]
  end function

end module

program sort
  use nas
  use integer_sort
  implicit none
  real(dp) :: start, seconds
  integer :: iteration, right
  call make_keys(nas_class())
  right = rank_all(1)  ! not timed
  right = 0
  sync all
  start = seconds_now()
  do iteration = 1, iterations
    right = right + rank_all(iteration)
  end do
  seconds = seconds_now() - start
  if (.not. sorted()) right = -huge(right) / num_images()
  call co_sum(right)
  if (this_image() == 1) call nas_report(seconds, real(right, dp), right == 5 * iterations)
end program
