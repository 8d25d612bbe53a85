! The clock of the kernels in Fortran, and what they print: records that bench/suite/runner.py reads. timing.h has the same for C.
module kernel_records
  use, intrinsic :: iso_fortran_env, only: int64
  implicit none
  private
  public :: report, seconds_now
  integer, parameter :: dp = kind(1d0)

contains

  real(dp) function seconds_now()
    integer(int64) :: now, rate
    call system_clock(now, rate)
    seconds_now = real(now, dp) / rate
  end function

  subroutine report(seconds, check)
    real(dp), intent(in) :: seconds, check
    print '(a, es22.14, a)', '{"kind": "cell", "operation": "", "bytes": 0, "slowest_us": [', 1d6 * seconds, ']}'
    print '(a, es22.14, a)', '{"kind": "check", "value": ', check, '}'
    print '(a)', '{"kind": "end"}'
  end subroutine

end module
