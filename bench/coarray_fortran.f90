! Coarrays of standard Fortran, compiled by gfortran -fcoarray=lib, over any library behind that. Image 1 works on image 2.
! Prints records (records.h). With `limit` also the same copies within one image, as what is left when nothing is to be done
! beside the copy.
!   mpiexec -n 2 coarray_fortran [SECONDS FOR EACH CASE [limit]]
program coarray_fortran
  use, intrinsic :: iso_fortran_env, only: int64, real32, real64
  implicit none
  integer, parameter :: most = 4*1024*1024/8
  type object
    real(real64) :: element = 0
    real(real64), allocatable :: elements(:)
  end type
  real(real64), allocatable :: block(:)[:]
  type(object), save :: parts[*]
  real(real64) :: source(most), copy(2*most), seconds
  real(real32) :: singles(512)
  integer :: sizes(8), i, counted = 0
  character(len=32) :: argument

  sizes = [8, 64, 512, 4096, 65536, 524288, 1048576, 4*1024*1024]
  seconds = 0.2
  if (command_argument_count() > 0) then
    call get_command_argument(1, argument)
    read (argument, *) seconds
  end if
  allocate (block(2*most)[*])
  allocate (parts%elements(512))
  block = 0
  parts%elements = 0
  source = 1
  copy = 1
  singles = 1
  if (num_images() /= 2) error stop "coarray_fortran: run it on 2 images"
  sync all
  do i = 1, size(sizes)
    call measure("put ping-pong", sizes(i))
    call measure("put", sizes(i))
    call measure("get", sizes(i))
  end do
  call measure("put without sync memory", 8)
  call measure("sync memory", 0)
  call measure("strided put of 8 B", 8192)
  call measure("strided put of 8 B", 524288)
  call measure("strided get of 8 B", 8192)
  call measure("strided get of 8 B", 524288)
  call measure("vector get of 8 B", 512)
  call measure("put of real(4) to real(8)", 4096)
  call measure("get of a component", 8)
  call measure("put of a component", 8)
  call measure("get of an allocatable component", 8)
  call measure("get of an allocatable component", 4096)
  call measure("put of an allocatable component", 8)
  call measure("put of an allocatable component", 4096)
  call measure("get from oneself", 8)
  call measure("this_image and num_images", 8)
  call measure("sync all", 0)
  if (command_argument_count() > 1) call measure_limits
  if (this_image() == 1) print '(a)', '{"kind": "end"}'
  if (counted < 0) print *, counted

contains

  ! Each case has its own loop: choosing one takes longer than the fastest of them.
  subroutine work(name, n, repetitions)
    character(*), intent(in) :: name
    integer, intent(in) :: n, repetitions
    integer :: other, k, i
    integer, save :: subscripts(64) = [(65 - i, i=1, 64)]

    select case (name)
    case ("put ping-pong")
      other = 3 - this_image()
      do k = 1, repetitions
        if (this_image() == 1) block(1:n)[2] = source(1:n)
        sync images (other)
        if (this_image() == 2) block(1:n)[1] = source(1:n)
        sync images (other)
      end do
    case ("put")
      do k = 1, repetitions
        if (n == 1) then
          block(1)[2] = source(1)
        else
          block(1:n)[2] = source(1:n)
        end if
        sync memory
      end do
    case ("get")
      do k = 1, repetitions
        if (n == 1) then
          source(1) = block(1)[2]
        else
          source(1:n) = block(1:n)[2]
        end if
      end do
    case ("put without sync memory")
      do k = 1, repetitions
        block(1)[2] = source(1)
      end do
    case ("sync memory")
      do k = 1, repetitions
        sync memory
      end do
    case ("strided put of 8 B")
      do k = 1, repetitions
        block(1:2*n:2)[2] = source(1:n)
        sync memory
      end do
    case ("strided get of 8 B")
      do k = 1, repetitions
        source(1:n) = block(1:2*n:2)[2]
      end do
    case ("vector get of 8 B")
      do k = 1, repetitions
        source(1:64) = block(subscripts)[2]
      end do
    case ("put of real(4) to real(8)")
      do k = 1, repetitions
        block(1:n)[2] = singles(1:n)
        sync memory
      end do
    case ("get of a component")
      do k = 1, repetitions
        source(1) = parts[2]%element
      end do
    case ("put of a component")
      do k = 1, repetitions
        parts[2]%element = source(1)
        sync memory
      end do
    case ("get of an allocatable component")
      do k = 1, repetitions
        if (n == 1) then
          source(1) = parts[2]%elements(1)
        else
          source(1:n) = parts[2]%elements(1:n)
        end if
      end do
    case ("put of an allocatable component")
      do k = 1, repetitions
        if (n == 1) then
          parts[2]%elements(1) = source(1)
        else
          parts[2]%elements(1:n) = source(1:n)
        end if
        sync memory
      end do
    case ("get from oneself")
      do k = 1, repetitions
        source(1) = block(1)[1]
      end do
    case ("this_image and num_images")
      do k = 1, repetitions
        counted = counted + this_image() + num_images()
      end do
    case ("sync all")
      do k = 1, repetitions
        sync all
      end do
    end select
  end subroutine work

  ! Both images take part in some, image 1 alone in others.
  logical function together(name)
    character(*), intent(in) :: name
    together = name == "put ping-pong" .or. name == "sync all"
  end function

  function batch(name, n, repetitions) result(microseconds)
    character(*), intent(in) :: name
    integer, intent(in) :: n, repetitions
    real(real64) :: microseconds
    integer(int64) :: start, finish, rate

    sync all
    call system_clock(start, rate)
    if (together(name) .or. this_image() == 1) then
      call work(name, n, repetitions)
    end if
    call system_clock(finish)
    sync all
    microseconds = 1e6_real64*real(finish - start, real64)/real(rate, real64)/repetitions
  end function batch

  subroutine measure(name, bytes)
    character(*), intent(in) :: name
    integer, intent(in) :: bytes
    real(real64), allocatable :: times(:)
    real(real64), allocatable :: fastest[:]
    integer :: repetitions, rounds, i

    allocate (fastest[*])
    fastest = batch(name, bytes/8, 4)
    fastest = min(fastest, batch(name, bytes/8, 4))
    sync all
    repetitions = max(1, min(10000, int(300/max(fastest[1], 0.001_real64))))
    rounds = max(10, min(500, int(seconds*1e6/max(300.0_real64, fastest[1]))))
    sync all
    allocate (times(rounds))
    do i = 1, rounds
      times(i) = batch(name, bytes/8, repetitions)
    end do
    if (this_image() == 1) call report(name, bytes, "", times)
  end subroutine measure

  subroutine report(name, bytes, variant, times)
    character(*), intent(in) :: name, variant
    integer, intent(in) :: bytes
    real(real64), intent(in) :: times(:)

    write (*, '(3a,i0,2a)', advance='no') '{"kind":"cell","operation":"', name, '","bytes":', bytes, variant, ',"slowest_us":['
    write (*, '(*(f14.5,:,","))', advance='no') times
    print '(a)', ']}'
  end subroutine report

  ! Of image 1 alone.
  subroutine measure_limits
    integer :: i

    do i = 1, merge(size(sizes), 0, this_image() == 1)
      call measure_limit("put", sizes(i), 1)
      call measure_limit("get", sizes(i), 1)
    end do
    if (this_image() == 1) then
      call measure_limit("strided put of 8 B", 8192, 2)
      call measure_limit("strided put of 8 B", 524288, 2)
      call measure_limit("strided get of 8 B", 8192, 2)
      call measure_limit("strided get of 8 B", 524288, 2)
    end if
    sync all
  end subroutine measure_limits

  subroutine measure_limit(name, bytes, stride)
    character(*), intent(in) :: name
    integer, intent(in) :: bytes, stride
    real(real64) :: times(max(10, min(500, int(seconds*1e6/300))))
    integer(int64) :: start, finish, rate
    integer :: i, k, repetitions

    repetitions = max(1, min(10000, 3000000/bytes))
    do i = 1, size(times)
      call system_clock(start, rate)
      do k = 1, repetitions
        if (index(name, "put") > 0) then
          call copy_elements(copy, stride, source, 1, bytes/8)
        else
          call copy_elements(source, 1, copy, stride, bytes/8)
        end if
      end do
      call system_clock(finish)
      times(i) = 1e6_real64*real(finish - start, real64)/real(rate, real64)/repetitions
    end do
    call report(name, bytes, ',"variant":"limit"', times)
  end subroutine measure_limit

  subroutine copy_elements(to, to_stride, from, from_stride, n)
    integer, intent(in) :: to_stride, from_stride, n
    real(real64), intent(inout) :: to(n*to_stride)
    real(real64), intent(in) :: from(n*from_stride)

    if (to_stride == 1 .and. from_stride == 1) then
      to(1:n) = from(1:n)
    else
      to(::to_stride) = from(::from_stride)
    end if
  end subroutine copy_elements

end program coarray_fortran
