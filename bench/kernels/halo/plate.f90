! A plate of n x n points, each of which becomes the mean of its four neighbours in every step: what does not depend on how the
! images exchange the points at their borders. The program's arguments are n, the number of steps, and how many images share the
! first dimension; without that the grid of images is as square as can be.
include '../records.f90'

module plates
  use kernel_records
  implicit none
  private
  public :: extent, make_grid, relax, report, seconds_now, start_values
  integer, parameter, public :: dp = kind(1d0)

  type, public :: grid
    integer :: n, steps
    integer :: images(2), at(2)  ! in each dimension: images, and which of them this one is, from 1
    integer :: rows, columns     ! points of this image
  end type

contains

  type(grid) function make_grid(image, images) result(made)
    integer, intent(in) :: image, images
    integer :: along
    along = int(sqrt(real(images)))
    do while (mod(images, along) /= 0)
      along = along - 1
    end do
    made%n = argument(1, 100)
    made%steps = argument(2, 100)
    made%images(1) = argument(3, images / along)
    made%images(2) = images / made%images(1)
    if (product(made%images) /= images) error stop 'the images make no such grid'
    made%at = [mod(image - 1, made%images(1)), (image - 1) / made%images(1)] + 1
    made%rows = extent(made, 1, made%at(1))
    made%columns = extent(made, 2, made%at(2))
  end function

  integer function argument(number, otherwise)
    integer, intent(in) :: number, otherwise
    character(20) :: text
    call get_command_argument(number, text)
    argument = otherwise
    if (text /= '') read (text, *) argument
  end function

  ! The points of an image in a dimension.
  pure integer function extent(of, dimension, at)
    type(grid), intent(in) :: of
    integer, intent(in) :: dimension, at
    extent = of%n * at / of%images(dimension) - of%n * (at - 1) / of%images(dimension)
  end function

  ! Points and borders: 0, but 1 at the edge where the first dimension begins.
  pure subroutine start_values(of, plate)
    type(grid), intent(in) :: of
    real(dp), intent(out) :: plate(0:, 0:, :)
    plate = 0
    if (of%at(1) == 1) plate(0, :, :) = 1
  end subroutine

  pure subroutine relax(rows, columns, before, after)
    integer, intent(in) :: rows, columns
    real(dp), contiguous, intent(in) :: before(0:, 0:)
    real(dp), contiguous, intent(inout) :: after(0:, 0:)
    integer :: i, j
    do j = 1, columns
      do i = 1, rows
        after(i, j) = 0.25_dp * (before(i - 1, j) + before(i + 1, j) + before(i, j - 1) + before(i, j + 1))
      end do
    end do
  end subroutine

end module
