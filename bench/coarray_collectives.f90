! co_sum and co_broadcast beside MPI_Allreduce and MPI_Bcast, which take turns in one program, and MPI's once more as A/A. Image 1
! prints `name bytes microseconds over_MPI A/A`, of medians.
!   hosts.py 1,1 xmprun -n 2 ./coarray_collectives [SECONDS FOR EACH LINE]
program coarray_collectives
  use iso_fortran_env
  use mpi
  implicit none
  integer, parameter :: most = 2*1024*1024/8, bursts = 500
  real(8), parameter :: burst = 0.002
  real(8), allocatable :: values(:)
  real(8) :: seconds = 1, took(bursts, 3)
  character(20) :: argument
  integer :: bytes, error
  if (command_argument_count() > 0) then
    call get_command_argument(1, argument)
    read (argument, *) seconds
  end if
  allocate (values(most), source=0d0)
  bytes = 8
  do while (bytes <= 8*most)
    call measure('co_sum', .true., bytes/8)
    call measure('co_broadcast', .false., bytes/8)
    bytes = bytes*8
  end do

contains

  subroutine measure(name, reduces, n)
    character(*), intent(in) :: name
    logical, intent(in) :: reduces
    integer, intent(in) :: n
    real(8) :: first, longest
    integer :: done, over, count
    count = 1
    over = 0
    first = MPI_Wtime()
    do done = 1, bursts
      call take_turns(reduces, n, count, took(done, :))
      if (done == 1) longest = maxval(took(1, :))
      if (done == 1) call co_max(longest)
      count = max(1, min(1000, int(burst/longest)))
      over = merge(1, 0, MPI_Wtime() - first > seconds)
      call co_max(over)
      if (over /= 0) exit
    end do
    done = min(done, bursts)
    if (this_image() == 1) print '(a, t15, i10, f12.3, 2f8.2)', name, 8*n, median(took(:done, 1))*1d6, &
      median(took(:done, 1)/took(:done, 2)), median(took(:done, 3)/took(:done, 2))
  end subroutine

  subroutine take_turns(reduces, n, count, took)
    logical, intent(in) :: reduces
    integer, intent(in) :: n, count
    real(8), intent(out) :: took(3)
    real(8) :: begin
    integer :: way
    do way = 1, 3  ! ours, MPI's, MPI's again
      call MPI_Barrier(MPI_COMM_WORLD, error)
      begin = MPI_Wtime()
      call repeat_it(reduces, way == 1, n, count)
      took(way) = (MPI_Wtime() - begin)/count
    end do
  end subroutine

  subroutine repeat_it(reduces, ours, n, count)
    logical, intent(in) :: reduces, ours
    integer, intent(in) :: n, count
    integer :: i
    do i = 1, count
      if (reduces) values(:n) = 1
      if (reduces .and. ours) then
        call co_sum(values(:n))
      else if (reduces) then
        call MPI_Allreduce(MPI_IN_PLACE, values, n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
      else if (ours) then
        call co_broadcast(values(:n), 1 + mod(i, num_images()))
      else
        call MPI_Bcast(values, n, MPI_DOUBLE_PRECISION, mod(i, num_images()), MPI_COMM_WORLD, error)
      end if
    end do
  end subroutine

  real(8) function median(numbers)
    real(8), intent(in) :: numbers(:)
    real(8) :: sorted(size(numbers)), one
    integer :: i, j
    sorted = numbers
    do i = 2, size(sorted)
      one = sorted(i)
      j = i - 1
      do while (j >= 1)
        if (sorted(j) <= one) exit
        sorted(j + 1) = sorted(j)
        j = j - 1
      end do
      sorted(j + 1) = one
    end do
    median = sorted((size(sorted) + 1)/2)
  end function

end program
