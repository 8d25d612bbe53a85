! MPI-IO through use mpi_f08; what it does is in neighbours.inc.
program fortran_caller
  use mpi_f08
  implicit none
  type(MPI_File) :: file
  type(MPI_Status) :: status
  include 'neighbours.inc'
end program
