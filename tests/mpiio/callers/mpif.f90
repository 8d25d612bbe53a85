! MPI-IO through mpif.h; what it does is in neighbours.inc.
program fortran_caller
  implicit none
  include 'mpif.h'
  integer :: file
  integer :: status(MPI_STATUS_SIZE)
  include 'neighbours.inc'
end program
