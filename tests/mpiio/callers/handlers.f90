! An error handler of Fortran on a served file (the argument). Prints `ok` if it was called as the standard says.
program handlers
  implicit none
  include 'mpif.h'
  integer :: file, handler, failures, error, value, rank
  common /seen/ failures
  external remember
  integer :: status(MPI_STATUS_SIZE)
  integer(kind=MPI_OFFSET_KIND) :: place
  character(len=1024) :: name
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call get_command_argument(1, name)
  call MPI_File_open(MPI_COMM_WORLD, trim(name), MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, file, error)
  if (error /= MPI_SUCCESS) call MPI_Abort(MPI_COMM_WORLD, 1, error)
  failures = 0
  place = -1
  call MPI_File_create_errhandler(remember, handler, error)
  call MPI_File_set_errhandler(file, handler, error)
  call MPI_File_read_at(file, place, value, 1, MPI_INTEGER, status, error)
  if (error == MPI_SUCCESS .or. failures /= 1) call MPI_Abort(MPI_COMM_WORLD, 2, error)
  call MPI_File_set_errhandler(file, MPI_ERRORS_RETURN, error)
  call MPI_Errhandler_free(handler, error)
  call MPI_File_close(file, error)
  if (rank == 0) print '(a)', 'ok'
  call MPI_Finalize(error)
end program

! (MPICH gives it the file's address as C has it.)
subroutine remember(file, code)
  implicit none
  include 'mpif.h'
  integer :: file, code, failures
  common /seen/ failures
  if (code /= MPI_SUCCESS) failures = failures + 1
end subroutine
