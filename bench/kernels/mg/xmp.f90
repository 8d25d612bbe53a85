! Multigrid of the NAS Parallel Benchmarks in XMP/Fortran: V-cycles for Poisson's equation on a periodic cube. Written from the
! report RNR-94-007. Its argument is the class: S, W or A.
!
! Planes of a grid are dealt out in blocks whose width is a power of two, so that two neighbouring planes lie where their plane
! of the next coarser grid lies. Each plane has a margin, which repeats its opposite side; the margin across planes is the shadow.
include '../records.f90'
include '../nas.f90'

module multigrid
  use nas
  implicit none
  private
  public :: run

contains

  ! As the report times it; the norm of what is left must be the expected one.
  subroutine run(n, width, expected)
    integer, intent(in) :: n, width
    real(dp), intent(in) :: expected
    real(dp) :: u(0:n + 1, 0:n + 1, n), v(0:n + 1, 0:n + 1, n), r(0:n + 1, 0:n + 1, n)
    real(dp) :: start, seconds, found
!$xmp nodes p(*) = *
!$xmp template t(n)
!$xmp distribute t(block(width)) onto p
!$xmp align (*, *, k) with t(k) :: u, v, r
!$xmp shadow (0, 0, 1) :: u, v, r
    call place_charges(v, n, width)
    u = 0
    call iterate(1)  ! not timed
    u = 0
!$xmp barrier
    start = seconds_now()
    call iterate(4)
    found = norm(r, n, width)
    seconds = seconds_now() - start
!$xmp task on p(1)
    call nas_report(seconds, found, abs(found - expected) <= 1d-8 * expected)
!$xmp end task
  contains
    subroutine iterate(cycles)
      integer, intent(in) :: cycles
      integer :: i
      call residual(u, v, r, n, width)
      do i = 1, cycles
        call coarse_correction(u, r, n, width)
        call refine(u, v, r, n, width)
        call residual(u, v, r, n, width)
      end do
    end subroutine
  end subroutine

  ! u = u + M r on a coarser grid (M: the V-cycle).
  recursive subroutine coarse_correction(u, r, n, width)
    integer, intent(in) :: n, width
    real(dp) :: u(0:n + 1, 0:n + 1, n), r(0:n + 1, 0:n + 1, n)
    real(dp) :: correction(0:n / 2 + 1, 0:n / 2 + 1, n / 2), right(0:n / 2 + 1, 0:n / 2 + 1, n / 2)
!$xmp nodes p(*) = *
!$xmp template t(n)
!$xmp distribute t(block(width)) onto p
!$xmp template coarse(n / 2)
!$xmp distribute coarse(block(width / 2)) onto p
!$xmp align (*, *, k) with t(k) :: u, r
!$xmp align (*, *, k) with coarse(k) :: correction, right
!$xmp shadow (0, 0, 1) :: u, r, correction, right
    call restrict(r, right, n, width)
    call solve(correction, right, n / 2, width / 2)
    call interpolate(correction, u, n, width)
  end subroutine

  ! u = M v.
  recursive subroutine solve(u, v, n, width)
    integer, intent(in) :: n, width
    real(dp) :: u(0:n + 1, 0:n + 1, n), v(0:n + 1, 0:n + 1, n), r(0:n + 1, 0:n + 1, n)
!$xmp nodes p(*) = *
!$xmp template t(n)
!$xmp distribute t(block(width)) onto p
!$xmp align (*, *, k) with t(k) :: u, v, r
!$xmp shadow (0, 0, 1) :: u, v, r
    u = 0
    if (n == 2) then
      call smooth(u, v, n, width)
    else if (width == 1) then
      call solve_alone(u, v, n)
    else
      call coarse_correction(u, v, n, width)
      call refine(u, v, r, n, width)
    end if
  end subroutine

  ! u = M v where the next coarser grid has fewer planes than there are nodes: the first node goes on alone.
  recursive subroutine solve_alone(u, v, n)
    integer, intent(in) :: n
    real(dp) :: u(0:n + 1, 0:n + 1, n), v(0:n + 1, 0:n + 1, n)
    real(dp) :: whole_u(0:n + 1, 0:n + 1, n), whole_v(0:n + 1, 0:n + 1, n)
!$xmp nodes p(*) = *
!$xmp template t(n)
!$xmp distribute t(block(1)) onto p
!$xmp nodes first(1) = p(1:1)
!$xmp template whole(n)
!$xmp distribute whole(block) onto first
!$xmp align (*, *, k) with t(k) :: u, v
!$xmp align (*, *, k) with whole(k) :: whole_u, whole_v
!$xmp shadow (0, 0, 1) :: u, v, whole_u, whole_v
!$xmp gmove
    whole_v(:, :, :) = v(:, :, :)
!$xmp task on first
!$xmp reflect (whole_v) width(0, 0, /periodic/1)
    call solve(whole_u, whole_v, n, n)
!$xmp end task
!$xmp gmove
    u(:, :, :) = whole_u(:, :, :)
!$xmp reflect (u) width(0, 0, /periodic/1)
  end subroutine

  ! r = v - A u, u = u + S r.
  subroutine refine(u, v, r, n, width)
    integer, intent(in) :: n, width
    real(dp) :: u(0:n + 1, 0:n + 1, n), v(0:n + 1, 0:n + 1, n), r(0:n + 1, 0:n + 1, n)
!$xmp nodes p(*) = *
!$xmp template t(n)
!$xmp distribute t(block(width)) onto p
!$xmp align (*, *, k) with t(k) :: u, v, r
!$xmp shadow (0, 0, 1) :: u, v, r
    call residual(u, v, r, n, width)
    call smooth(u, r, n, width)
  end subroutine

  ! r = v - A u; no point counts that shares a face.
  subroutine residual(u, v, r, n, width)
    integer, intent(in) :: n, width
    real(dp) :: u(0:n + 1, 0:n + 1, n), v(0:n + 1, 0:n + 1, n), r(0:n + 1, 0:n + 1, n)
    real(dp), parameter :: centre = -8d0 / 3, edges = 1d0 / 6, corners = 1d0 / 12
    real(dp) :: beside(0:n + 1), across(0:n + 1)
    integer :: i, j, k
!$xmp nodes p(*) = *
!$xmp template t(n)
!$xmp distribute t(block(width)) onto p
!$xmp align (*, *, k) with t(k) :: u, v, r
!$xmp shadow (0, 0, 1) :: u, v, r
!$xmp loop on t(k)
    do k = 1, n
      do j = 1, n
        do i = 0, n + 1
          beside(i) = u(i, j - 1, k) + u(i, j + 1, k) + u(i, j, k - 1) + u(i, j, k + 1)
          across(i) = u(i, j - 1, k - 1) + u(i, j + 1, k - 1) + u(i, j - 1, k + 1) + u(i, j + 1, k + 1)
        end do
        do i = 1, n
          r(i, j, k) = v(i, j, k) - centre * u(i, j, k) - edges * (across(i) + beside(i - 1) + beside(i + 1)) &
                       - corners * (across(i - 1) + across(i + 1))
        end do
      end do
      call repeat_sides(r(0, 0, k), n)
    end do
!$xmp reflect (r) width(0, 0, /periodic/1)
  end subroutine

  ! u = u + S r; corners do not count.
  subroutine smooth(u, r, n, width)
    integer, intent(in) :: n, width
    real(dp) :: u(0:n + 1, 0:n + 1, n), r(0:n + 1, 0:n + 1, n)
    real(dp), parameter :: centre = -3d0 / 8, faces = 1d0 / 32, edges = -1d0 / 64
    real(dp) :: beside(0:n + 1), across(n)
    integer :: i, j, k
!$xmp nodes p(*) = *
!$xmp template t(n)
!$xmp distribute t(block(width)) onto p
!$xmp align (*, *, k) with t(k) :: u, r
!$xmp shadow (0, 0, 1) :: u, r
!$xmp loop on t(k)
    do k = 1, n
      do j = 1, n
        do i = 0, n + 1
          beside(i) = r(i, j - 1, k) + r(i, j + 1, k) + r(i, j, k - 1) + r(i, j, k + 1)
        end do
        do i = 1, n
          across(i) = r(i, j - 1, k - 1) + r(i, j + 1, k - 1) + r(i, j - 1, k + 1) + r(i, j + 1, k + 1)
        end do
        do i = 1, n
          u(i, j, k) = u(i, j, k) + centre * r(i, j, k) + faces * (r(i - 1, j, k) + r(i + 1, j, k) + beside(i)) &
                       + edges * (across(i) + beside(i - 1) + beside(i + 1))
        end do
      end do
      call repeat_sides(u(0, 0, k), n)
    end do
!$xmp reflect (u) width(0, 0, /periodic/1)
  end subroutine

  ! The coarse r: each point with its neighbours on the fine grid, halves of centre, quarters of faces, and so on.
  subroutine restrict(fine, r, n, width)
    integer, intent(in) :: n, width
    real(dp) :: fine(0:n + 1, 0:n + 1, n), r(0:n / 2 + 1, 0:n / 2 + 1, n / 2)
    real(dp) :: beside(n + 1), across(n + 1)
    integer :: i, j, k
!$xmp nodes p(*) = *
!$xmp template t(n)
!$xmp distribute t(block(width)) onto p
!$xmp template coarse(n / 2)
!$xmp distribute coarse(block(width / 2)) onto p
!$xmp align fine(*, *, k) with t(k)
!$xmp align r(*, *, k) with coarse(k)
!$xmp shadow (0, 0, 1) :: fine, r
!$xmp loop on coarse(k)
    do k = 1, n / 2
      do j = 1, n / 2
        do i = 1, n + 1
          beside(i) = fine(i, 2 * j - 1, 2 * k) + fine(i, 2 * j + 1, 2 * k) &
                      + fine(i, 2 * j, 2 * k - 1) + fine(i, 2 * j, 2 * k + 1)
          across(i) = fine(i, 2 * j - 1, 2 * k - 1) + fine(i, 2 * j + 1, 2 * k - 1) &
                      + fine(i, 2 * j - 1, 2 * k + 1) + fine(i, 2 * j + 1, 2 * k + 1)
        end do
        do i = 1, n / 2
          r(i, j, k) = fine(2 * i, 2 * j, 2 * k) / 2 &
                       + (fine(2 * i - 1, 2 * j, 2 * k) + fine(2 * i + 1, 2 * j, 2 * k) + beside(2 * i)) / 4 &
                       + (beside(2 * i - 1) + beside(2 * i + 1) + across(2 * i)) / 8 &
                       + (across(2 * i - 1) + across(2 * i + 1)) / 16
        end do
      end do
      call repeat_sides(r(0, 0, k), n / 2)
    end do
!$xmp reflect (r) width(0, 0, /periodic/1)
  end subroutine

  ! fine = fine + Q u: a fine point gets the mean of the coarse ones around.
  subroutine interpolate(u, fine, n, width)
    integer, intent(in) :: n, width
    real(dp) :: u(0:n / 2 + 1, 0:n / 2 + 1, n / 2), fine(0:n + 1, 0:n + 1, n)
    real(dp) :: along_j(0:n / 2), along_k(0:n / 2), diagonal(0:n / 2)
    integer :: i, j, k
!$xmp nodes p(*) = *
!$xmp template t(n)
!$xmp distribute t(block(width)) onto p
!$xmp template coarse(n / 2)
!$xmp distribute coarse(block(width / 2)) onto p
!$xmp align fine(*, *, k) with t(k)
!$xmp align u(*, *, k) with coarse(k)
!$xmp shadow (0, 0, 1) :: fine, u
!$xmp loop on coarse(k)
    do k = 1, n / 2
      do j = 1, n / 2
        do i = 0, n / 2
          along_j(i) = (u(i, j - 1, k) + u(i, j, k)) / 2
          along_k(i) = (u(i, j, k - 1) + u(i, j, k)) / 2
          diagonal(i) = (u(i, j - 1, k - 1) + u(i, j, k - 1)) / 4 + along_j(i) / 2
        end do
        call add_row(fine(0, 2 * j, 2 * k), u(0, j, k), n)
        call add_row(fine(0, 2 * j - 1, 2 * k), along_j, n)
        call add_row(fine(0, 2 * j, 2 * k - 1), along_k, n)
        call add_row(fine(0, 2 * j - 1, 2 * k - 1), diagonal, n)
      end do
      call repeat_sides(fine(0, 0, 2 * k - 1), n)
      call repeat_sides(fine(0, 0, 2 * k), n)
    end do
!$xmp reflect (fine) width(0, 0, /periodic/1)
  end subroutine

  pure subroutine add_row(fine, row, n)
    integer, intent(in) :: n
    real(dp), intent(inout) :: fine(0:n + 1)
    real(dp), intent(in) :: row(0:n / 2)
    integer :: i
    do i = 1, n / 2
      fine(2 * i - 1) = fine(2 * i - 1) + (row(i - 1) + row(i)) / 2
      fine(2 * i) = fine(2 * i) + row(i)
    end do
  end subroutine

  ! The margin of a plane.
  pure subroutine repeat_sides(plane, n)
    integer, intent(in) :: n
    real(dp), intent(inout) :: plane(0:n + 1, 0:n + 1)
    plane(0, 1:n) = plane(n, 1:n)
    plane(n + 1, 1:n) = plane(1, 1:n)
    plane(:, 0) = plane(:, n)
    plane(:, n + 1) = plane(:, 1)
  end subroutine

  ! The mean square, its root.
  real(dp) function norm(r, n, width)
    integer, intent(in) :: n, width
    real(dp) :: r(0:n + 1, 0:n + 1, n), total
    integer :: i, j, k
!$xmp nodes p(*) = *
!$xmp template t(n)
!$xmp distribute t(block(width)) onto p
!$xmp align r(*, *, k) with t(k)
!$xmp shadow r(0, 0, 1)
    total = 0
!$xmp loop on t(k) reduction(+: total)
    do k = 1, n
      do j = 1, n
        do i = 1, n
          total = total + r(i, j, k)**2
        end do
      end do
    end do
    norm = sqrt(total / real(n, dp)**3)
  end function

  ! v is zero but at twenty points: 1 where the random numbers of the grid are largest, -1 where they are smallest.
  subroutine place_charges(v, n, width)
    integer, parameter :: charges = 10
    integer, intent(in) :: n, width
    real(dp) :: v(0:n + 1, 0:n + 1, n), value, most(charges), least(charges)
    integer(int64) :: state, largest(charges), smallest(charges), place
    integer :: i, j, k
!$xmp nodes p(*) = *
!$xmp template t(n)
!$xmp distribute t(block(width)) onto p
!$xmp align v(*, *, k) with t(k)
!$xmp shadow v(0, 0, 1)
    most = -huge(most)
    least = -huge(least)
    place = 0
!$xmp loop on t(k)
    do k = 1, n
      place = int(k - 1, int64) * n * n
      state = nas_skip(nas_seed, place)
      do i = 1, n * n
        value = nas_random(state)
        if (value > most(charges)) call insert(value, place, most, largest)
        if (-value > least(charges)) call insert(-value, place, least, smallest)
        place = place + 1
      end do
    end do
    call select_best(most, largest)
    call select_best(least, smallest)
!$xmp loop on t(k)
    do k = 1, n
      v(:, :, k) = 0
      do i = 1, charges
        call put(v(0, 0, k), n, k, largest(i), 1d0)
        call put(v(0, 0, k), n, k, smallest(i), -1d0)
      end do
      call repeat_sides(v(0, 0, k), n)
    end do
  end subroutine

  ! Into a list in falling order; the last one leaves it.
  pure subroutine insert(value, place, values, places)
    real(dp), intent(in) :: value
    integer(int64), intent(in) :: place
    real(dp), intent(inout) :: values(:)
    integer(int64), intent(inout) :: places(:)
    integer :: at, last
    at = count(values >= value) + 1
    last = size(values)
    values(at + 1:last) = values(at:last - 1)
    places(at + 1:last) = places(at:last - 1)
    values(at) = value
    places(at) = place
  end subroutine

  ! Of the lists of all nodes one with the best; no two values are equal.
  subroutine select_best(values, places)
    real(dp), intent(inout) :: values(:)
    integer(int64), intent(inout) :: places(:)
    real(dp) :: mine(size(values)), best
    integer(int64) :: my_places(size(values)), place
    integer :: i, next
!$xmp nodes p(*) = *
    mine = values
    my_places = places
    next = 1
    do i = 1, size(values)
      best = mine(next)
!$xmp reduction(max: best)
      place = -1
      if (best == mine(next)) place = my_places(next)
      if (best == mine(next)) next = next + 1
!$xmp reduction(max: place)
      places(i) = place
    end do
  end subroutine

  pure subroutine put(plane, n, k, place, value)
    integer, intent(in) :: n, k
    real(dp), intent(inout) :: plane(0:n + 1, 0:n + 1)
    integer(int64), intent(in) :: place
    real(dp), intent(in) :: value
    integer :: within
    if (place / (n * n) /= k - 1) return
    within = int(mod(place, int(n * n, int64)))
    plane(mod(within, n) + 1, within / n + 1) = value
  end subroutine

end module

program mg
  use nas
  use multigrid
  use xmp_lib
  implicit none
  integer :: width, which
  real(dp), parameter :: norms(3) = [0.5307707005734d-4, 0.6467329375339d-5, 0.2433365309069d-5]
  integer, parameter :: sizes(3) = [32, 128, 256]
  which = index('SWA', nas_class())
  width = 2
  do while (width * xmp_num_nodes() < sizes(which))
    width = 2 * width
  end do
  call run(sizes(which), width, norms(which))

end program
