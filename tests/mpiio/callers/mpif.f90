! MPI-IO through mpif.h: each rank writes 500 integers of the file, collectively and not, and reads its neighbour's.
program fortran_caller
  implicit none
  include 'mpif.h'
  integer, parameter :: n = 500
  integer :: rank, size, error, i, values(n), count, neighbour
  integer :: file
  integer :: status(MPI_STATUS_SIZE)
  integer(kind=MPI_OFFSET_KIND) :: place
  character(len=1024) :: name
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, size, error)
  call get_command_argument(1, name)
  values = [(rank * n + i - 1, i = 1, n)]
  call MPI_File_open(MPI_COMM_WORLD, trim(name), MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, file, error)
  if (error /= MPI_SUCCESS) call MPI_Abort(MPI_COMM_WORLD, 1, error)
  place = 4 * n * rank
  call MPI_File_write_at_all(file, place, values, n / 2, MPI_INTEGER, status, error)
  if (error /= MPI_SUCCESS) call MPI_Abort(MPI_COMM_WORLD, 2, error)
  place = place + 4 * (n / 2)
  call MPI_File_write_at(file, place, values(n / 2 + 1), n / 2, MPI_INTEGER, status, error)
  call MPI_Get_count(status, MPI_INTEGER, count, error)
  if (count /= n / 2) call MPI_Abort(MPI_COMM_WORLD, 3, error)
  call MPI_File_sync(file, error)
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call MPI_File_sync(file, error)
  neighbour = mod(rank + 1, size)
  place = 4 * n * neighbour
  call MPI_File_seek(file, place, MPI_SEEK_SET, error)
  call MPI_File_read(file, values, n, MPI_INTEGER, status, error)
  if (any(values /= [(neighbour * n + i - 1, i = 1, n)])) call MPI_Abort(MPI_COMM_WORLD, 4, error)
  call MPI_File_close(file, error)
  if (error /= MPI_SUCCESS .or. file /= MPI_FILE_NULL) call MPI_Abort(MPI_COMM_WORLD, 5, error)
  if (rank == 0) print '(a,i0,a)', 'wrote ', size * n, ' integers'
  call MPI_Finalize(error)
end program
