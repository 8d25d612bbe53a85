! The clock of the kernels in Fortran, and what they print: records that bench/suite/runner.py reads. timing.h has the same for C.
! With -DALLOCATED, and without directives, the arrays of a kernel come from `create`. With -fno-inline the compiler knows nothing
! of it there, and finds them as it finds global arrays.
module kernel_records
  use, intrinsic :: iso_fortran_env, only: int64
  implicit none
  private
  public :: create, report, seconds_now
  integer, parameter :: dp = kind(1d0)

  interface create
    procedure create_matrix, create_box
  end interface

contains

  subroutine create_matrix(array, extents)
    real(dp), allocatable, intent(inout) :: array(:, :)
    integer, intent(in) :: extents(2)
    allocate (array(0:extents(1) - 1, 0:extents(2) - 1))
  end subroutine

  subroutine create_box(array, extents)
    real, allocatable, intent(inout) :: array(:, :, :)
    integer, intent(in) :: extents(3)
    allocate (array(0:extents(1) - 1, 0:extents(2) - 1, 0:extents(3) - 1))
  end subroutine

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
