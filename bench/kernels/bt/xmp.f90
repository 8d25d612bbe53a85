! The block tridiagonal solver of the NAS Parallel Benchmarks in XMP/Fortran: the flow of a gas in a cube, by alternating
! directions. Written from the report RNR-94-007. Its argument is the class: S, W or A.
!
! Planes of constant z are dealt out in blocks, so that lines along x and y are whole on a node. For lines along z a gmove deals
! out planes of constant y. A point has five unknowns: density, momentum in three directions, energy.
include '../records.f90'
include '../nas.f90'

module gas
  use nas, only: dp
  implicit none
  private
  public :: add_dissipation, add_dissipation_x, add_flux, clamped, exact, first_guess, solve_lines, velocities
  integer, parameter, public :: lanes = 8
  real(dp), parameter :: ratio = 1.4d0, rest = ratio - 1, viscosity = 0.1d0, conduction = 1.4d0 * ratio, smoothing = 0.25d0
  real(dp), parameter :: more = 4d0 / 3  ! what viscosity does along its own direction
  ! Of the exact solution: for each unknown the constant, and for each power of x, y, z from 1 to 4 the factors.
  real(dp), parameter :: constants(5) = [2d0, 1d0, 2d0, 2d0, 5d0]
  real(dp), parameter :: factors(5, 3, 4) = reshape([ &
    0d0, 0d0, 2d0, 2d0, 4d0, 0d0, 0d0, 0d0, 0d0, 3d0, 4d0, 0d0, 0d0, 0d0, 2d0, &
    5d0, 1d0, 0d0, 0d0, 0.1d0, 3d0, 2d0, 2d0, 2d0, 0.4d0, 0.5d0, 3d0, 3d0, 3d0, 0.3d0, &
    0.02d0, 0.01d0, 0.04d0, 0.03d0, 0.05d0, 0.01d0, 0.03d0, 0.03d0, 0.05d0, 0.04d0, 0.03d0, 0.02d0, 0.05d0, 0.04d0, 0.03d0, &
    0.5d0, 0.4d0, 0.3d0, 0.2d0, 0.1d0, 0.4d0, 0.3d0, 0.5d0, 0.1d0, 0.3d0, 0.3d0, 0.5d0, 0.4d0, 0.3d0, 0.2d0], [5, 3, 4])

contains

  pure function exact(at) result(u)
    real(dp), intent(in) :: at(3)
    real(dp) :: u(5)
    integer :: d, power
    u = constants
    do power = 1, 4
      do d = 1, 3
        u = u + factors(:, d, power) * at(d)**power
      end do
    end do
  end function

  ! Inside: blended from the exact solution on the six faces. On them: exact.
  pure function first_guess(at) result(u)
    real(dp), intent(in) :: at(3)
    real(dp) :: u(5), from(3), to(3), blend(5, 3)
    integer :: d
    if (any(at == 0 .or. at == 1)) then
      u = exact(at)
      return
    end if
    do d = 1, 3
      from = at
      to = at
      from(d) = 0
      to(d) = 1
      blend(:, d) = at(d) * exact(to) + (1 - at(d)) * exact(from)
    end do
    u = 1 - (1 - blend(:, 1)) * (1 - blend(:, 2)) * (1 - blend(:, 3))
  end function

  ! ---- rows along x: (i, unknown) ----

  ! v: velocities, kinetic energy, energy, for each unit of mass.
  pure subroutine velocities(u, v, n)
    integer, intent(in) :: n
    real(dp), intent(in) :: u(n, 5)
    real(dp), intent(out) :: v(n, 5)
    real(dp) :: inverse
    integer :: i
    do i = 1, n
      inverse = 1 / u(i, 1)
      v(i, 1) = u(i, 2) * inverse
      v(i, 2) = u(i, 3) * inverse
      v(i, 3) = u(i, 4) * inverse
      v(i, 4) = (v(i, 1)**2 + v(i, 2)**2 + v(i, 3)**2) / 2
      v(i, 5) = u(i, 5) * inverse
    end do
  end subroutine

  ! What the neighbours before and after along direction d bring to the inner points of a row; the rows begin with the first.
  pure subroutine add_flux(r, before, u, after, v_before, v, v_after, n, d, h)
    integer, intent(in) :: n, d
    real(dp), intent(inout) :: r(n, *)
    real(dp), intent(in), dimension(n, *) :: before, u, after, v_before, v, v_after
    real(dp), intent(in) :: h
    real(dp) :: slope, spread, damping, own
    integer :: i, m
    slope = 1 / (2 * h)
    spread = viscosity / h**2
    damping = damping_along(d) / h**2
    do i = 1, n - 2
      r(i, 1) = r(i, 1) + damping * (before(i, 1) - 2 * u(i, 1) + after(i, 1)) - slope * (after(i, d + 1) - before(i, d + 1))
    end do
    do m = 2, 4
      own = spread * merge(more, 1d0, m == d + 1)
      do i = 1, n - 2
        r(i, m) = r(i, m) + damping * (before(i, m) - 2 * u(i, m) + after(i, m)) &
                  + own * (v_before(i, m - 1) - 2 * v(i, m - 1) + v_after(i, m - 1)) &
                  - slope * (after(i, m) * v_after(i, d) - before(i, m) * v_before(i, d))
      end do
    end do
    do i = 1, n - 2  ! pressure
      r(i, d + 1) = r(i, d + 1) &
                    - slope * rest * (after(i, 5) - after(i, 1) * v_after(i, 4) - before(i, 5) + before(i, 1) * v_before(i, 4))
    end do
    do i = 1, n - 2
      r(i, 5) = r(i, 5) + damping * (before(i, 5) - 2 * u(i, 5) + after(i, 5)) &
                + spread * ((1 - conduction) * (v_before(i, 4) - 2 * v(i, 4) + v_after(i, 4)) &
                            + (v_before(i, d)**2 - 2 * v(i, d)**2 + v_after(i, d)**2) / 6 &
                            + conduction * (v_before(i, 5) - 2 * v(i, 5) + v_after(i, 5))) &
                - slope * ((ratio * after(i, 5) - rest * after(i, 1) * v_after(i, 4)) * v_after(i, d) &
                           - (ratio * before(i, 5) - rest * before(i, 1) * v_before(i, 4)) * v_before(i, d))
    end do
  end subroutine

  pure real(dp) function damping_along(d)
    integer, intent(in) :: d
    damping_along = merge(1d0, 0.75d0, d == 3)
  end function

  ! Differences of fourth order, one-sided at the ends of a line: the weights of positions i - 2 to i + 2.
  pure function weights(i, n)
    integer, intent(in) :: i, n
    real(dp) :: weights(-2:2)
    weights = [1, -4, 6, -4, 1]
    if (i == 1 .or. i == n - 2) weights(0) = 5
    if (i <= 2) weights(-2) = 0
    if (i == 1) weights(-1) = 0
    if (i >= n - 3) weights(2) = 0
    if (i == n - 2) weights(1) = 0
  end function

  ! A position beyond the end has no weight; it shall exist nevertheless.
  pure integer function clamped(i, n)
    integer, intent(in) :: i, n
    clamped = max(0, min(n - 1, i))
  end function

  ! Position `at` of the lines along y or z that cross a row.
  pure subroutine add_dissipation(r, u_2, u_1, u, u1, u2, n, at)
    integer, intent(in) :: n, at
    real(dp), intent(inout) :: r(n, *)
    real(dp), intent(in), dimension(n, *) :: u_2, u_1, u, u1, u2
    real(dp) :: weight(-2:2)
    integer :: i, m
    weight = smoothing * weights(at, n)
    do m = 1, 5
      do i = 1, n - 2
        r(i, m) = r(i, m) - (weight(-2) * u_2(i, m) + weight(-1) * u_1(i, m) + weight(0) * u(i, m) + weight(1) * u1(i, m) &
                             + weight(2) * u2(i, m))
      end do
    end do
  end subroutine

  ! Along the row.
  pure subroutine add_dissipation_x(r, u, n)
    integer, intent(in) :: n
    real(dp), intent(inout) :: r(0:n - 1, 5)
    real(dp), intent(in) :: u(0:n - 1, 5)
    real(dp) :: weight(-2:2)
    integer :: ends(4), e, i, k, m
    ends = [1, 2, n - 3, n - 2]
    do m = 1, 5
      do i = 3, n - 4
        r(i, m) = r(i, m) - smoothing * (u(i - 2, m) - 4 * u(i - 1, m) + 6 * u(i, m) - 4 * u(i + 1, m) + u(i + 2, m))
      end do
      do e = 1, 4
        weight = smoothing * weights(ends(e), n)
        do k = -2, 2
          r(ends(e), m) = r(ends(e), m) - weight(k) * u(clamped(ends(e) + k, n), m)
        end do
      end do
    end do
  end subroutine

  ! ---- many lines at once: (line, unknown, position) ----

  ! Solves the block tridiagonal systems of lines along direction d. r: the right-hand sides, then the solutions; zero at both
  ! ends.
  subroutine solve_lines(u, r, n, d, h, dt)
    integer, intent(in) :: n, d
    real(dp), intent(in) :: u(lanes, 5, 0:n - 1), h, dt
    real(dp), intent(inout) :: r(lanes, 5, 0:n - 1)
    real(dp) :: lower(lanes, 5, 5, 0:2), centre(lanes, 5, 5, 0:2), upper(lanes, 5, 5, 0:n - 1)
    integer :: i, m
    call blocks(u(1, 1, 0), d, h, dt, lower(1, 1, 1, 0), centre(1, 1, 1, 0), upper(1, 1, 1, 0))
    call blocks(u(1, 1, 1), d, h, dt, lower(1, 1, 1, 1), centre(1, 1, 1, 1), upper(1, 1, 1, 0))
    upper(:, :, :, 0) = 0
    do i = 1, n - 2
      m = mod(i + 1, 3)
      call blocks(u(1, 1, i + 1), d, h, dt, lower(1, 1, 1, m), centre(1, 1, 1, m), upper(1, 1, 1, i))
      call eliminate(lower(1, 1, 1, mod(i - 1, 3)), centre(1, 1, 1, mod(i, 3)), upper(1, 1, 1, i - 1), upper(1, 1, 1, i), &
                     r(1, 1, i - 1), r(1, 1, i))
    end do
    do i = n - 3, 1, -1
      call subtract_product(r(1, 1, i), upper(1, 1, 1, i), r(1, 1, i + 1))
    end do
  end subroutine

  ! What a point contributes to the equations of the next one, of itself, and of the one before: (line, row, column).
  subroutine blocks(u, d, h, dt, lower, centre, upper)
    integer, intent(in) :: d
    real(dp), intent(in) :: u(lanes, 5), h, dt
    real(dp), intent(out), dimension(lanes, 5, 5) :: lower, centre, upper
    real(dp), dimension(lanes, 5, 5) :: flux, friction
    real(dp) :: slope, spread
    integer :: l, p, q
    slope = dt / (2 * h)
    spread = dt / h**2
    call derivatives(u, d, flux, friction)
    do q = 1, 5
      do l = 1, lanes
        friction(l, q, q) = friction(l, q, q) + damping_along(d)
      end do
      do p = 1, 5
        do l = 1, lanes
          lower(l, p, q) = -slope * flux(l, p, q) - spread * friction(l, p, q)
          upper(l, p, q) = slope * flux(l, p, q) - spread * friction(l, p, q)
          centre(l, p, q) = 2 * spread * friction(l, p, q)
        end do
      end do
      do l = 1, lanes
        centre(l, q, q) = centre(l, q, q) + 1
      end do
    end do
  end subroutine

  ! The Jacobians of the flux along d and of viscosity and conduction.
  subroutine derivatives(u, d, flux, friction)
    integer, intent(in) :: d
    real(dp), intent(in) :: u(lanes, 5)
    real(dp), intent(out), dimension(lanes, 5, 5) :: flux, friction
    real(dp), dimension(lanes) :: inverse, along, kinetic, energy
    real(dp) :: v(lanes, 2:4), own
    integer :: m
    inverse = 1 / u(:, 1)
    do m = 2, 4
      v(:, m) = u(:, m) * inverse
    end do
    along = v(:, d + 1)
    kinetic = (v(:, 2)**2 + v(:, 3)**2 + v(:, 4)**2) / 2
    energy = u(:, 5) * inverse
    flux = 0
    friction = 0
    flux(:, 1, d + 1) = 1
    do m = 2, 4
      own = merge(more, 1d0, m == d + 1)
      flux(:, m, 1) = -v(:, m) * along
      flux(:, m, m) = along
      friction(:, m, 1) = -viscosity * own * v(:, m) * inverse
      friction(:, m, m) = viscosity * own * inverse
      flux(:, 5, m) = -rest * v(:, m) * along
      friction(:, 5, m) = viscosity * (own - conduction) * v(:, m) * inverse
    end do
    do m = 2, 4
      flux(:, m, d + 1) = flux(:, m, d + 1) + v(:, m)
      flux(:, d + 1, m) = flux(:, d + 1, m) - rest * v(:, m)
    end do
    flux(:, d + 1, 1) = flux(:, d + 1, 1) + rest * kinetic
    flux(:, d + 1, 5) = rest
    flux(:, 5, 1) = along * (2 * rest * kinetic - ratio * energy)
    flux(:, 5, d + 1) = flux(:, 5, d + 1) + ratio * energy - rest * kinetic
    flux(:, 5, 5) = ratio * along
    friction(:, 5, 1) = -viscosity * inverse * (2 * (1 - conduction) * kinetic + along**2 / 3 + conduction * energy)
    friction(:, 5, 5) = viscosity * conduction * inverse
  end subroutine

  ! Takes the position before out of the equations, then solves for this one: [upper, r] = centre^-1 [upper, r].
  subroutine eliminate(lower, centre, upper_before, upper, r_before, r)
    real(dp), intent(in) :: lower(lanes, 5, 5), upper_before(lanes, 5, 5), r_before(lanes, 5)
    real(dp), intent(inout) :: centre(lanes, 5, 5), upper(lanes, 5, 5), r(lanes, 5)
    real(dp) :: factor(lanes)
    integer :: p, q
    do q = 1, 5
      call subtract_product(centre(1, 1, q), lower, upper_before(1, 1, q))
    end do
    call subtract_product(r, lower, r_before)
    do p = 1, 5
      factor = 1 / centre(:, p, p)
      do q = p + 1, 5
        centre(:, p, q) = centre(:, p, q) * factor
      end do
      do q = 1, 5
        upper(:, p, q) = upper(:, p, q) * factor
      end do
      r(:, p) = r(:, p) * factor
      do q = 1, 5
        if (q /= p) call subtract_row(centre, upper, r, p, q)
      end do
    end do
  end subroutine

  ! From row q the multiple of row p that makes its element in column p zero.
  subroutine subtract_row(centre, upper, r, p, q)
    real(dp), intent(inout) :: centre(lanes, 5, 5), upper(lanes, 5, 5), r(lanes, 5)
    integer, intent(in) :: p, q
    real(dp) :: factor(lanes)
    integer :: k, l
    factor = centre(:, q, p)
    do k = p + 1, 5
!GCC$ ivdep
      do l = 1, lanes
        centre(l, q, k) = centre(l, q, k) - factor(l) * centre(l, p, k)
      end do
    end do
    do k = 1, 5
!GCC$ ivdep
      do l = 1, lanes
        upper(l, q, k) = upper(l, q, k) - factor(l) * upper(l, p, k)
      end do
    end do
!GCC$ ivdep
    do l = 1, lanes
      r(l, q) = r(l, q) - factor(l) * r(l, p)
    end do
  end subroutine

  ! x = x - a y.
  subroutine subtract_product(x, a, y)
    real(dp), intent(inout) :: x(lanes, 5)
    real(dp), intent(in) :: a(lanes, 5, 5), y(lanes, 5)
    integer :: l, p
    do p = 1, 5
      do l = 1, lanes
        x(l, p) = x(l, p) - a(l, p, 1) * y(l, 1) - a(l, p, 2) * y(l, 2) - a(l, p, 3) * y(l, 3) - a(l, p, 4) * y(l, 4) &
                  - a(l, p, 5) * y(l, 5)
      end do
    end do
  end subroutine

end module

module simulation
  use nas
  use gas
  implicit none
  private
  public :: run

contains

  ! As the report times it. What is left and the errors must be the expected ones.
  subroutine run(n, steps, dt, expected_rest, expected_error)
    integer, intent(in) :: n, steps
    real(dp), intent(in) :: dt, expected_rest(5), expected_error(5)
    real(dp) :: u(0:n - 1, 5, 0:n - 1, 0:n - 1), v(0:n - 1, 5, 0:n - 1, 0:n - 1)  ! x, unknown, y, z
    real(dp) :: r(0:n - 1, 5, 0:n - 1, 0:n - 1), forcing(0:n - 1, 5, 0:n - 1, 0:n - 1)
    real(dp) :: u_across(0:n - 1, 5, 0:n - 1, 0:n - 1), r_across(0:n - 1, 5, 0:n - 1, 0:n - 1)
    real(dp) :: bundle_u(lanes, 5, 0:n - 1), bundle_r(lanes, 5, 0:n - 1)
    real(dp) :: h, start, seconds, rest(5), error(5)
    integer :: step
!$xmp nodes p(*)
!$xmp template tz(0:n - 1)
!$xmp distribute tz(block) onto p
!$xmp template ty(0:n - 1)
!$xmp distribute ty(block) onto p
!$xmp align (*, *, *, k) with tz(k) :: u, v, r, forcing
!$xmp align (*, *, j, *) with ty(j) :: u_across, r_across
!$xmp shadow u(0, 0, 0, 2)
!$xmp shadow v(0, 0, 0, 1)
    h = 1d0 / (n - 1)
    bundle_u = 1
    bundle_r = 0
    r = 0
    call balance
    call set_out
    call advance  ! not timed
    call set_out
!$xmp barrier
    start = seconds_now()
    do step = 1, steps
      call advance
    end do
    seconds = seconds_now() - start
    error = error_norm()
    call find_changes
    rest = rest_norm()
!$xmp task on p(1)
    call nas_report(seconds, rest(1), all(abs(rest - expected_rest) <= 1d-8 * expected_rest) &
                                      .and. all(abs(error - expected_error) <= 1d-8 * expected_error))
!$xmp end task

  contains

    pure function place(i, j, k)
      integer, intent(in) :: i, j, k
      real(dp) :: place(3)
      place = [i, j, k] / real(n - 1, dp)
    end function

    ! The forcing under which the exact solution does not change.
    subroutine balance
      integer :: i, j, k
!$xmp loop on tz(k)
      do k = 0, n - 1
        do j = 0, n - 1
          do i = 0, n - 1
            u(i, :, j, k) = exact(place(i, j, k))
          end do
        end do
        forcing(:, :, :, k) = 0
      end do
      call find_changes
!$xmp loop on tz(k)
      do k = 0, n - 1
        forcing(:, :, :, k) = -r(:, :, :, k)
      end do
    end subroutine

    subroutine set_out
      integer :: i, j, k
!$xmp loop on tz(k)
      do k = 0, n - 1
        do j = 0, n - 1
          do i = 0, n - 1
            u(i, :, j, k) = first_guess(place(i, j, k))
          end do
        end do
      end do
!$xmp gmove
      u_across(:, :, :, :) = u(:, :, :, :)
    end subroutine

    subroutine advance
      integer :: j
      call find_changes
      call solve_xy
!$xmp gmove
      r_across(:, :, :, :) = r(:, :, :, :)
      call solve_z
!$xmp loop on ty(j)
      do j = 0, n - 1
        u_across(:, :, j, :) = u_across(:, :, j, :) + r_across(:, :, j, :)
      end do
!$xmp gmove
      u(:, :, :, :) = u_across(:, :, :, :)
    end subroutine

    ! r: how fast the unknowns change.
    subroutine find_changes
      integer :: j, k
!$xmp loop on tz(k)
      do k = 0, n - 1
        do j = 0, n - 1
          call velocities(u(0, 1, j, k), v(0, 1, j, k), n)
        end do
      end do
!$xmp reflect (u, v)
!$xmp loop on tz(k)
      do k = 1, n - 2
        do j = 1, n - 2
          r(1:n - 2, :, j, k) = forcing(1:n - 2, :, j, k)
          call add_flux(r(1, 1, j, k), u(0, 1, j, k), u(1, 1, j, k), u(2, 1, j, k), &
                        v(0, 1, j, k), v(1, 1, j, k), v(2, 1, j, k), n, 1, h)
          call add_flux(r(1, 1, j, k), u(1, 1, j - 1, k), u(1, 1, j, k), u(1, 1, j + 1, k), &
                        v(1, 1, j - 1, k), v(1, 1, j, k), v(1, 1, j + 1, k), n, 2, h)
          call add_flux(r(1, 1, j, k), u(1, 1, j, k - 1), u(1, 1, j, k), u(1, 1, j, k + 1), &
                        v(1, 1, j, k - 1), v(1, 1, j, k), v(1, 1, j, k + 1), n, 3, h)
          call add_dissipation_x(r(0, 1, j, k), u(0, 1, j, k), n)
          call add_dissipation(r(1, 1, j, k), u(1, 1, clamped(j - 2, n), k), u(1, 1, j - 1, k), u(1, 1, j, k), &
                               u(1, 1, j + 1, k), u(1, 1, clamped(j + 2, n), k), n, j)
          call add_dissipation(r(1, 1, j, k), u(1, 1, j, clamped(k - 2, n)), u(1, 1, j, k - 1), u(1, 1, j, k), &
                               u(1, 1, j, k + 1), u(1, 1, j, clamped(k + 2, n)), n, k)
        end do
      end do
    end subroutine

    subroutine solve_xy
      integer :: i, j, k, m, last
!$xmp loop on tz(k)
      do k = 1, n - 2
        do j = 1, n - 2, lanes
          last = min(lanes, n - 1 - j)
          do m = 1, 5
            do i = 0, n - 1
              bundle_u(:last, m, i) = u(i, m, j:j + last - 1, k)
              bundle_r(:last, m, i) = dt * r(i, m, j:j + last - 1, k)
            end do
          end do
          call solve_lines(bundle_u, bundle_r, n, 1, h, dt)
          do m = 1, 5
            do i = 1, n - 2
              r(i, m, j:j + last - 1, k) = bundle_r(:last, m, i)
            end do
          end do
        end do
        do i = 1, n - 2, lanes
          last = min(lanes, n - 1 - i)
          do j = 0, n - 1
            bundle_u(:last, :, j) = u(i:i + last - 1, :, j, k)
            bundle_r(:last, :, j) = r(i:i + last - 1, :, j, k)
          end do
          call solve_lines(bundle_u, bundle_r, n, 2, h, dt)
          do j = 1, n - 2
            r(i:i + last - 1, :, j, k) = bundle_r(:last, :, j)
          end do
        end do
      end do
    end subroutine

    subroutine solve_z
      integer :: i, j, k, last
!$xmp loop on ty(j)
      do j = 1, n - 2
        do i = 1, n - 2, lanes
          last = min(lanes, n - 1 - i)
          do k = 0, n - 1
            bundle_u(:last, :, k) = u_across(i:i + last - 1, :, j, k)
            bundle_r(:last, :, k) = r_across(i:i + last - 1, :, j, k)
          end do
          call solve_lines(bundle_u, bundle_r, n, 3, h, dt)
          do k = 1, n - 2
            r_across(i:i + last - 1, :, j, k) = bundle_r(:last, :, k)
          end do
        end do
      end do
    end subroutine

    function error_norm() result(norm)
      real(dp) :: norm(5)
      integer :: i, j, k
      norm = 0
!$xmp loop on tz(k) reduction(+: norm)
      do k = 0, n - 1
        do j = 0, n - 1
          do i = 0, n - 1
            norm = norm + (u(i, :, j, k) - exact(place(i, j, k)))**2
          end do
        end do
      end do
      norm = sqrt(norm / real(n - 2, dp)**3)
    end function

    function rest_norm() result(norm)
      real(dp) :: norm(5)
      integer :: m, k
      norm = 0
!$xmp loop on tz(k) reduction(+: norm)
      do k = 1, n - 2
        do m = 1, 5
          norm(m) = norm(m) + sum(r(1:n - 2, m, 1:n - 2, k)**2)
        end do
      end do
      norm = sqrt(norm / real(n - 2, dp)**3)
    end function
  end subroutine

end module

program bt
  use nas
  use simulation
  implicit none
  select case (nas_class())
  case ('S')
    call run(12, 60, 1d-2, &
             [1.7034283709541311d-1, 1.2975252070034097d-2, 3.2527926989486055d-2, &
              2.6436421275166801d-2, 1.9211784131744430d-1], &
             [4.9976913345811579d-4, 4.5195666782961927d-5, 7.3973765172921357d-5, &
              7.3821238632439731d-5, 8.9269630987491446d-4])
  case ('W')
    call run(24, 200, 0.8d-3, &
             [0.1125590409344d+3, 0.1180007595731d+2, 0.2710329767846d+2, 0.2469174937669d+2, 0.2638427874317d+3], &
             [0.4419655736008d+1, 0.4638531260002d+0, 0.1011551749967d+1, 0.9235878729944d+0, 0.1018045837718d+2])
  case ('A')
    call run(64, 200, 0.8d-3, &
             [1.0806346714637264d+2, 1.1319730901220813d+1, 2.5974354511582465d+1, &
              2.3665622544678910d+1, 2.5278963211748344d+2], &
             [4.2348416040525025d+0, 4.4390282496995698d-1, 9.6692480136345650d-1, &
              8.8302063039765474d-1, 9.7379901770829278d+0])
  end select
end program
