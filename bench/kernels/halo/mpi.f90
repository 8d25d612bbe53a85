! A plate (plate.f90) by hand: each rank sends its outer points to its neighbours and receives theirs.
include 'plate.f90'

program halo
  use mpi_f08
  use plates
  implicit none
  type(grid) :: mine
  type(MPI_Datatype) :: row
  real(dp), allocatable :: plate(:, :, :)  ! before and after a step, in turn
  integer :: me, ranks, rows, columns, step, new
  real(dp) :: start, seconds, squares

  call MPI_Init
  call MPI_Comm_rank(MPI_COMM_WORLD, me)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  mine = make_grid(me + 1, ranks)
  rows = mine%rows
  columns = mine%columns
  allocate (plate(0:rows + 1, 0:columns + 1, 2))
  call MPI_Type_vector(columns, 1, rows + 2, MPI_DOUBLE_PRECISION, row)
  call MPI_Type_commit(row)
  call start_values(mine, plate)
  call MPI_Barrier(MPI_COMM_WORLD)
  start = seconds_now()
  new = 2
  do step = 1, mine%steps
    call relax(rows, columns, plate(:, :, 3 - new), plate(:, :, new))
    call exchange(plate(:, :, new), neighbour(1, -1), neighbour(1, 1), neighbour(2, -1), neighbour(2, 1))
    new = 3 - new
  end do
  seconds = seconds_now() - start
  squares = sum(plate(1:rows, 1:columns, 3 - new)**2)
  call MPI_Allreduce(MPI_IN_PLACE, squares, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
  if (me == 0) call report(seconds / mine%steps, squares)
  call MPI_Finalize

contains

  integer function neighbour(dimension, side)
    integer, intent(in) :: dimension, side
    integer :: other(2)
    other = mine%at
    other(dimension) = other(dimension) + side
    neighbour = MPI_PROC_NULL
    if (all(other >= 1 .and. other <= mine%images)) neighbour = other(1) - 1 + (other(2) - 1) * mine%images(1)
  end function

  subroutine exchange(u, left, right, below, above)
    real(dp), intent(inout) :: u(0:rows + 1, 0:columns + 1)
    integer, intent(in) :: left, right, below, above
    call swap(u(1, 1), left, u(rows + 1, 1), right, 1, row)
    call swap(u(rows, 1), right, u(0, 1), left, 1, row)
    call swap(u(1, 1), below, u(1, columns + 1), above, rows, MPI_DOUBLE_PRECISION)
    call swap(u(1, columns), above, u(1, 0), below, rows, MPI_DOUBLE_PRECISION)
  end subroutine

  subroutine swap(out, to, in, from, count, type)
    real(dp) :: out(*), in(*)
    integer, intent(in) :: to, from, count
    type(MPI_Datatype), intent(in) :: type
    call MPI_Sendrecv(out, count, type, to, 0, in, count, type, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  end subroutine

end program
