! Ends in the way that its first argument names, on all nodes or ("last") on the last one while the others sleep.
module values
contains
  integer function stops()
    stops = 1
    stop 3
  end function
end module
program endings
  use mpi
  use xmp_lib
  use values
  implicit none
  character(20) :: how, who, text
  integer :: i, error, provided
!$xmp nodes p(*)
!$xmp template t(100)
!$xmp distribute t(block) onto p
  real :: a(100)
!$xmp align a(i) with t(i)
  call get_command_argument(1, how)
  call get_command_argument(2, who)
  open (20, file='written-'//achar(iachar('0') + xmp_node_num()))
  write (20, *) 'before'
  print *, 'before'
  if (who == 'last' .and. xmp_node_num() < xmp_num_nodes()) call sleep(60)
  select case (how)
  case ('end-of-file')
    open (10, file='/dev/null', status='old', action='read')
    read (10, *) i
  case ('format')
    text = '(Q7)'
    write (*, text) 5
  case ('stop-in-a-list')
    print *, 'a', stops()
  case ('error-stop')
    error stop 'wrong'
  case ('exit-5')
    call exit(5)
  case ('abort')
    call abort
  case ('mpi')
    call MPI_Init(error)
    call MPI_Init_thread(MPI_THREAD_SINGLE, provided, error)
    call MPI_Comm_size(MPI_COMM_WORLD, i, error)
    if (provided < MPI_THREAD_SERIALIZED .or. i /= xmp_num_nodes()) error stop 'MPI'
    call MPI_Finalize(error)
!$xmp barrier
  end select
end program
