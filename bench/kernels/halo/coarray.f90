! A plate (plate.f90) in coarray Fortran: each image puts its outer points into the borders of its neighbours.
include 'plate.f90'

program halo
  use plates
  implicit none
  type(grid) :: mine
  real(dp), allocatable :: plate(:, :, :)[:, :]  ! before and after a step, in turn
  integer, allocatable :: neighbours(:)
  integer :: most(2), rows, columns, step, new
  real(dp) :: start, seconds, squares

  mine = make_grid(this_image(), num_images())
  rows = mine%rows
  columns = mine%columns
  most = (mine%n + mine%images - 1) / mine%images
  allocate (plate(0:most(1) + 1, 0:most(2) + 1, 2)[mine%images(1), *])
  call start_values(mine, plate)
  call find_neighbours
  sync all
  start = seconds_now()
  new = 2
  do step = 1, mine%steps
    call relax(rows, columns, plate(:, :, 3 - new), plate(:, :, new))
    call exchange(mine%at(1), mine%at(2))
    new = 3 - new
  end do
  seconds = seconds_now() - start
  squares = sum(plate(1:rows, 1:columns, 3 - new)**2)
  call co_sum(squares)
  if (this_image() == 1) call report(seconds / mine%steps, squares)

contains

  subroutine find_neighbours
    integer :: dimension, side, other(2)
    allocate (neighbours(0))
    do dimension = 1, 2
      do side = -1, 1, 2
        other = mine%at
        other(dimension) = other(dimension) + side
        if (image_index(plate, other) > 0) neighbours = [neighbours, image_index(plate, other)]
      end do
    end do
  end subroutine

  ! Nobody waits before a put: neighbours read these borders in the step before, at whose end they synchronised with this image.
  subroutine exchange(i, j)
    integer, intent(in) :: i, j
    if (i > 1) plate(extent(mine, 1, i - 1) + 1, 1:columns, new)[i - 1, j] = plate(1, 1:columns, new)
    if (i < mine%images(1)) plate(0, 1:columns, new)[i + 1, j] = plate(rows, 1:columns, new)
    if (j > 1) plate(1:rows, extent(mine, 2, j - 1) + 1, new)[i, j - 1] = plate(1:rows, 1, new)
    if (j < mine%images(2)) plate(1:rows, 0, new)[i, j + 1] = plate(1:rows, columns, new)
    sync images (neighbours)
  end subroutine

end program
