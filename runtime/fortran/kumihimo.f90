! What programs translated by xmpf90 call, one call for each directive: generated.h in Fortran's words. You may write such calls by
! hand. Lists of dimensions stand in the user's order; node subscripts are coordinates from 0, template subscripts template
! indices, dimensions count from 0, as in generated.h.
module kumihimo_generated
  use, intrinsic :: iso_c_binding, only: xmp_object => c_ptr, xmp_null => c_null_ptr, c_null_char, c_int, c_int64_t, c_size_t, &
                                         c_char, c_loc, c_f_pointer
  use, intrinsic :: iso_fortran_env, only: int8, int16, int32, int64, real32, real64, output_unit, error_unit
  implicit none
  private
  public :: xmp_object, xmp_null

  integer, parameter, public :: XMP_ABI_VERSION = 1, XMP_INDEX = c_int64_t
  integer(XMP_INDEX), parameter, public :: XMP_REMAINING = -1  ! size `*` of nodes
  integer(XMP_INDEX), parameter, public :: XMP_OPEN = -huge(0_XMP_INDEX) - 1  ! where a dimension begins or ends
  integer, parameter, public :: XMP_NODES_ENTIRE = 0, XMP_NODES_EXECUTING = 1, XMP_NODES_PART = 2
  integer, parameter, public :: XMP_TASK_NOCOMM = 1, XMP_REFLECT_ORTHOGONAL = 1
  integer, parameter, public :: XMP_WIDTH_PLAIN = 0, XMP_WIDTH_FULL = 1, XMP_WIDTH_PERIODIC = 2
  integer, parameter, public :: XMP_SUM = 0, XMP_PRODUCT = 1, XMP_BAND = 2, XMP_BOR = 3, XMP_BXOR = 4, XMP_LAND = 5, XMP_LOR = 6, &
                                XMP_EQV = 7, XMP_NEQV = 8, XMP_MAX = 9, XMP_MIN = 10, XMP_FIRSTMAX = 11, XMP_FIRSTMIN = 12, &
                                XMP_LASTMAX = 13, XMP_LASTMIN = 14

  ! ---- references to nodes and templates ----
  type, bind(c), public :: XMP_Range
    integer(c_int) :: kind = 0
    integer(XMP_INDEX) :: first = 0, last = 0, step = 1
  end type
  type(XMP_Range), parameter, public :: XMP_ALL = XMP_Range(1, 0, 0, 1), XMP_OWN = XMP_Range(2, 0, 0, 1)

  type, bind(c), public :: XMP_Reference
    type(xmp_object) :: object = xmp_null
    integer(c_int) :: rank = 0
    type(XMP_Range) :: subscripts(7) = XMP_ALL
  end type

  ! ---- a variable or a part of one: a side of a gmove, a variable of a clause. The same record as Side in interface.c. ----
  type(XMP_Range), parameter, public :: XMP_WHOLE = XMP_Range(1, XMP_OPEN, XMP_OPEN, 1)
  type, bind(c), public :: XMP_Side
    type(xmp_object) :: array = xmp_null, address = xmp_null
    integer(c_int) :: type = 0
    integer(c_size_t) :: element_bytes = 0
    integer(c_int) :: rank = 0
    type(XMP_Range) :: subscripts(7) = XMP_WHOLE
    integer(XMP_INDEX) :: extents(7) = 0, strides(7) = 0
    character(kind=c_char) :: text(64) = c_null_char
  end type

  ! ---- mappings ----
  integer(XMP_INDEX), parameter :: XMP_NO_SIZE = -huge(0_XMP_INDEX) - 1  ! as in generated.h
  integer(c_int), parameter :: NOT_DISTRIBUTED = 2100, BLOCK = 2101, CYCLIC = 2102, GBLOCK = 2103  ! as in xmp.h
  type, bind(c), public :: XMP_Format
    integer(c_int) :: kind = NOT_DISTRIBUTED, onto = -1
    integer(XMP_INDEX) :: size = 0
    type(xmp_object) :: sizes = xmp_null
  end type
  type(XMP_Format), parameter, public :: XMP_FORMAT_NONE = XMP_Format(NOT_DISTRIBUTED, -1, 0, xmp_null)

  type, bind(c), public :: XMP_Align  ! onto: template dimension, -1 where collapsed
    integer(c_int) :: onto = -1
    integer(XMP_INDEX) :: offset = 0
  end type

  type, bind(c), public :: XMP_Width
    integer(XMP_INDEX) :: lower = 0, upper = 0
    integer(c_int) :: modifier = XMP_WIDTH_PLAIN
  end type

  ! What a procedure's objects were created with: the values of all that may differ at the next call.
  type, public :: XMP_Values
    private
    logical :: known = .false.
    integer(XMP_INDEX), allocatable :: values(:)
  end type

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

  interface XMP_Subscript  ! the position of an index of a cyclic dimension: what its array is subscripted by
    procedure subscript_int8, subscript_int16, subscript_int32, subscript_int64
  end interface
  interface XMP_Lbound  ! of the whole array, as for a serial program
    procedure lower_bound, lower_bounds
  end interface
  interface XMP_Ubound
    procedure upper_bound, upper_bounds
  end interface
  interface XMP_Size
    procedure extent, number_of_elements
  end interface
  interface XMP_At  ! one subscript
    procedure at_int32, at_int64
  end interface
  interface XMP_Element  ! one subscript of a side
    procedure at_int32, at_int64
  end interface
  interface XMP_On
    procedure on_whole, on_part
  end interface
  interface XMP_Format_gblock
    procedure gblock_sizes, gblock_deferred
  end interface
  interface XMP_Loop  ! this node's iterations, and the loop variable's value after all of them
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

  public :: XMP_First, XMP_Changed, XMP_Array_release, XMP_Template_release, XMP_Nodes_release, &
            XMP_Array_argument, XMP_Format_cyclic
  public :: XMP_Start, XMP_Site, XMP_At, XMP_From_to, XMP_On, XMP_Nodes_declare, XMP_Template_declare, XMP_Distribute, &
            XMP_Format_block, XMP_Format_gblock, XMP_Array_declare, XMP_Type, XMP_Task_prepare, XMP_Task_enter, XMP_Task_leave, &
            XMP_Loop, XMP_Loop_nodes, XMP_Loop_set, XMP_Loop_reduction, XMP_Lowest, XMP_Highest, XMP_Reduction, XMP_Bcast, &
            XMP_Reflect, XMP_Barrier, XMP_Wait_async, XMP_Subscript, XMP_Iterate, XMP_Final, XMP_Loop_blocks, XMP_Loop_next, &
            XMP_Expand, XMP_Margin, XMP_Template_fix, XMP_Array_allocate, XMP_Array_deallocate, XMP_Array_point, XMP_Size, &
            XMP_Shape, XMP_Lbound, XMP_Ubound, XMP_Loop_reduction_located, XMP_Reduce_shadow
  public :: XMP_Element, XMP_Section, XMP_Global, XMP_Memory, XMP_Gmove, XMP_Gmove_in, XMP_Gmove_out, XMP_Bcast_section, &
            XMP_Reduction_section, XMP_Reduction_located
  public :: XMP_Transpose, XMP_Matmul, XMP_Gather, XMP_Scatter, XMP_Pack, XMP_Unpack, XMP_Sort

  interface
    subroutine XMP_Array_deallocate(array) bind(c, name="XMP_Fortran_deallocate")  ! if it is allocated
      import :: xmp_object
      type(xmp_object), value :: array
    end subroutine

    ! `array => target`: from now on the pointer's object is the target's.
    subroutine XMP_Array_point(array, site, target) bind(c, name="XMP_Fortran_point")
      import :: xmp_object
      type(xmp_object), intent(inout) :: array
      type(xmp_object), value :: site, target
    end subroutine

    pure integer(c_int) function bound(array, dimension, upper) bind(c, name="XMP_Fortran_bound")
      import :: xmp_object, c_int
      type(xmp_object), value :: array
      integer(c_int), value :: dimension, upper
    end function

    pure integer(c_int) function rank_of(array) bind(c, name="XMP_Fortran_rank")
      import :: xmp_object, c_int
      type(xmp_object), value :: array
    end function

    pure integer(XMP_INDEX) function position(array, dimension, index) bind(c, name="XMP_Fortran_subscript")
      import :: xmp_object, XMP_INDEX, c_int
      type(xmp_object), value :: array
      integer(c_int), value :: dimension
      integer(XMP_INDEX), value :: index
    end function

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

    subroutine XMP_Array_release(array) bind(c, name="XMP_Array_release")
      import :: xmp_object
      type(xmp_object), intent(inout) :: array
    end subroutine

    subroutine XMP_Template_release(template) bind(c, name="XMP_Template_release")
      import :: xmp_object
      type(xmp_object), intent(inout) :: template
    end subroutine

    subroutine XMP_Nodes_release(nodes) bind(c, name="XMP_Nodes_release")
      import :: xmp_object
      type(xmp_object), intent(inout) :: nodes
    end subroutine

    subroutine XMP_Start(abi_version) bind(c, name="XMP_Fortran_start")
      import :: c_int
      integer(c_int), value :: abi_version
    end subroutine

    subroutine XMP_Reduction(site, operation, variable, on, async) bind(c, name="XMP_Fortran_reduction")
      import :: xmp_object, XMP_Reference, c_int
      type(xmp_object), value :: site
      integer(c_int), value :: operation
      type(*), dimension(..), intent(inout) :: variable
      type(XMP_Reference), intent(in), optional :: on
      integer(c_int), intent(in), optional :: async
    end subroutine

    ! The reduction clause of a loop: combines the nodes' partial results, then with the value before the loop.
    subroutine XMP_Loop_reduction(site, on, index_dimensions, operation, partial, variable) &
      bind(c, name="XMP_Fortran_loop_reduction")
      import :: xmp_object, XMP_Reference, c_int
      type(xmp_object), value :: site
      type(XMP_Reference), intent(in) :: on
      integer(c_int), value :: index_dimensions, operation
      type(*), dimension(..), intent(in) :: partial
      type(*), dimension(..), intent(inout) :: variable
    end subroutine

    subroutine loop_located(site, on, index_dimensions, operation, partial, variable, iteration, count, found, locations) &
      bind(c, name="XMP_Fortran_loop_reduction_located")
      import :: xmp_object, XMP_Reference, XMP_Side, XMP_INDEX, c_int
      type(xmp_object), value :: site
      type(XMP_Reference), intent(in) :: on
      integer(c_int), value :: index_dimensions, operation, count
      type(*), dimension(..), intent(in) :: partial
      type(*), dimension(..), intent(inout) :: variable
      integer(XMP_INDEX), value :: iteration
      type(XMP_Side), intent(in) :: found(*), locations(*)
    end subroutine

    subroutine reduce_shadow(site, count, arrays, widths, flags, async) bind(c, name="XMP_Fortran_reduce_shadow")
      import :: xmp_object, XMP_Width, c_int
      type(xmp_object), value :: site
      integer(c_int), value :: count, flags
      type(xmp_object), intent(in) :: arrays(*)
      type(XMP_Width), intent(in), optional :: widths(*)
      integer(c_int), intent(in), optional :: async
    end subroutine

    subroutine XMP_Bcast(site, variable, from, on, async) bind(c, name="XMP_Fortran_bcast")
      import :: xmp_object, XMP_Reference, c_int
      type(xmp_object), value :: site
      type(*), dimension(..), intent(inout) :: variable
      type(XMP_Reference), intent(in), optional :: from, on
      integer(c_int), intent(in), optional :: async
    end subroutine

    subroutine XMP_Reduction_section(site, operation, variable, on, async) bind(c, name="XMP_Fortran_reduction_section")
      import :: xmp_object, XMP_Reference, XMP_Side, c_int
      type(xmp_object), value :: site
      integer(c_int), value :: operation
      type(XMP_Side), intent(in) :: variable
      type(XMP_Reference), intent(in), optional :: on
      integer(c_int), intent(in), optional :: async
    end subroutine

    subroutine located(site, operation, variable, count, locations, on) bind(c, name="XMP_Fortran_reduction_located")
      import :: xmp_object, XMP_Reference, XMP_Side, c_int
      type(xmp_object), value :: site
      integer(c_int), value :: operation, count
      type(*), dimension(..), intent(inout) :: variable
      type(XMP_Side), intent(in) :: locations(*)
      type(XMP_Reference), intent(in), optional :: on
    end subroutine

    subroutine XMP_Bcast_section(site, variable, from, on, async) bind(c, name="XMP_Fortran_bcast_section")
      import :: xmp_object, XMP_Reference, XMP_Side, c_int
      type(xmp_object), value :: site
      type(XMP_Side), intent(in) :: variable
      type(XMP_Reference), intent(in), optional :: from, on
      integer(c_int), intent(in), optional :: async
    end subroutine

    ! left = right, as the directive gmove has it.
    subroutine XMP_Gmove(site, left, right, async) bind(c, name="XMP_Fortran_gmove")
      import :: xmp_object, XMP_Side, c_int
      type(xmp_object), value :: site
      type(XMP_Side), intent(in) :: left, right
      integer(c_int), intent(in), optional :: async
    end subroutine

    subroutine XMP_Gmove_in(site, left, right, async) bind(c, name="XMP_Fortran_gmove_in")
      import :: xmp_object, XMP_Side, c_int
      type(xmp_object), value :: site
      type(XMP_Side), intent(in) :: left, right
      integer(c_int), intent(in), optional :: async
    end subroutine

    subroutine XMP_Gmove_out(site, left, right, async) bind(c, name="XMP_Fortran_gmove_out")
      import :: xmp_object, XMP_Side, c_int
      type(xmp_object), value :: site
      type(XMP_Side), intent(in) :: left, right
      integer(c_int), intent(in), optional :: async
    end subroutine

    ! `target`: the address is used by the call that follows.
    subroutine memory(variable, side) bind(c, name="XMP_Fortran_memory")
      import :: XMP_Side
      type(*), dimension(..), target :: variable
      type(XMP_Side), intent(inout) :: side
    end subroutine

    ! ---- array functions ----
    subroutine XMP_Transpose(site, x, a, may_change_a) bind(c, name="XMP_Fortran_transpose")
      import :: xmp_object, XMP_Side, c_int
      type(xmp_object), value :: site
      type(XMP_Side), intent(in) :: x, a
      integer(c_int), value :: may_change_a
    end subroutine

    subroutine XMP_Matmul(site, x, a, b) bind(c, name="XMP_Fortran_matmul")
      import :: xmp_object, XMP_Side, c_int
      type(xmp_object), value :: site
      type(XMP_Side), intent(in) :: x, a, b
    end subroutine

    subroutine indexed(site, scatter, x, a, count, subscripts) bind(c, name="XMP_Fortran_indexed")
      import :: xmp_object, XMP_Side, c_int
      type(xmp_object), value :: site
      integer(c_int), value :: scatter, count
      type(XMP_Side), intent(in) :: x, a, subscripts(*)
    end subroutine

    subroutine XMP_Pack(site, v, a, mask) bind(c, name="XMP_Fortran_pack")
      import :: xmp_object, XMP_Side, c_int
      type(xmp_object), value :: site
      type(XMP_Side), intent(in) :: v, a
      type(XMP_Side), intent(in), optional :: mask
    end subroutine

    subroutine XMP_Unpack(site, a, v, mask) bind(c, name="XMP_Fortran_unpack")
      import :: xmp_object, XMP_Side, c_int
      type(xmp_object), value :: site
      type(XMP_Side), intent(in) :: a, v
      type(XMP_Side), intent(in), optional :: mask
    end subroutine

    subroutine XMP_Sort(site, v1, v2, descending) bind(c, name="XMP_Fortran_sort")
      import :: xmp_object, XMP_Side, c_int
      type(xmp_object), value :: site
      type(XMP_Side), intent(in) :: v1, v2
      integer(c_int), value :: descending
    end subroutine

    subroutine reflect(site, count, arrays, widths, flags, async) bind(c, name="XMP_Fortran_reflect")
      import :: xmp_object, XMP_Width, c_int
      type(xmp_object), value :: site
      integer(c_int), value :: count, flags
      type(xmp_object), intent(in) :: arrays(*)
      type(XMP_Width), intent(in), optional :: widths(*)
      integer(c_int), intent(in), optional :: async
    end subroutine

    subroutine XMP_Barrier(site, on) bind(c, name="XMP_Fortran_barrier")
      import :: xmp_object, XMP_Reference
      type(xmp_object), value :: site
      type(XMP_Reference), intent(in), optional :: on
    end subroutine

    subroutine wait_async(site, count, ids, on) bind(c, name="XMP_Fortran_wait_async")
      import :: xmp_object, XMP_Reference, c_int
      type(xmp_object), value :: site
      integer(c_int), value :: count
      integer(c_int), intent(in) :: ids(*)
      type(XMP_Reference), intent(in), optional :: on
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

    subroutine iterations(site, object, nodes, dimension, range, result) bind(c, name="XMP_Fortran_loop")
      import :: xmp_object, XMP_INDEX, c_int
      type(xmp_object), value :: site, object
      integer(c_int), value :: nodes, dimension
      integer(XMP_INDEX), intent(in) :: range(4)
      integer(XMP_INDEX), intent(out) :: result(3)
    end subroutine
  end interface

contains

  ! ---- sites ----
  type(xmp_object) function XMP_Site(file, line, directive)
    character(*), intent(in) :: file, directive
    integer, intent(in) :: line
    interface
      type(xmp_object) function site(file, line, directive) bind(c, name="XMP_Fortran_site")
        import :: xmp_object, c_int, c_char
        character(kind=c_char), intent(in) :: file(*), directive(*)
        integer(c_int), value :: line
      end function
    end interface
    XMP_Site = site(file // c_null_char, int(line, c_int), directive // c_null_char)
  end function

  ! ---- references ----
  pure type(XMP_Range) function at_int32(index)
    integer(int32), intent(in) :: index
    at_int32 = XMP_Range(0, index, index, 1)
  end function

  pure type(XMP_Range) function at_int64(index)
    integer(int64), intent(in) :: index
    at_int64 = XMP_Range(0, index, index, 1)
  end function

  pure type(XMP_Range) function XMP_From_to(range)  ! first, last, step
    integer(XMP_INDEX), intent(in) :: range(3)
    XMP_From_to = XMP_Range(0, range(1), range(2), range(3))
  end function

  pure type(XMP_Reference) function on_whole(object)
    type(xmp_object), intent(in) :: object
    on_whole%object = object
  end function

  pure type(XMP_Reference) function on_part(object, subscripts)
    type(xmp_object), intent(in) :: object
    type(XMP_Range), intent(in) :: subscripts(:)
    on_part%object = object
    on_part%rank = size(subscripts)
    on_part%subscripts(:size(subscripts)) = subscripts
  end function

  ! ---- sides ----
  pure type(XMP_Range) function XMP_Section(range)  ! first, last, step; XMP_OPEN where a bound is left out
    integer(XMP_INDEX), intent(in) :: range(3)
    XMP_Section = XMP_Range(1, range(1), range(2), range(3))
  end function

  ! A global array, or a part of it. text: as the user wrote it.
  pure type(XMP_Side) function XMP_Global(array, text, subscripts)
    type(xmp_object), intent(in) :: array
    character(*), intent(in) :: text
    type(XMP_Range), intent(in) :: subscripts(:)
    XMP_Global%array = array
    XMP_Global%rank = size(subscripts)
    XMP_Global%subscripts(:size(subscripts)) = subscripts
    call name_side(XMP_Global, text)
  end function

  ! A variable of each node, a part of it, a constant.
  type(XMP_Side) function XMP_Memory(variable, text)
    type(*), dimension(..), target :: variable
    character(*), intent(in) :: text
    call memory(variable, XMP_Memory)
    call name_side(XMP_Memory, text)
  end function

  pure subroutine name_side(side, text)
    type(XMP_Side), intent(inout) :: side
    character(*), intent(in) :: text
    integer :: at
    do at = 1, min(len(text), size(side%text) - 1)
      side%text(at) = text(at:at)
    end do
  end subroutine

  subroutine XMP_Gather(site, x, a, subscripts)
    type(xmp_object), intent(in) :: site
    type(XMP_Side), intent(in) :: x, a, subscripts(:)
    call indexed(site, 0, x, a, size(subscripts), subscripts)
  end subroutine

  subroutine XMP_Scatter(site, x, a, subscripts)
    type(xmp_object), intent(in) :: site
    type(XMP_Side), intent(in) :: x, a, subscripts(:)
    call indexed(site, 1, x, a, size(subscripts), subscripts)
  end subroutine

  ! max and min with location variables, which become what they are on the first node that has the value.
  subroutine XMP_Reduction_located(site, operation, variable, locations, on)
    type(xmp_object), intent(in) :: site
    integer, intent(in) :: operation
    type(*), dimension(..), intent(inout) :: variable
    type(XMP_Side), intent(in) :: locations(:)
    type(XMP_Reference), intent(in), optional :: on
    call located(site, operation, variable, size(locations), locations, on)
  end subroutine

  ! firstmax and its like. iteration: the number of the one that set `partial`, in the serial order, -1: none; found: this node's
  ! location variables; locations: the user's.
  subroutine XMP_Loop_reduction_located(site, on, index_dimensions, operation, partial, variable, iteration, found, locations)
    type(xmp_object), intent(in) :: site
    type(XMP_Reference), intent(in) :: on
    integer, intent(in) :: index_dimensions, operation
    type(*), dimension(..), intent(in) :: partial
    type(*), dimension(..), intent(inout) :: variable
    integer(XMP_INDEX), intent(in) :: iteration
    type(XMP_Side), intent(in) :: found(:), locations(:)
    call loop_located(site, on, index_dimensions, operation, partial, variable, iteration, size(found), found, locations)
  end subroutine

  ! ---- declarations ----
  ! Whether a program unit is executed for the first time.
  pure logical function XMP_First(known)
    type(XMP_Values), intent(in) :: known
    XMP_First = .not. known%known
  end function

  ! Whether the objects of a procedure must be created, at its first call or because a value is another one than last time.
  logical function XMP_Changed(known, values)
    type(XMP_Values), intent(inout) :: known
    integer(XMP_INDEX), intent(in) :: values(:)
    XMP_Changed = .true.
    if (known%known) then
      if (size(known%values) == size(values)) XMP_Changed = any(known%values /= values)
    end if
    if (.not. XMP_Changed) return
    known%known = .true.
    known%values = values
  end function

  subroutine XMP_Nodes_declare(nodes, site, name, sizes, of, part)
    type(xmp_object), intent(inout) :: nodes
    type(xmp_object), intent(in) :: site
    character(*), intent(in) :: name
    integer(XMP_INDEX), intent(in) :: sizes(:)
    integer, intent(in), optional :: of
    type(XMP_Reference), intent(in), optional :: part
    interface
      type(xmp_object) function declare(site, name, rank, sizes, of, part) bind(c, name="XMP_Fortran_nodes")
        import :: xmp_object, XMP_Reference, XMP_INDEX, c_int, c_char
        type(xmp_object), value :: site
        character(kind=c_char), intent(in) :: name(*)
        integer(c_int), value :: rank, of
        integer(XMP_INDEX), intent(in) :: sizes(*)
        type(XMP_Reference), intent(in), optional :: part
      end function
    end interface
    integer :: attribute
    attribute = XMP_NODES_ENTIRE
    if (present(of)) attribute = of
    if (present(part)) attribute = XMP_NODES_PART
    nodes = declare(site, name // c_null_char, size(sizes), sizes, attribute, part)
  end subroutine

  subroutine XMP_Template_declare(template, site, name, rank, bounds)  ! bounds: lower, upper of each dimension; absent: deferred
    type(xmp_object), intent(inout) :: template
    type(xmp_object), intent(in) :: site
    character(*), intent(in) :: name
    integer, intent(in) :: rank
    integer(XMP_INDEX), intent(in), optional :: bounds(:)
    interface
      type(xmp_object) function declare(site, name, order, rank, bounds) bind(c, name="XMP_Template_declare")
        import :: xmp_object, XMP_INDEX, c_int, c_char
        type(xmp_object), value :: site
        character(kind=c_char), intent(in) :: name(*)
        integer(c_int), value :: order, rank
        integer(XMP_INDEX), intent(in), optional :: bounds(*)
      end function
    end interface
    if (present(bounds)) then
      template = declare(site, name // c_null_char, 1, rank, bounds)
    else
      template = declare(site, name // c_null_char, 1, rank)
    end if
  end subroutine

  pure type(XMP_Format) function XMP_Format_block(onto, size)
    integer, intent(in) :: onto
    integer(XMP_INDEX), intent(in), optional :: size
    XMP_Format_block = sized(BLOCK, onto, size)
  end function

  pure type(XMP_Format) function XMP_Format_cyclic(onto, size)
    integer, intent(in) :: onto
    integer(XMP_INDEX), intent(in), optional :: size
    XMP_Format_cyclic = sized(CYCLIC, onto, size)
  end function

  pure type(XMP_Format) function sized(kind, onto, size)
    integer, intent(in) :: kind, onto
    integer(XMP_INDEX), intent(in), optional :: size
    sized%kind = kind
    sized%onto = onto
    if (.not. present(size)) return
    sized%size = merge(XMP_NO_SIZE, size, size == 0)  ! 0 is a mistake, not the default
  end function

  type(XMP_Format) function gblock_sizes(onto, sizes)  ! XMP_Distribute frees the copy
    integer, intent(in) :: onto
    integer(XMP_INDEX), intent(in) :: sizes(:)
    integer(c_int), pointer :: copy(:)
    allocate (copy(size(sizes)))
    copy = int(sizes, c_int)
    gblock_sizes = XMP_Format(GBLOCK, onto, size(sizes), c_loc(copy))
  end function

  pure type(XMP_Format) function gblock_deferred(onto)
    integer, intent(in) :: onto
    gblock_deferred = XMP_Format(GBLOCK, onto, 0, xmp_null)
  end function

  subroutine XMP_Distribute(site, target, nodes, formats)
    type(xmp_object), intent(in) :: site, target, nodes
    type(XMP_Format), intent(in) :: formats(:)
    interface
      subroutine distribute(site, target, nodes, formats) bind(c, name="XMP_Distribute")
        import :: xmp_object, XMP_Format
        type(xmp_object), value :: site, target, nodes
        type(XMP_Format), intent(in) :: formats(*)
      end subroutine
    end interface
    call distribute(site, target, nodes, formats)
    call free_sizes(formats)
  end subroutine

  ! A template of deferred shape or gblock(*) gets its bounds (lower, upper of each dimension) or its formats.
  subroutine XMP_Template_fix(site, target, bounds, formats)
    type(xmp_object), intent(in) :: site, target
    integer(XMP_INDEX), intent(in), optional :: bounds(:)
    type(XMP_Format), intent(in), optional :: formats(:)
    interface
      subroutine fix(site, target, bounds, formats) bind(c, name="XMP_Template_fix")
        import :: xmp_object, XMP_Format, XMP_INDEX
        type(xmp_object), value :: site, target
        integer(XMP_INDEX), intent(in), optional :: bounds(*)
        type(XMP_Format), intent(in), optional :: formats(*)
      end subroutine
    end interface
    integer(XMP_INDEX), allocatable :: given(:)  ! unallocated: absent
    type(XMP_Format), allocatable :: given_formats(:)
    if (present(bounds)) given = bounds
    if (present(formats)) given_formats = formats
    call fix(site, target, given, given_formats)
    if (present(formats)) call free_sizes(formats)
  end subroutine

  subroutine free_sizes(formats)  ! of gblock
    type(XMP_Format), intent(in) :: formats(:)
    integer(c_int), pointer :: copy(:)
    integer :: d
    do d = 1, size(formats)
      if (formats(d)%kind /= GBLOCK .or. formats(d)%size == 0) cycle
      call c_f_pointer(formats(d)%sizes, copy, [formats(d)%size])
      deallocate (copy)
    end do
  end subroutine

  ! Element types of generated.h. base: integer, real, complex or logical, told apart by a letter, since each entry of a procedure
  ! asks; the kind of others is 0.
  pure integer function XMP_Type(base, kind)
    character(*), intent(in) :: base
    integer, intent(in) :: kind
    XMP_Type = 0
    select case (base(1:1))
    case ('i')
      if (kind == 1) XMP_Type = 3
      if (kind == 2) XMP_Type = 5
      if (kind == 4) XMP_Type = 7
      if (kind == 8) XMP_Type = 9
    case ('r')
      if (kind == 4) XMP_Type = 13
      if (kind == 8) XMP_Type = 14
    case ('c')
      if (kind == 4) XMP_Type = 16
      if (kind == 8) XMP_Type = 17
    case ('l')
      if (kind == 4) XMP_Type = 19
    end select
  end function

  subroutine XMP_Array_declare(array, site, name, type, element_bytes, bounds, target, align, shadow, common)
    type(xmp_object), intent(inout) :: array
    type(xmp_object), intent(in) :: site, target
    character(*), intent(in) :: name
    integer, intent(in) :: type, element_bytes
    integer(XMP_INDEX), intent(in) :: bounds(:)  ! lower, upper of each dimension; none: the program allocates it
    type(XMP_Align), intent(in) :: align(:)
    type(XMP_Width), intent(in), optional :: shadow(:)
    character(*), intent(in), optional :: common  ! its place there: all procedures share one array
    interface
      type(xmp_object) function declare(site, name, order, type, element_bytes, rank, bounds, target, align, shadow, common) &
        bind(c, name="XMP_Fortran_array")
        import :: xmp_object, XMP_Align, XMP_Width, XMP_INDEX, c_int, c_char, c_size_t
        type(xmp_object), value :: site, target
        character(kind=c_char), intent(in) :: name(*)
        integer(c_int), value :: order, type, rank
        integer(c_size_t), value :: element_bytes
        integer(XMP_INDEX), intent(in), optional :: bounds(*)
        type(XMP_Align), intent(in) :: align(*)
        type(XMP_Width), intent(in), optional :: shadow(*)
        character(kind=c_char), intent(in), optional :: common(*)
      end function
    end interface
    integer(c_size_t) :: bytes
    integer(XMP_INDEX), allocatable :: given(:)  ! unallocated: absent
    type(XMP_Width), allocatable :: widths(:)
    bytes = element_bytes
    if (size(bounds) > 0) given = bounds
    if (present(shadow)) widths = shadow
    if (present(common)) then
      array = declare(site, name // c_null_char, 1, type, bytes, size(align), given, target, align, widths, common // c_null_char)
    else
      array = declare(site, name // c_null_char, 1, type, bytes, size(align), given, target, align, widths)
    end if
  end subroutine

  ! A dummy argument: the array, of this or another mapping of the same elements, whose block begins where the argument does.
  subroutine XMP_Array_argument(array, site, name, type, element_bytes, bounds, target, align, argument, shadow)
    type(xmp_object), intent(inout) :: array
    type(xmp_object), intent(in) :: site, target
    character(*), intent(in) :: name
    integer, intent(in) :: type, element_bytes
    integer(XMP_INDEX), intent(in) :: bounds(:)
    type(XMP_Align), intent(in) :: align(:)
    type(*), intent(in) :: argument(*)
    type(XMP_Width), intent(in), optional :: shadow(:)
    interface
      type(xmp_object) function declare(site, name, order, type, element_bytes, rank, bounds, target, align, shadow, base) &
        bind(c, name="XMP_Array_argument")
        import :: xmp_object, XMP_Align, XMP_Width, XMP_INDEX, c_int, c_char, c_size_t
        type(xmp_object), value :: site, target
        character(kind=c_char), intent(in) :: name(*)
        integer(c_int), value :: order, type, rank
        integer(c_size_t), value :: element_bytes
        integer(XMP_INDEX), intent(in) :: bounds(*)
        type(XMP_Align), intent(in) :: align(*)
        type(XMP_Width), intent(in), optional :: shadow(*)
        type(*), intent(in) :: base(*)
      end function
    end interface
    integer(c_size_t) :: bytes
    type(XMP_Width), allocatable :: widths(:)
    bytes = element_bytes
    if (present(shadow)) widths = shadow
    call XMP_Array_release(array)  ! of the last call
    array = declare(site, name // c_null_char, 1, type, bytes, size(align), bounds, target, align, widths, argument)
  end subroutine

  ! What the program allocates itself. bounds: lower, upper of each dimension.
  subroutine XMP_Array_allocate(array, site, bounds)
    type(xmp_object), intent(in) :: array, site
    integer(XMP_INDEX), intent(in) :: bounds(:)
    interface
      type(xmp_object) function allocate_array(site, array, bounds) bind(c, name="XMP_Array_allocate")
        import :: xmp_object, XMP_INDEX
        type(xmp_object), value :: site, array
        integer(XMP_INDEX), intent(in) :: bounds(*)
      end function
    end interface
    type(xmp_object) :: block
    block = allocate_array(site, array, bounds)
  end subroutine

  ! ---- shapes of global arrays, which size() and the like would take for those of the node's block ----
  pure integer function lower_bound(array, dim)
    type(xmp_object), intent(in) :: array
    integer, intent(in) :: dim
    lower_bound = bound(array, dim, 0)
  end function

  pure integer function upper_bound(array, dim)
    type(xmp_object), intent(in) :: array
    integer, intent(in) :: dim
    upper_bound = bound(array, dim, 1)
  end function

  pure function lower_bounds(array) result(bounds)
    type(xmp_object), intent(in) :: array
    integer :: bounds(rank_of(array)), d
    bounds = [(bound(array, d, 0), d = 1, size(bounds))]
  end function

  pure function upper_bounds(array) result(bounds)
    type(xmp_object), intent(in) :: array
    integer :: bounds(rank_of(array)), d
    bounds = [(bound(array, d, 1), d = 1, size(bounds))]
  end function

  pure integer function extent(array, dim)
    type(xmp_object), intent(in) :: array
    integer, intent(in) :: dim
    extent = max(0, bound(array, dim, 1) - bound(array, dim, 0) + 1)
  end function

  pure integer function number_of_elements(array)
    type(xmp_object), intent(in) :: array
    number_of_elements = product(XMP_Shape(array))
  end function

  pure function XMP_Shape(array) result(extents)
    type(xmp_object), intent(in) :: array
    integer :: extents(rank_of(array))
    extents = upper_bounds(array) - lower_bounds(array) + 1
  end function

  ! ---- tasks and loops ----
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

  subroutine loop_int32(site, target, dimension, range, first, last, final)
    type(xmp_object), intent(in) :: site, target
    integer, intent(in) :: dimension
    integer(XMP_INDEX), intent(in) :: range(4)
    integer(int32), intent(out) :: first, last, final
    integer(XMP_INDEX) :: result(3)
    call iterations(site, target, 0, dimension, range, result)
    first = int(result(1), int32)
    last = int(result(2), int32)
    final = int(result(3), int32)
  end subroutine

  subroutine loop_int64(site, target, dimension, range, first, last, final)
    type(xmp_object), intent(in) :: site, target
    integer, intent(in) :: dimension
    integer(XMP_INDEX), intent(in) :: range(4)
    integer(int64), intent(out) :: first, last, final
    integer(XMP_INDEX) :: result(3)
    call iterations(site, target, 0, dimension, range, result)
    first = result(1)
    last = result(2)
    final = result(3)
  end subroutine

  subroutine loop_nodes_int32(site, nodes, dimension, range, first, last, final)
    type(xmp_object), intent(in) :: site, nodes
    integer, intent(in) :: dimension
    integer(XMP_INDEX), intent(in) :: range(4)
    integer(int32), intent(out) :: first, last, final
    integer(XMP_INDEX) :: result(3)
    call iterations(site, nodes, 1, dimension, range, result)
    first = int(result(1), int32)
    last = int(result(2), int32)
    final = int(result(3), int32)
  end subroutine

  subroutine loop_nodes_int64(site, nodes, dimension, range, first, last, final)
    type(xmp_object), intent(in) :: site, nodes
    integer, intent(in) :: dimension
    integer(XMP_INDEX), intent(in) :: range(4)
    integer(int64), intent(out) :: first, last, final
    integer(XMP_INDEX) :: result(3)
    call iterations(site, nodes, 1, dimension, range, result)
    first = result(1)
    last = result(2)
    final = result(3)
  end subroutine

  logical function XMP_Loop_next(blocks, own)
    type(XMP_Blocks), intent(inout) :: blocks
    type(XMP_Iterations), intent(inout) :: own
    XMP_Loop_next = next_block(blocks, own) /= 0
  end function

  pure integer(XMP_INDEX) function XMP_Final(range)  ! the loop variable's value after a serial loop
    integer(XMP_INDEX), intent(in) :: range(4)
    XMP_Final = range(1) + max(0_XMP_INDEX, (range(2) - range(1) + range(3)) / range(3)) * range(3)
  end function

  ! ---- subscripts of cyclic dimensions ----
  elemental integer(XMP_INDEX) function subscript_int8(array, dimension, index)
    type(xmp_object), intent(in) :: array
    integer, intent(in) :: dimension
    integer(int8), intent(in) :: index
    subscript_int8 = position(array, dimension, int(index, XMP_INDEX))
  end function

  elemental integer(XMP_INDEX) function subscript_int16(array, dimension, index)
    type(xmp_object), intent(in) :: array
    integer, intent(in) :: dimension
    integer(int16), intent(in) :: index
    subscript_int16 = position(array, dimension, int(index, XMP_INDEX))
  end function

  elemental integer(XMP_INDEX) function subscript_int32(array, dimension, index)
    type(xmp_object), intent(in) :: array
    integer, intent(in) :: dimension
    integer(int32), intent(in) :: index
    subscript_int32 = position(array, dimension, int(index, XMP_INDEX))
  end function

  elemental integer(XMP_INDEX) function subscript_int64(array, dimension, index)
    type(xmp_object), intent(in) :: array
    integer, intent(in) :: dimension
    integer(int64), intent(in) :: index
    subscript_int64 = position(array, dimension, int(index, XMP_INDEX))
  end function

  ! ---- communication ----
  subroutine XMP_Reflect(site, arrays, widths, flags, async)
    type(xmp_object), intent(in) :: site, arrays(:)
    type(XMP_Width), intent(in), optional :: widths(:)
    integer, intent(in), optional :: flags, async
    integer(c_int) :: given
    given = 0
    if (present(flags)) given = flags
    if (present(widths)) then
      call reflect(site, size(arrays), arrays, widths, given, async)
    else
      call reflect(site, size(arrays), arrays, flags=given, async=async)
    end if
  end subroutine

  subroutine XMP_Reduce_shadow(site, arrays, widths, flags, async)
    type(xmp_object), intent(in) :: site, arrays(:)
    type(XMP_Width), intent(in), optional :: widths(:)
    integer, intent(in), optional :: flags, async
    integer(c_int) :: given
    given = 0
    if (present(flags)) given = flags
    if (present(widths)) then
      call reduce_shadow(site, size(arrays), arrays, widths, given, async)
    else
      call reduce_shadow(site, size(arrays), arrays, flags=given, async=async)
    end if
  end subroutine

  subroutine XMP_Wait_async(site, ids, on)
    type(xmp_object), intent(in) :: site
    integer(c_int), intent(in) :: ids(:)
    type(XMP_Reference), intent(in), optional :: on
    call wait_async(site, size(ids), ids, on)
  end subroutine

  ! ---- identities of max and min ----
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

  ! What the program has written goes out before the runtime ends the process, up to the unit of a statement that never ends.
  subroutine flush_units() bind(c, name="XMP_Fortran_flush")
    flush (output_unit)
    flush (error_unit)
    call flush ! gfortran's: all units
  end subroutine
end module
