! The time step of examples/tsunami in XMP/Fortran, on the basin of basin.h: the same operations in the same order as ocean.c, so
! that the fields have the same bits. -DSTATE='"file"' writes them, as xmp.c does.
#ifndef REPEAT
#define REPEAT 40
#endif
#ifndef MINUTES
#define MINUTES 5
#endif

#include "../records.f90"

module ocean
  use xmp_lib
  implicit none
  integer, parameter :: sp = kind(1.0), dp = kind(1d0)
  integer, parameter :: limit = 72, columns = 360 * 60 / MINUTES, rows = 2 * limit * 60 / MINUTES + 1
  real(dp), parameter :: pi = 3.14159265358979323846_dp, degree = pi / 180, gravity = 9.81_dp, radius = 6.371e6_dp
  real(dp), parameter :: cell_radians = MINUTES / 60.0_dp * pi / 180
  real(sp), dimension(0:columns - 1, 0:rows - 1) :: height, east, south, depth, east_factor, south_factor
  real(sp) :: row_factor(0:rows - 1)
!$xmp nodes node(node_columns(), *)
!$xmp template sea(0:columns - 1, 0:rows - 1)
!$xmp distribute sea(block, block) onto node
!$xmp align (i, j) with sea(i, j) :: height, east, south, depth, east_factor, south_factor
!$xmp align row_factor(j) with sea(*, j)
!$xmp shadow (1, 1) :: height, east, south, depth

contains

  ! A rectangle of nodes that is as square as their number allows, with at least as many rows as columns.
  integer function node_columns()
    integer :: n, nodes
    nodes = xmp_all_num_nodes()
    node_columns = 1
    do n = 1, nodes
      if (n * n <= nodes .and. mod(nodes, n) == 0) node_columns = n
    end do
  end function

  real(dp) function latitude_of(row)
    integer, intent(in) :: row
    latitude_of = row * MINUTES / 60.0_dp - limit
  end function

  real(dp) function longitude_of(column)
    integer, intent(in) :: column
    longitude_of = column * MINUTES / 60.0_dp
  end function

  real(dp) function cos_latitude(row)
    real(dp), intent(in) :: row
    cos_latitude = cos((row * MINUTES / 60.0_dp - limit) * degree)
  end function

  ! The basin at rest, lifted by the earthquake. Vectors of sines differ from single ones in the last bit.
  subroutine start()
    real(dp) :: land, up, right
    real(sp) :: elevation
    integer :: i, j
!$xmp loop (i, j) on sea(i, j)
    do j = 0, rows - 1
      !gcc$ novector
      do i = 0, columns - 1
        land = sin(longitude_of(i) * 0.05_dp) * cos(latitude_of(j) * 0.07_dp)
        elevation = real(merge(100.0_dp, -4000 + 2000 * land, land > 0.9_dp), sp)
        depth(i, j) = merge(0.0_sp, -elevation, elevation > -20 .or. j == 0 .or. j == rows - 1)
        up = latitude_of(j) - 38
        right = longitude_of(i) - 143
        height(i, j) = 0
        if (depth(i, j) > 0) height(i, j) = real(5 * exp(-(up * up + right * right) / 4), sp)
        east(i, j) = 0
        south(i, j) = 0
      end do
    end do
  end subroutine

  ! What the scheme multiplies by.
  subroutine prepare(steps_per_minute)
    integer, intent(in) :: steps_per_minute
    real(dp) :: dt, factor, here, next, below
    integer :: i, j
    dt = 60.0_dp / steps_per_minute
    factor = gravity * dt * dt / (radius * radius * cell_radians * cell_radians)
!$xmp reflect (depth) width(/periodic/0:1, 1:0)
!$xmp loop (i, j) on sea(i, j)
    do j = 1, rows - 1
      !gcc$ novector
      do i = 0, columns - 1
        here = depth(i, j)
        next = depth(i + 1, j)
        below = depth(i, j - 1)
        east_factor(i, j) = 0
        south_factor(i, j) = 0
        if (here > 0 .and. next > 0) &
          east_factor(i, j) = real(factor * 0.5_dp * (here + next) / cos_latitude(real(j, dp)), sp)
        if (here > 0 .and. below > 0) &
          south_factor(i, j) = real(factor * 0.5_dp * (here + below) * cos_latitude(j - 0.5_dp), sp)
      end do
    end do
!$xmp loop on sea(*, j)
    !gcc$ novector
    do j = 0, rows - 1
      row_factor(j) = real(1 / cos_latitude(real(j, dp)), sp)
    end do
  end subroutine

  subroutine step()
    integer :: i, j
!$xmp reflect (height) width(/periodic/0:1, 1:0)
!$xmp loop (i, j) on sea(i, j)
    do j = 1, rows - 1
      do i = 0, columns - 1
        east(i, j) = east(i, j) - east_factor(i, j) * (height(i + 1, j) - height(i, j))
        south(i, j) = south(i, j) - south_factor(i, j) * (height(i, j) - height(i, j - 1))
      end do
    end do
!$xmp reflect (east) width(/periodic/1:0, 0)
!$xmp reflect (south) width(0, 0:1)
!$xmp loop (i, j) on sea(i, j)
    do j = 1, rows - 2
      do i = 0, columns - 1
        height(i, j) = height(i, j) - row_factor(j) * (east(i, j) - east(i - 1, j) + south(i, j + 1) - south(i, j))
      end do
    end do
  end subroutine

  ! The water moved, in cubic metres.
  real(dp) function moved()
    integer :: i, j
    moved = 0
!$xmp loop (i, j) on sea(i, j) reduction(+:moved)
    do j = 1, rows - 2
      do i = 0, columns - 1
        moved = moved + radius * radius * cell_radians * cell_radians / row_factor(j) * abs(real(height(i, j), dp))
      end do
    end do
  end function

end module

program tsunami
  use ocean
  use kernel_records
  implicit none
  real(dp) :: start_time, seconds, water
  integer :: n
  call start()
  call prepare(5)
  call step()
!$xmp barrier
  start_time = seconds_now()
  do n = 1, REPEAT
    call step()
  end do
!$xmp barrier
  seconds = seconds_now() - start_time
  water = moved()
#ifdef STATE
!$xmp master_io begin
  open (10, file=STATE, access='stream', form='unformatted', status='replace')
  write (10) height
  write (10) east
  write (10) south
  close (10)
!$xmp end master_io
#endif
!$xmp task on node(1, 1)
  call report(seconds, water)
!$xmp end task
end program
