! Tasks and distributed loops: which iterations a node has, what it does around them, identities of reductions.
module kumihimo_loops
  use, intrinsic :: iso_c_binding, only: c_int
  use, intrinsic :: iso_fortran_env, only: int8, int16, int32, int64, real32, real64
  use kumihimo_records
  implicit none
  private

  type, bind(c), public :: XMP_Task
    type(xmp_object) :: set = xmp_null
    integer(c_int) :: member = 0, entered = 0
  end type

  ! This node's iterations of a loop: a progression, or the positions of one block of a cyclic dimension.
  type, bind(c), public :: XMP_Iterations
    integer(XMP_INDEX) :: first = 0, last = -1, step = 1, count = 0, position = 0, position_step = 1, round = 0
  end type

  type, bind(c), public :: XMP_Blocks  ! the state of a loop over the blocks of a cyclic dimension: the runtime's
    private
    type(xmp_object) :: target = xmp_null
    integer(c_int) :: dimension = 0
    integer(XMP_INDEX) :: state(10) = 0
  end type

  ! This node's iterations, and the loop variable's value after all of them. Values of one kind: gfortran compiles such a call four
  ! times as fast as one with an array constructor.
  interface XMP_Loop
    procedure loop_int32, loop_int64
  end interface
  interface XMP_Loop_nodes
    procedure loop_nodes_int32, loop_nodes_int64
  end interface
  interface XMP_Lowest  ! identity of max
    procedure lowest_int8, lowest_int16, lowest_int32, lowest_int64, lowest_real32, lowest_real64
  end interface
  interface XMP_Highest  ! identity of min
    procedure highest_int8, highest_int16, highest_int32, highest_int64, highest_real32, highest_real64
  end interface

  public :: XMP_Loop, XMP_Loop_nodes, XMP_Lowest, XMP_Highest, XMP_Iterate, XMP_Loop_blocks, XMP_Expand, XMP_Margin, &
            XMP_Loop_reduction, XMP_Task_leave, XMP_Loop_set, XMP_Loop_reduction_located, XMP_Task_prepare, XMP_Task_enter, &
            XMP_Loop_next, XMP_Final, XMP_Own_values

  interface
    ! range here and below: first, last and step of the loop, and the offset of its on clause. nodes: 1 on a node array.
    subroutine XMP_Iterate(own, site, object, nodes, dimension, range) bind(c, name="XMP_Fortran_iterate")
      import :: xmp_object, XMP_Iterations, XMP_INDEX, c_int
      type(XMP_Iterations), intent(out) :: own
      type(xmp_object), value :: site, object
      integer(c_int), value :: nodes, dimension
      integer(XMP_INDEX), intent(in) :: range(4)
    end subroutine

    subroutine XMP_Loop_blocks(blocks, site, target, dimension, range) bind(c, name="XMP_Fortran_blocks")
      import :: xmp_object, XMP_Blocks, XMP_INDEX, c_int
      type(XMP_Blocks), intent(out) :: blocks
      type(xmp_object), value :: site, target
      integer(c_int), value :: dimension
      integer(XMP_INDEX), intent(in) :: range(4)
    end subroutine

    integer(c_int) function next_block(blocks, own) bind(c, name="XMP_Fortran_next_block")
      import :: XMP_Blocks, XMP_Iterations, c_int
      type(XMP_Blocks), intent(inout) :: blocks
      type(XMP_Iterations), intent(inout) :: own
    end function

    ! widths: before the loop's first and behind its last iteration, and whether they may lie outside the loop's range.
    subroutine XMP_Expand(wide, own, range, widths) bind(c, name="XMP_Fortran_expand")
      import :: XMP_Iterations, XMP_INDEX
      type(XMP_Iterations), intent(out) :: wide
      type(XMP_Iterations), intent(in) :: own
      integer(XMP_INDEX), intent(in) :: range(4), widths(3)
    end subroutine

    subroutine XMP_Margin(part, piece, loop, own, range, widths) bind(c, name="XMP_Fortran_margin")
      import :: XMP_Iterations, XMP_INDEX, c_int
      type(XMP_Iterations), intent(out) :: part
      integer(c_int), value :: piece, loop
      type(XMP_Iterations), intent(in) :: own
      integer(XMP_INDEX), intent(in) :: range(4), widths(3)
    end subroutine

    subroutine loop_reduction(site, on, index_dimensions, operation, variable, before) &
      bind(c, name="XMP_Fortran_loop_reduction")
      import :: xmp_object, XMP_Reference, c_int
      type(xmp_object), value :: site
      type(XMP_Reference), intent(in) :: on
      integer(c_int), value :: index_dimensions, operation
      type(*), dimension(..), intent(inout) :: variable
      type(*), intent(inout) :: before(*)
    end subroutine

    subroutine loop_located(site, on, index_dimensions, operation, variable, before, iteration, count, found, locations) &
      bind(c, name="XMP_Fortran_loop_reduction_located")
      import :: xmp_object, XMP_Reference, XMP_Side, XMP_INDEX, c_int
      type(xmp_object), value :: site
      type(XMP_Reference), intent(in) :: on
      integer(c_int), value :: index_dimensions, operation, count
      type(*), dimension(..), intent(inout) :: variable
      type(*), intent(inout) :: before(*)
      integer(XMP_INDEX), value :: iteration
      type(XMP_Side), intent(in) :: found(*), locations(*)
    end subroutine

    subroutine prepare(task, site, on, flags) bind(c, name="XMP_Fortran_task")
      import :: xmp_object, XMP_Reference, XMP_Task, c_int
      type(XMP_Task), intent(out) :: task
      type(xmp_object), value :: site
      type(XMP_Reference), intent(in), optional :: on
      integer(c_int), value :: flags
    end subroutine

    integer(c_int) function enter(task) bind(c, name="XMP_Task_enter")
      import :: XMP_Task, c_int
      type(XMP_Task), intent(inout) :: task
    end function

    subroutine XMP_Task_leave(task) bind(c, name="XMP_Task_leave")
      import :: XMP_Task
      type(XMP_Task), intent(inout) :: task
    end subroutine

    ! Enters the set that executes the loop's iterations where push is 1; task%member says whether this node takes part.
    subroutine XMP_Loop_set(task, site, on, index_dimensions, push) bind(c, name="XMP_Fortran_loop_set")
      import :: xmp_object, XMP_Reference, XMP_Task, c_int
      type(XMP_Task), intent(out) :: task
      type(xmp_object), value :: site
      type(XMP_Reference), intent(in) :: on
      integer(c_int), value :: index_dimensions, push
    end subroutine

    subroutine iterations(site, object, nodes, dimension, begin, end, step, offset, result) bind(c, name="XMP_Fortran_loop")
      import :: xmp_object, XMP_INDEX, c_int
      type(xmp_object), value :: site, object
      integer(c_int), value :: nodes, dimension
      integer(XMP_INDEX), value :: begin, end, step, offset
      integer(XMP_INDEX), intent(out) :: result(3)
    end subroutine
  end interface

contains

  ! The reduction clause of a loop: combines the nodes' partial results in `variable`, then with the value before the loop. Not a
  ! procedure of C, for which the compiler would describe the variable to C in each call.
  subroutine XMP_Loop_reduction(site, on, index_dimensions, operation, variable, before)
    type(xmp_object), intent(in) :: site
    type(XMP_Reference), intent(in) :: on
    integer, intent(in) :: index_dimensions, operation
    type(*), dimension(..), intent(inout) :: variable
    type(*), intent(inout) :: before(*)
    call loop_reduction(site, on, index_dimensions, operation, variable, before)
  end subroutine

  ! firstmax and its like. iteration: the number of the one that set `variable`, in the serial order, -1: none; found: this node's
  ! location variables; locations: the user's.
  subroutine XMP_Loop_reduction_located(site, on, index_dimensions, operation, variable, before, iteration, found, locations)
    type(xmp_object), intent(in) :: site
    type(XMP_Reference), intent(in) :: on
    integer, intent(in) :: index_dimensions, operation
    type(*), dimension(..), intent(inout) :: variable
    type(*), intent(inout) :: before(*)
    integer(XMP_INDEX), intent(in) :: iteration
    type(XMP_Side), intent(in) :: found(:), locations(:)
    call loop_located(site, on, index_dimensions, operation, variable, before, iteration, size(found), found, locations)
  end subroutine

  subroutine XMP_Task_prepare(task, site, on, flags)
    type(XMP_Task), intent(out) :: task
    type(xmp_object), intent(in) :: site
    type(XMP_Reference), intent(in), optional :: on
    integer, intent(in), optional :: flags
    integer(c_int) :: given
    given = 0
    if (present(flags)) given = flags
    call prepare(task, site, on, given)
  end subroutine

  logical function XMP_Task_enter(task)
    type(XMP_Task), intent(inout) :: task
    XMP_Task_enter = enter(task) /= 0
  end function

  subroutine loop_int32(site, target, dimension, begin, end, step, offset, first, last, final)
    type(xmp_object), intent(in) :: site, target
    integer, intent(in) :: dimension
    integer(XMP_INDEX), value :: begin, end, step, offset
    integer(int32), intent(out) :: first, last, final
    integer(XMP_INDEX) :: result(3)
    call iterations(site, target, 0, dimension, begin, end, step, offset, result)
    first = int(result(1), int32)
    last = int(result(2), int32)
    final = int(result(3), int32)
  end subroutine

  subroutine loop_int64(site, target, dimension, begin, end, step, offset, first, last, final)
    type(xmp_object), intent(in) :: site, target
    integer, intent(in) :: dimension
    integer(XMP_INDEX), value :: begin, end, step, offset
    integer(int64), intent(out) :: first, last, final
    integer(XMP_INDEX) :: result(3)
    call iterations(site, target, 0, dimension, begin, end, step, offset, result)
    first = result(1)
    last = result(2)
    final = result(3)
  end subroutine

  subroutine loop_nodes_int32(site, nodes, dimension, begin, end, step, offset, first, last, final)
    type(xmp_object), intent(in) :: site, nodes
    integer, intent(in) :: dimension
    integer(XMP_INDEX), value :: begin, end, step, offset
    integer(int32), intent(out) :: first, last, final
    integer(XMP_INDEX) :: result(3)
    call iterations(site, nodes, 1, dimension, begin, end, step, offset, result)
    first = int(result(1), int32)
    last = int(result(2), int32)
    final = int(result(3), int32)
  end subroutine

  subroutine loop_nodes_int64(site, nodes, dimension, begin, end, step, offset, first, last, final)
    type(xmp_object), intent(in) :: site, nodes
    integer, intent(in) :: dimension
    integer(XMP_INDEX), value :: begin, end, step, offset
    integer(int64), intent(out) :: first, last, final
    integer(XMP_INDEX) :: result(3)
    call iterations(site, nodes, 1, dimension, begin, end, step, offset, result)
    first = result(1)
    last = result(2)
    final = result(3)
  end subroutine

  logical function XMP_Loop_next(blocks, own)
    type(XMP_Blocks), intent(inout) :: blocks
    type(XMP_Iterations), intent(inout) :: own
    XMP_Loop_next = next_block(blocks, own) /= 0
  end function

  ! The values of a counting loop that this node has, in the order of their positions.
  subroutine XMP_Own_values(values, site, target, dimension, range)
    integer(XMP_INDEX), allocatable, intent(out) :: values(:)
    type(xmp_object), intent(in) :: site, target
    integer, intent(in) :: dimension
    integer(XMP_INDEX), intent(in) :: range(4)
    type(XMP_Blocks) :: all, left
    type(XMP_Iterations) :: own
    integer(XMP_INDEX) :: total, k
    call XMP_Loop_blocks(all, site, target, dimension, range)
    total = 0
    left = all
    do while (XMP_Loop_next(left, own))
      total = total + own%count
    end do
    allocate (values(total))
    total = 0
    left = all
    do while (XMP_Loop_next(left, own))
      values(total + 1:total + own%count) = [(own%first + k * own%step, k = 0, own%count - 1)]
      total = total + own%count
    end do
  end subroutine

  pure integer(XMP_INDEX) function XMP_Final(range)  ! the loop variable's value after a serial loop
    integer(XMP_INDEX), intent(in) :: range(4)
    XMP_Final = range(1) + max(0_XMP_INDEX, (range(2) - range(1) + range(3)) / range(3)) * range(3)
  end function

  elemental integer(int8) function lowest_int8(x)
    integer(int8), intent(in) :: x
    lowest_int8 = not(huge(x))
  end function

  elemental integer(int8) function highest_int8(x)
    integer(int8), intent(in) :: x
    highest_int8 = huge(x)
  end function

  elemental integer(int16) function lowest_int16(x)
    integer(int16), intent(in) :: x
    lowest_int16 = not(huge(x))
  end function

  elemental integer(int16) function highest_int16(x)
    integer(int16), intent(in) :: x
    highest_int16 = huge(x)
  end function

  elemental integer(int32) function lowest_int32(x)
    integer(int32), intent(in) :: x
    lowest_int32 = not(huge(x))
  end function

  elemental integer(int32) function highest_int32(x)
    integer(int32), intent(in) :: x
    highest_int32 = huge(x)
  end function

  elemental integer(int64) function lowest_int64(x)
    integer(int64), intent(in) :: x
    lowest_int64 = not(huge(x))
  end function

  elemental integer(int64) function highest_int64(x)
    integer(int64), intent(in) :: x
    highest_int64 = huge(x)
  end function

  elemental real(real32) function lowest_real32(x)
    real(real32), intent(in) :: x
    lowest_real32 = -highest_real32(x)
  end function

  ! Infinity by its bits: where a module uses ieee_arithmetic, gfortran keeps and restores the floating-point modes in each procedure
  ! that uses the module, for half a microsecond.
  elemental real(real32) function highest_real32(x)
    real(real32), intent(in) :: x
    highest_real32 = transfer(int(z'7F800000', int32), x)
  end function

  elemental real(real64) function lowest_real64(x)
    real(real64), intent(in) :: x
    lowest_real64 = -highest_real64(x)
  end function

  elemental real(real64) function highest_real64(x)
    real(real64), intent(in) :: x
    highest_real64 = transfer(int(z'7FF0000000000000', int64), x)
  end function
end module
