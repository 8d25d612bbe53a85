! What the NAS kernels in Fortran share (D. Bailey and others, The NAS Parallel Benchmarks, RNR-94-007): the sequence of random
! numbers, x(k + 1) = 5^13 x(k) modulo 2^46, and the official verification. nas.h has the same for C. Written from the report.
module nas
  use, intrinsic :: iso_fortran_env, only: error_unit, int64
  use kernel_records, only: report, seconds_now
  implicit none
  private
  public :: int64, nas_class, nas_random, nas_report, nas_skip, seconds_now
  integer, parameter, public :: dp = kind(1d0)
  integer(int64), parameter, public :: nas_seed = 314159265_int64
  integer, parameter :: bits = 23
  integer(int64), parameter :: multiplier = 1220703125_int64, half = 2_int64**bits

contains

  ! a b modulo 2^46, from halves whose products fit.
  pure integer(int64) function product_of(a, b)
    integer(int64), intent(in) :: a, b
    integer(int64) :: low_a, low_b
    low_a = iand(a, half - 1)
    low_b = iand(b, half - 1)
    product_of = iand(ishft(a, -bits) * low_b + low_a * ishft(b, -bits), half - 1)
    product_of = iand(ishft(product_of, bits) + low_a * low_b, half**2 - 1)
  end function

  ! The next number of the sequence, in (0, 1).
  real(dp) function nas_random(state)
    integer(int64), intent(inout) :: state
    state = product_of(state, multiplier)
    nas_random = real(state, dp) / half**2
  end function

  ! The state after `count` numbers.
  pure integer(int64) function nas_skip(state, count)
    integer(int64), intent(in) :: state, count
    integer(int64) :: power, left
    nas_skip = state
    power = multiplier
    left = count
    do while (left > 0)
      if (mod(left, 2_int64) == 1) nas_skip = product_of(nas_skip, power)
      power = product_of(power, power)
      left = left / 2
    end do
  end function

  ! The program's argument: S if there is none.
  character function nas_class()
    call get_command_argument(1, nas_class)
    if (nas_class == ' ') nas_class = 'S'
    if (scan(nas_class, 'SWA') == 1) return
    write (error_unit, '(a)') 'the class is S, W or A'
    error stop
  end function

  ! Without the official verification there is no record.
  subroutine nas_report(seconds, check, verified)
    real(dp), intent(in) :: seconds, check
    logical, intent(in) :: verified
    if (.not. verified) then
      write (error_unit, '(a, es22.14)') 'not verified: ', check
      error stop
    end if
    call report(seconds, check)
  end subroutine

end module
