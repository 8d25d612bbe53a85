! The cases of coarray.cpp in standard Fortran, for a peer: gfortran -fcoarray=lib over OpenCoarrays. Image 1 works on image 2.
! Prints the same records.
!   mpiexec -n 2 coarray_fortran [SECONDS FOR EACH CASE]
program coarray_fortran
  use, intrinsic :: iso_fortran_env, only: int64, real64
  implicit none
  integer, parameter :: most = 4 * 1024 * 1024 / 8
  real(real64), allocatable :: block(:)[:]
  real(real64) :: source(most), seconds
  integer :: sizes(8), i
  character(len=32) :: argument

  sizes = [8, 64, 512, 4096, 65536, 524288, 1048576, 4 * 1024 * 1024]
  seconds = 0.2
  if (command_argument_count() > 0) then
    call get_command_argument(1, argument)
    read (argument, *) seconds
  end if
  allocate (block(2 * most)[*])
  block = 0
  source = 1
  if (num_images() /= 2) error stop "coarray_fortran: run it on 2 images"
  sync all
  do i = 1, size(sizes)
    call measure("put ping-pong", sizes(i))
    call measure("put", sizes(i))
    call measure("get", sizes(i))
  end do
  call measure("strided put of 8 B", 8192)
  call measure("strided put of 8 B", 524288)
  if (this_image() == 1) print '(a)', '{"kind": "end"}'

contains

  subroutine work(name, n)
    character(*), intent(in) :: name
    integer, intent(in) :: n
    integer :: other

    select case (name)
    case ("put ping-pong")
      other = 3 - this_image()
      if (this_image() == 1) block(1:n)[2] = source(1:n)
      sync images (other)
      if (this_image() == 2) block(1:n)[1] = source(1:n)
      sync images (other)
    case ("put")
      if (n == 1) then
        block(1)[2] = source(1)
      else
        block(1:n)[2] = source(1:n)
      end if
      sync memory
    case ("get")
      if (n == 1) then
        source(1) = block(1)[2]
      else
        source(1:n) = block(1:n)[2]
      end if
    case ("strided put of 8 B")
      block(1:2 * n:2)[2] = source(1:n)
      sync memory
    end select
  end subroutine work

  function batch(name, n, repetitions) result(microseconds)
    character(*), intent(in) :: name
    integer, intent(in) :: n, repetitions
    real(real64) :: microseconds
    integer(int64) :: start, finish, rate
    integer :: i

    sync all
    call system_clock(start, rate)
    if (name == "put ping-pong" .or. this_image() == 1) then
      do i = 1, repetitions
        call work(name, n)
      end do
    end if
    call system_clock(finish)
    sync all
    microseconds = 1e6_real64 * real(finish - start, real64) / real(rate, real64) / repetitions
  end function batch

  subroutine measure(name, bytes)
    character(*), intent(in) :: name
    integer, intent(in) :: bytes
    real(real64), allocatable :: times(:)
    real(real64), allocatable :: fastest[:]
    integer :: repetitions, rounds, i

    allocate (fastest[*])
    fastest = batch(name, bytes / 8, 4)
    fastest = min(fastest, batch(name, bytes / 8, 4))
    sync all
    repetitions = max(1, min(10000, int(300 / max(fastest[1], 0.001_real64))))
    rounds = max(10, min(500, int(seconds * 1e6 / max(300.0_real64, fastest[1]))))
    sync all
    allocate (times(rounds))
    do i = 1, rounds
      times(i) = batch(name, bytes / 8, repetitions)
    end do
    if (this_image() == 1) then
      write (*, '(3a,i0,a)', advance='no') '{"kind":"cell","variant":"OpenCoarrays","operation":"', name, '","bytes":', bytes, &
        ',"slowest_us":['
      write (*, '(*(f14.5,:,","))', advance='no') times
      print '(a)', ']}'
    end if
  end subroutine measure

end program coarray_fortran
