! The three-dimensional FFT of the NAS Parallel Benchmarks in XMP/Fortran: a diffusion equation, solved in Fourier space.
! Written from the report RNR-94-007. Its argument is the class: S, W or A.
!
! Planes of constant z are dealt out in blocks, so that lines along x and y are whole on a node. For lines along z a gmove deals
! out planes of constant y.
include '../records.f90'
include '../nas.f90'

! Transforms of many lines at once: work(:, k, :, at) has the real and the imaginary parts of their k-th elements.
module lines
  use nas, only: dp
  implicit none
  private
  public :: roots_of, transform
  integer, parameter, public :: lanes = 16

contains

  ! exp(2 pi i k / n), or the conjugates in direction -1.
  pure function roots_of(n, direction) result(roots)
    integer, intent(in) :: n, direction
    complex(dp) :: roots(0:n - 1)
    real(dp), parameter :: circle = 8 * atan(1d0)
    integer :: k
    roots = [(cmplx(cos(circle * k / n), direction * sin(circle * k / n), dp), k = 0, n - 1)]
  end function

  ! Stockham's algorithm by fours: from work(:, :, :, at) to there, which is another `at` afterwards. n is a power of two.
  subroutine transform(work, at, n, roots, direction)
    integer, intent(in) :: n, direction
    real(dp), intent(inout) :: work(lanes, n, 2, 0:1)
    integer, intent(inout) :: at
    complex(dp), intent(in) :: roots(0:n - 1)
    integer :: left, to
    left = n
    do while (left > 1)
      to = 1 - at
      if (left == 2) then
        call by_two(work(1, 1, 1, at), work(1, 1, 1, to), lanes * n / 2)
        left = 1
      else
        call by_four(work(1, 1, 1, at), work(1, 1, 2, at), work(1, 1, 1, to), work(1, 1, 2, to), lanes * (n / left), left / 4, &
                     n / left, roots, direction)
        left = left / 4
      end if
      at = to
    end do
  end subroutine

  subroutine by_four(x, x_im, y, y_im, length, quarter, step, roots, direction)
    integer, intent(in) :: length, quarter, step, direction
    real(dp), intent(in), dimension(length, 0:quarter - 1, 0:3) :: x, x_im
    real(dp), intent(inout), dimension(length, 0:3, 0:quarter - 1) :: y, y_im
    complex(dp), intent(in) :: roots(0:4 * quarter * step - 1)
    complex(dp) :: root(3)
    real(dp) :: sum_02, sum_02_im, sum_13, sum_13_im, gap_02, gap_02_im, gap_13, gap_13_im, sign
    integer :: i, k
    sign = direction
    do k = 0, quarter - 1
      root = roots([k, 2 * k, 3 * k] * step)
!GCC$ ivdep
      do i = 1, length
        sum_02 = x(i, k, 0) + x(i, k, 2)
        sum_02_im = x_im(i, k, 0) + x_im(i, k, 2)
        sum_13 = x(i, k, 1) + x(i, k, 3)
        sum_13_im = x_im(i, k, 1) + x_im(i, k, 3)
        gap_02 = x(i, k, 0) - x(i, k, 2)
        gap_02_im = x_im(i, k, 0) - x_im(i, k, 2)
        gap_13 = -sign * (x_im(i, k, 1) - x_im(i, k, 3))  ! turned by the sign's right angle
        gap_13_im = sign * (x(i, k, 1) - x(i, k, 3))
        y(i, 0, k) = sum_02 + sum_13
        y_im(i, 0, k) = sum_02_im + sum_13_im
        y(i, 1, k) = real(root(1)) * (gap_02 + gap_13) - aimag(root(1)) * (gap_02_im + gap_13_im)
        y_im(i, 1, k) = real(root(1)) * (gap_02_im + gap_13_im) + aimag(root(1)) * (gap_02 + gap_13)
        y(i, 2, k) = real(root(2)) * (sum_02 - sum_13) - aimag(root(2)) * (sum_02_im - sum_13_im)
        y_im(i, 2, k) = real(root(2)) * (sum_02_im - sum_13_im) + aimag(root(2)) * (sum_02 - sum_13)
        y(i, 3, k) = real(root(3)) * (gap_02 - gap_13) - aimag(root(3)) * (gap_02_im - gap_13_im)
        y_im(i, 3, k) = real(root(3)) * (gap_02_im - gap_13_im) + aimag(root(3)) * (gap_02 - gap_13)
      end do
    end do
  end subroutine

  ! The last step, without roots.
  subroutine by_two(x, y, length)
    integer, intent(in) :: length
    real(dp), intent(in) :: x(length, 0:1, 2)
    real(dp), intent(inout) :: y(length, 0:1, 2)
    y(:, 0, :) = x(:, 0, :) + x(:, 1, :)
    y(:, 1, :) = x(:, 0, :) - x(:, 1, :)
  end subroutine

end module

module spectral
  use nas
  use lines
  implicit none
  private
  public :: run
  integer, parameter :: forward = 1, backward = -1, cache_line = 4  ! complex numbers

contains

  ! As the report times it, from the second time on; all checksums must be the expected ones.
  subroutine run(nx, ny, nz, expected)
    integer, intent(in) :: nx, ny, nz
    complex(dp), intent(in) :: expected(:)
    complex(dp) :: u(nx, ny, nz), spectrum(nx, ny, nz), across(nx, ny, nz), sums(size(expected))
    real(dp) :: start, seconds
    integer :: round
!$xmp nodes p(*)
!$xmp template tz(nz)
!$xmp distribute tz(block) onto p
!$xmp template ty(ny)
!$xmp distribute ty(block) onto p
!$xmp align u(*, *, k) with tz(k)
!$xmp align (*, j, *) with ty(j) :: spectrum, across
    do round = 1, 2
!$xmp barrier
      start = seconds_now()
      call solve
      seconds = seconds_now() - start
    end do
!$xmp task on p(1)
    call nas_report(seconds, abs(sums(size(sums))), all(abs(sums - expected) <= 1d-12 * abs(expected)))
!$xmp end task

  contains

    subroutine solve
      integer :: t
      call start_values(u, nx, ny, nz)
      call transform_xy(u, nx, ny, nz, forward)
!$xmp gmove
      across(:, :, :) = u(:, :, :)
      call transform_z(across, spectrum, nx, ny, nz, forward, 0)
      do t = 1, size(sums)
        call transform_z(spectrum, across, nx, ny, nz, backward, t)
!$xmp gmove
        u(:, :, :) = across(:, :, :)
        call transform_xy(u, nx, ny, nz, backward)
        sums(t) = checksum(u, nx, ny, nz)
      end do
    end subroutine
  end subroutine

  ! The sequence of random numbers, one after the other.
  subroutine start_values(u, nx, ny, nz)
    integer, intent(in) :: nx, ny, nz
    complex(dp) :: u(nx, ny, nz)
    integer(int64) :: state
    real(dp) :: re
    integer :: i, j, k
!$xmp nodes p(*)
!$xmp template tz(nz)
!$xmp distribute tz(block) onto p
!$xmp align u(*, *, k) with tz(k)
!$xmp loop on tz(k)
    do k = 1, nz
      state = nas_skip(nas_seed, 2_int64 * nx * ny * (k - 1))
      do j = 1, ny
        do i = 1, nx
          re = nas_random(state)
          u(i, j, k) = cmplx(re, nas_random(state), dp)
        end do
      end do
    end do
  end subroutine

  subroutine transform_xy(u, nx, ny, nz, direction)
    integer, intent(in) :: nx, ny, nz, direction
    complex(dp) :: u(nx, ny, nz), roots_x(nx), roots_y(ny)
    real(dp) :: along_x(lanes, nx, 2, 0:1), along_y(lanes, ny, 2, 0:1)
    integer :: i, j, k, lane, at
!$xmp nodes p(*)
!$xmp template tz(nz)
!$xmp distribute tz(block) onto p
!$xmp align u(*, *, k) with tz(k)
    roots_x = roots_of(nx, direction)
    roots_y = roots_of(ny, direction)
!$xmp loop on tz(k)
    do k = 1, nz
      do j = 1, ny, lanes
        at = 0
        do i = 1, nx, cache_line
          do lane = 1, lanes
            along_x(lane, i:i + cache_line - 1, 1, at) = real(u(i:i + cache_line - 1, j + lane - 1, k))
            along_x(lane, i:i + cache_line - 1, 2, at) = aimag(u(i:i + cache_line - 1, j + lane - 1, k))
          end do
        end do
        call transform(along_x, at, nx, roots_x, direction)
        do i = 1, nx, cache_line
          do lane = 1, lanes
            u(i:i + cache_line - 1, j + lane - 1, k) = cmplx(along_x(lane, i:i + cache_line - 1, 1, at), &
                                                             along_x(lane, i:i + cache_line - 1, 2, at), dp)
          end do
        end do
      end do
      do i = 1, nx, lanes
        at = 0
        do j = 1, ny
          along_y(:, j, 1, at) = real(u(i:i + lanes - 1, j, k))
          along_y(:, j, 2, at) = aimag(u(i:i + lanes - 1, j, k))
        end do
        call transform(along_y, at, ny, roots_y, direction)
        do j = 1, ny
          u(i:i + lanes - 1, j, k) = cmplx(along_y(:, j, 1, at), along_y(:, j, 2, at), dp)
        end do
      end do
    end do
  end subroutine

  ! Takes each wave as it is after the time t.
  subroutine transform_z(waves, u, nx, ny, nz, direction, t)
    integer, intent(in) :: nx, ny, nz, direction, t
    complex(dp) :: waves(nx, ny, nz), u(nx, ny, nz), roots(nz)
    real(dp) :: along_z(lanes, nz, 2, 0:1), left_x(nx), left_y(ny), left_z(nz)
    integer :: i, j, k, at
!$xmp nodes p(*)
!$xmp template ty(ny)
!$xmp distribute ty(block) onto p
!$xmp align (*, j, *) with ty(j) :: waves, u
    roots = roots_of(nz, direction)
    left_x = fading(nx, t)
    left_y = fading(ny, t)
    left_z = fading(nz, t)
!$xmp loop on ty(j)
    do j = 1, ny
      do i = 1, nx, lanes
        at = 0
        do k = 1, nz
          along_z(:, k, 1, at) = real(waves(i:i + lanes - 1, j, k)) * (left_x(i:i + lanes - 1) * (left_y(j) * left_z(k)))
          along_z(:, k, 2, at) = aimag(waves(i:i + lanes - 1, j, k)) * (left_x(i:i + lanes - 1) * (left_y(j) * left_z(k)))
        end do
        call transform(along_z, at, nz, roots, direction)
        do k = 1, nz
          u(i:i + lanes - 1, j, k) = cmplx(along_z(:, k, 1, at), along_z(:, k, 2, at), dp)
        end do
      end do
    end do
  end subroutine

  ! What is left of a wave after the time t: the product over the directions.
  pure function fading(n, t)
    integer, intent(in) :: n, t
    real(dp) :: fading(n)
    real(dp), parameter :: alpha = 1d-6, pi = 4 * atan(1d0)
    integer :: i
    fading = [(exp(-4 * alpha * pi**2 * t * (modulo(i + n / 2, n) - n / 2)**2), i = 0, n - 1)]
  end function

  complex(dp) function checksum(u, nx, ny, nz) result(total)
    integer, intent(in) :: nx, ny, nz
    complex(dp) :: u(nx, ny, nz)
    integer :: i, k
!$xmp nodes p(*)
!$xmp template tz(nz)
!$xmp distribute tz(block) onto p
!$xmp align u(*, *, k) with tz(k)
    total = 0
!$xmp loop on tz(k) reduction(+: total)
    do k = 1, nz
      do i = 1, 1024
        if (mod(5 * i, nz) == k - 1) total = total + u(mod(i, nx) + 1, mod(3 * i, ny) + 1, k)
      end do
    end do
    total = total / (real(nx, dp) * ny * nz)
  end function

end module

program ft
  use nas
  use spectral
  implicit none
  select case (nas_class())
  case ('S')
    call run(64, 64, 64, [(5.546087004964d+2, 4.845363331978d+2), (5.546385409189d+2, 4.865304269511d+2), &
                          (5.546148406171d+2, 4.883910722336d+2), (5.545423607415d+2, 4.901273169046d+2), &
                          (5.544255039624d+2, 4.917475857993d+2), (5.542683411902d+2, 4.932597244941d+2)])
  case ('W')
    call run(128, 128, 32, [(5.673612178944d+2, 5.293246849175d+2), (5.631436885271d+2, 5.282149986629d+2), &
                            (5.594024089970d+2, 5.270996558037d+2), (5.560698047020d+2, 5.260027904925d+2), &
                            (5.530898991250d+2, 5.249400845633d+2), (5.504159734538d+2, 5.239212247086d+2)])
  case ('A')
    call run(256, 256, 128, [(5.046735008193d+2, 5.114047905510d+2), (5.059412319734d+2, 5.098809666433d+2), &
                             (5.069376896287d+2, 5.098144042213d+2), (5.077892868474d+2, 5.101336130759d+2), &
                             (5.085233095391d+2, 5.104914655194d+2), (5.091487099959d+2, 5.107917842803d+2)])
  end select
end program
