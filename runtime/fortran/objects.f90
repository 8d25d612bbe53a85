! Nodes, templates and arrays: what declarative directives create, and what is asked of arrays. Lists of dimensions stand in the user's
! order; dimensions count from 0, as in generated.h.
module kumihimo_objects
  use, intrinsic :: iso_c_binding, only: c_null_char, c_int, c_size_t, c_char, c_loc, c_f_pointer
  use, intrinsic :: iso_fortran_env, only: int8, int16, int32, int64, output_unit, error_unit
  use kumihimo_records
  implicit none
  private

  integer(XMP_INDEX), parameter :: XMP_NO_SIZE = -huge(0_XMP_INDEX) - 1  ! as in generated.h
  integer(c_int), parameter :: NOT_DISTRIBUTED = 2100, BLOCK = 2101, CYCLIC = 2102, GBLOCK = 2103  ! as in xmp.h
  type, bind(c), public :: XMP_Format
    integer(c_int) :: kind = NOT_DISTRIBUTED, onto = -1
    integer(XMP_INDEX) :: size = 0
    type(xmp_object) :: sizes = xmp_null
  end type
  type(XMP_Format), parameter, public :: XMP_FORMAT_NONE = XMP_Format(NOT_DISTRIBUTED, -1, 0, xmp_null)

  ! Types of elements: these and a kind. As in interface.c.
  integer, parameter, public :: XMP_OTHER = 0, XMP_INTEGER = 100, XMP_REAL = 200, XMP_COMPLEX = 300, XMP_LOGICAL = 400
  type, bind(c), public :: XMP_Described  ! a dimension of an array, by XMP_Dimension
    private
    integer(XMP_INDEX) :: lower, upper, offset
    type(XMP_Width) :: shadow
    integer(c_int) :: onto
  end type

  ! What a procedure's objects were created with: the values of all that may differ at the next call.
  type, public :: XMP_Values
    private
    logical :: known = .false.
    integer(XMP_INDEX), allocatable :: values(:)
  end type

  interface XMP_Subscript  ! the position of an index of a cyclic dimension: what its array is subscripted by
    procedure subscript_int8, subscript_int16, subscript_int32, subscript_int64
  end interface
  interface XMP_Keep  ! whether a unit's next call need not create these arrays: if all of their nodes have done so now
    procedure keep_at_first_call, keep_values
  end interface
  interface XMP_Keep_common  ! the same of arrays in COMMON, which exist once
    procedure keep_common, keep_common_and_values
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
  ! A dimension of an array that is declared. lower: XMP_OPEN where the program allocates it; upper: XMP_OPEN where a dummy argument
  ! does not say it; onto: template dimension. Arguments by value of one kind, and a procedure instead of a structure constructor:
  ! gfortran compiles what declares an array nine times as fast.
  interface XMP_Dimension
    pure type(XMP_Described) function collapsed_dimension(lower, upper) bind(c, name="XMP_Fortran_collapsed")
      import :: XMP_Described, XMP_INDEX
      integer(XMP_INDEX), value :: lower, upper
    end function

    pure type(XMP_Described) function aligned_dimension(lower, upper, onto, offset) bind(c, name="XMP_Fortran_aligned")
      import :: XMP_Described, XMP_INDEX, c_int
      integer(XMP_INDEX), value :: lower, upper, offset
      integer(c_int), value :: onto
    end function

    pure type(XMP_Described) function shadowed_dimension(lower, upper, onto, offset, before, behind, modifier) &
      bind(c, name="XMP_Fortran_shadowed")
      import :: XMP_Described, XMP_INDEX, c_int
      integer(XMP_INDEX), value :: lower, upper, offset, before, behind
      integer(c_int), value :: onto, modifier
    end function
  end interface
  interface XMP_Format_gblock
    procedure gblock_sizes, gblock_deferred
  end interface

  public :: XMP_Subscript, XMP_Lbound, XMP_Ubound, XMP_Size, XMP_Format_gblock, XMP_Array_deallocate, XMP_Array_point, &
            XMP_Array_release, XMP_Template_release, XMP_Nodes_release, XMP_Start, XMP_Changed, XMP_Nodes_declare, &
            XMP_Template_declare, XMP_Format_block, XMP_Format_cyclic, XMP_Distribute, XMP_Template_fix, &
            XMP_Array_declare, XMP_Array_argument, XMP_Array_allocate, XMP_Array_follow, XMP_Array_result, XMP_Shape, &
            XMP_Executing_set, XMP_Positions, XMP_Keep, XMP_Keep_common, XMP_Array_join, XMP_Dimension, XMP_Block_size, &
            XMP_Coarray_of_block, XMP_Common_check

  interface
    subroutine XMP_Array_deallocate(array) bind(c, name="XMP_Fortran_deallocate")  ! if it is allocated
      import :: xmp_object
      type(xmp_object), value :: array
    end subroutine

    integer(XMP_INDEX) function XMP_Executing_set() bind(c, name="XMP_Executing_set")
      import :: XMP_INDEX
    end function

    ! `array => target`: from now on the pointer's object is the target's.
    subroutine XMP_Array_point(array, site, target) bind(c, name="XMP_Fortran_point")
      import :: xmp_object
      type(xmp_object), intent(inout) :: array
      type(xmp_object), value :: site, target
    end subroutine

    ! The same for the array whose block begins where a variable does.
    subroutine XMP_Array_follow(site, array, variable) bind(c, name="XMP_Fortran_follow")
      import :: xmp_object
      type(xmp_object), value :: site
      type(xmp_object), intent(inout) :: array
      type(*), intent(in) :: variable(..)
    end subroutine

    ! The same for what a function has returned.
    subroutine XMP_Array_result(array, site, variable) bind(c, name="XMP_Fortran_result")
      import :: xmp_object
      type(xmp_object), intent(inout) :: array
      type(xmp_object), value :: site
      type(*), intent(in) :: variable(..)
    end subroutine

    ! Of this node, with the shadow.
    pure integer(XMP_INDEX) function XMP_Block_size(array, dimension) bind(c, name="XMP_Fortran_block_size")
      import :: xmp_object, XMP_INDEX, c_int
      type(xmp_object), value :: array
      integer(c_int), value :: dimension
    end function

    ! The next coarray to be allocated shows the blocks of an array (libkumihimo_caf).
    subroutine XMP_Coarray_of_block(array) bind(c, name="XMP_Fortran_coarray_of_block")
      import :: xmp_object
      type(xmp_object), value :: array
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

    integer(c_int) function shared(count, arrays) bind(c, name="XMP_Array_shared")
      import :: xmp_object, c_int
      integer(c_int), value :: count
      type(xmp_object), intent(in) :: arrays(*)
    end function

    subroutine XMP_Common_check(site, block, plain) bind(c, name="XMP_Fortran_check_common")  ! before its arrays are created
      import :: xmp_object, c_int, c_char
      type(xmp_object), value :: site
      character(kind=c_char), intent(in) :: block(*)
      integer(c_int), value :: plain
    end subroutine

    subroutine XMP_Array_join(count, arrays) bind(c, name="XMP_Array_join")  ! together with nodes that have them already
      import :: xmp_object, c_int
      integer(c_int), value :: count
      type(xmp_object), intent(in) :: arrays(*)
    end subroutine

    integer(c_int) function complete(count, arrays) bind(c, name="XMP_Array_complete")
      import :: xmp_object, c_int
      integer(c_int), value :: count
      type(xmp_object), intent(in) :: arrays(*)
    end function

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

    subroutine XMP_Start(abi_version, file) bind(c, name="XMP_Fortran_start")
      import :: c_int, c_char
      integer(c_int), value :: abi_version
      character(kind=c_char), intent(in) :: file(*)
    end subroutine
  end interface

contains

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

  ! In a task a part of the nodes creates arrays for itself; later all of them create the arrays together.
  subroutine keep_at_first_call(known, arrays)
    logical, intent(out) :: known
    type(xmp_object), intent(in) :: arrays(:)
    known = complete(size(arrays), arrays) /= 0
  end subroutine

  subroutine keep_values(known, arrays)
    type(XMP_Values), intent(inout) :: known
    type(xmp_object), intent(in) :: arrays(:)
    known%known = complete(size(arrays), arrays) /= 0
  end subroutine

  subroutine keep_common(known, arrays)
    logical, intent(inout) :: known
    type(xmp_object), intent(in) :: arrays(:)
    if (shared(size(arrays), arrays) == 0) known = .false.
  end subroutine

  subroutine keep_common_and_values(known, arrays)
    type(XMP_Values), intent(inout) :: known
    type(xmp_object), intent(in) :: arrays(:)
    if (shared(size(arrays), arrays) == 0) known%known = .false.
  end subroutine

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

  subroutine XMP_Distribute(site, target, nodes, f1, f2, f3, f4, f5, f6, f7)
    type(xmp_object), intent(in) :: site, target, nodes
    type(XMP_Format), intent(in) :: f1
    type(XMP_Format), intent(in), optional :: f2, f3, f4, f5, f6, f7
    interface
      subroutine distribute(site, target, nodes, formats) bind(c, name="XMP_Distribute")
        import :: xmp_object, XMP_Format
        type(xmp_object), value :: site, target, nodes
        type(XMP_Format), intent(in) :: formats(*)
      end subroutine
    end interface
    type(XMP_Format) :: formats(7)
    formats(1) = f1
    if (present(f2)) formats(2) = f2
    if (present(f3)) formats(3) = f3
    if (present(f4)) formats(4) = f4
    if (present(f5)) formats(5) = f5
    if (present(f6)) formats(6) = f6
    if (present(f7)) formats(7) = f7
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

  subroutine XMP_Array_declare(array, site, name, type, element_bytes, target, d1, d2, d3, d4, d5, d6, d7, common, initial)
    type(xmp_object), intent(inout) :: array
    type(xmp_object), intent(in) :: site, target
    character(*), intent(in) :: name
    integer, intent(in) :: type, element_bytes
    type(XMP_Described), intent(in) :: d1
    type(XMP_Described), intent(in), optional :: d2, d3, d4, d5, d6, d7
    character(*), intent(in), optional :: common  ! its place there: all procedures share one array
    integer(XMP_INDEX), intent(in), optional :: initial(*)  ! a mark, and where that is set, initial values
    interface
      type(xmp_object) function declare(site, name, type, element_bytes, target, common, initial, d1, d2, d3, d4, d5, d6, d7) &
        bind(c, name="XMP_Fortran_array")
        import :: xmp_object, XMP_Described, XMP_INDEX, c_int, c_char
        type(xmp_object), value :: site, target
        character(kind=c_char), intent(in) :: name(*)
        integer(c_int), value :: type, element_bytes
        character(kind=c_char), intent(in), optional :: common(*)
        integer(XMP_INDEX), intent(in), optional :: initial(*)
        type(XMP_Described), intent(in) :: d1
        type(XMP_Described), intent(in), optional :: d2, d3, d4, d5, d6, d7
      end function
    end interface
    character(:), allocatable :: place  ! unallocated: absent
    if (present(common)) place = common // c_null_char
    array = declare(site, name // c_null_char, type, element_bytes, target, place, initial, d1, d2, d3, d4, d5, d6, d7)
  end subroutine

  ! A dummy argument: the array, of this or another mapping of the same elements, whose block begins where the argument does.
  subroutine XMP_Array_argument(array, site, name, type, element_bytes, target, argument, d1, d2, d3, d4, d5, d6, d7)
    type(xmp_object), intent(inout) :: array
    type(xmp_object), intent(in) :: site, target
    character(*), intent(in) :: name
    integer, intent(in) :: type, element_bytes
    type(*), intent(in) :: argument(*)
    type(XMP_Described), intent(in) :: d1
    type(XMP_Described), intent(in), optional :: d2, d3, d4, d5, d6, d7
    interface
      type(xmp_object) function declare(site, name, type, element_bytes, target, base, d1, d2, d3, d4, d5, d6, d7) &
        bind(c, name="XMP_Fortran_argument")
        import :: xmp_object, XMP_Described, c_int, c_char
        type(xmp_object), value :: site, target
        character(kind=c_char), intent(in) :: name(*)
        integer(c_int), value :: type, element_bytes
        type(*), intent(in) :: base(*)
        type(XMP_Described), intent(in) :: d1
        type(XMP_Described), intent(in), optional :: d2, d3, d4, d5, d6, d7
      end function
    end interface
    call XMP_Array_release(array)  ! of the last call
    array = declare(site, name // c_null_char, type, element_bytes, target, argument, d1, d2, d3, d4, d5, d6, d7)
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

  ! Of several indices. gfortran 12 passes the array wrongly to an elemental function of an array of indices.
  pure function XMP_Positions(array, dimension, indices) result(positions)
    type(xmp_object), intent(in) :: array
    integer, intent(in) :: dimension
    integer(XMP_INDEX), intent(in) :: indices(:)
    integer(XMP_INDEX) :: positions(size(indices))
    integer :: k
    positions = [(position(array, dimension, indices(k)), k = 1, size(indices))]
  end function

  pure integer(XMP_INDEX) function subscript_int8(array, dimension, index)
    type(xmp_object), intent(in) :: array
    integer, intent(in) :: dimension
    integer(int8), intent(in) :: index
    subscript_int8 = position(array, dimension, int(index, XMP_INDEX))
  end function

  pure integer(XMP_INDEX) function subscript_int16(array, dimension, index)
    type(xmp_object), intent(in) :: array
    integer, intent(in) :: dimension
    integer(int16), intent(in) :: index
    subscript_int16 = position(array, dimension, int(index, XMP_INDEX))
  end function

  pure integer(XMP_INDEX) function subscript_int32(array, dimension, index)
    type(xmp_object), intent(in) :: array
    integer, intent(in) :: dimension
    integer(int32), intent(in) :: index
    subscript_int32 = position(array, dimension, int(index, XMP_INDEX))
  end function

  pure integer(XMP_INDEX) function subscript_int64(array, dimension, index)
    type(xmp_object), intent(in) :: array
    integer, intent(in) :: dimension
    integer(int64), intent(in) :: index
    subscript_int64 = position(array, dimension, int(index, XMP_INDEX))
  end function

  ! What the program has written goes out before the runtime ends the process, up to the unit of a statement that never ends.
  subroutine flush_units() bind(c, name="XMP_Fortran_flush")
    flush (output_unit)
    flush (error_unit)
    call flush ! gfortran's: all units
  end subroutine
end module
