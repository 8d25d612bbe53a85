! MPI-IO through use mpi; what it does is in neighbours.inc.
program fortran_caller
  use mpi
  implicit none
  integer :: file
  integer :: status(MPI_STATUS_SIZE)
  include 'neighbours.inc'
end program
