! The library of the specification (chapter 7, appendices A and B) for Fortran: the same text is the module xmp_lib and the file
! that programs include, in free or fixed form. Functions of the mapping return 0 and give an answer, or return -1 and give none;
! dim counts from 1, as written in the ( ) form.
      type xmp_desc  ! of a node array, a template or a global array
        sequence
        integer(8) :: address
      end type

      integer, parameter :: XMP_NOT_DISTRIBUTED = 2100
      integer, parameter :: XMP_BLOCK = 2101, XMP_CYCLIC = 2102
      integer, parameter :: XMP_GBLOCK = 2103
      integer, parameter :: XMP_ENTIRE_NODES = 1
      integer, parameter :: XMP_EXECUTING_NODES = 2
      integer, parameter :: XMP_EQUIVALENCE_NODES = 3

      interface
        ! This node's number in the entire set, from 1.
        ! Local. Errors: none.
        integer function xmp_all_node_num()
        end function
        ! Number of nodes in the entire set: all that the program was started on.
        ! Local. Errors: none.
        integer function xmp_all_num_nodes()
        end function
        ! This node's number in the executing set, from 1: inside a task the nodes of the task count.
        ! Local. Errors: none.
        integer function xmp_node_num()
        end function
        ! Number of nodes in the executing set.
        ! Local. Errors: none.
        integer function xmp_num_nodes()
        end function
        ! Number of images: the number of xmp_num_nodes.
        ! Local. Errors: none.
        integer function xmp_num_images()
        end function
        ! Time in seconds since some moment in the past, on this node's clock.
        ! Local. Errors: none.
        double precision function xmp_wtime()
        end function
        ! Resolution of xmp_wtime in seconds.
        ! Local. Errors: none.
        double precision function xmp_wtick()
        end function
        ! Ends the program on this node with an exit status; does not return. All nodes call it; a status other than 0 on one node
        ! ends the job.
        ! Collective over the entire set. Errors: none.
        subroutine xmp_exit(status)
          integer, intent(in) :: status
        end subroutine
        ! Whether the communication of this async-id is complete; .true. for an unknown id.
        ! Local. Errors: none.
        logical function xmp_test_async(async_id)
          integer, intent(in) :: async_id
        end function
        ! Number of dimensions of a node array.
        ! Local. Errors: -1 for another kind of descriptor, a dimension that there is not, and a question without an answer.
        integer function xmp_nodes_ndims(d, ndims)
          import xmp_desc
          type(xmp_desc), intent(in) :: d
          integer, intent(inout) :: ndims
        end function
        ! This node's coordinate in a node array, from 1. No answer on nodes outside it.
        ! Local. Errors: -1 for another kind of descriptor, a dimension that there is not, and a question without an answer.
        integer function xmp_nodes_index(d, dim, index)
          import xmp_desc
          type(xmp_desc), intent(in) :: d
          integer, intent(in) :: dim
          integer, intent(inout) :: index
        end function
        ! Size of one dimension of a node array.
        ! Local. Errors: -1 for another kind of descriptor, a dimension that there is not, and a question without an answer.
        integer function xmp_nodes_size(d, dim, size)
          import xmp_desc
          type(xmp_desc), intent(in) :: d
          integer, intent(in) :: dim
          integer, intent(inout) :: size
        end function
        ! What a node array stands for: XMP_ENTIRE_NODES, XMP_EXECUTING_NODES or XMP_EQUIVALENCE_NODES (part of another).
        ! Local. Errors: -1 for another kind of descriptor, a dimension that there is not, and a question without an answer.
        integer function xmp_nodes_attr(d, attr)
          import xmp_desc
          type(xmp_desc), intent(in) :: d
          integer, intent(inout) :: attr
        end function
        ! For a node array that is part of another, `nodes q(2) = p(1:2)`: the other one, and lower bound, upper bound and step
        ! of the part in each of its dimensions. The arrays have an element for each dimension.
        ! Local. Errors: -1 for another kind of descriptor, a dimension that there is not, and a question without an answer.
        integer function xmp_nodes_equiv(d, dn, lb, ub, st)
          import xmp_desc
          type(xmp_desc), intent(in) :: d
          type(xmp_desc), intent(inout) :: dn
          integer, intent(inout) :: lb(*)
          integer, intent(inout) :: ub(*)
          integer, intent(inout) :: st(*)
        end function
        ! Whether a template has its bounds (`:` without template_fix so far has none).
        ! Local. Errors: -1 for another kind of descriptor, a dimension that there is not, and a question without an answer.
        integer function xmp_template_fixed(d, fixed)
          import xmp_desc
          type(xmp_desc), intent(in) :: d
          logical, intent(inout) :: fixed
        end function
        ! Number of dimensions of a template.
        ! Local. Errors: -1 for another kind of descriptor, a dimension that there is not, and a question without an answer.
        integer function xmp_template_ndims(d, ndims)
          import xmp_desc
          type(xmp_desc), intent(in) :: d
          integer, intent(inout) :: ndims
        end function
        ! Lower bound of one dimension of a template. No answer before template_fix.
        ! Local. Errors: -1 for another kind of descriptor, a dimension that there is not, and a question without an answer.
        integer function xmp_template_lbound(d, dim, lbound)
          import xmp_desc
          type(xmp_desc), intent(in) :: d
          integer, intent(in) :: dim
          integer, intent(inout) :: lbound
        end function
        ! Upper bound of one dimension of a template. No answer before template_fix.
        ! Local. Errors: -1 for another kind of descriptor, a dimension that there is not, and a question without an answer.
        integer function xmp_template_ubound(d, dim, ubound)
          import xmp_desc
          type(xmp_desc), intent(in) :: d
          integer, intent(in) :: dim
          integer, intent(inout) :: ubound
        end function
        ! How one dimension of a template is distributed: XMP_NOT_DISTRIBUTED, XMP_BLOCK, XMP_CYCLIC or XMP_GBLOCK.
        ! Local. Errors: -1 for another kind of descriptor, a dimension that there is not, and a question without an answer.
        integer function xmp_dist_format(d, dim, format)
          import xmp_desc
          type(xmp_desc), intent(in) :: d
          integer, intent(in) :: dim
          integer, intent(inout) :: format
        end function
        ! Block length of one dimension of a template. No answer for gblock and before template_fix.
        ! Local. Errors: -1 for another kind of descriptor, a dimension that there is not, and a question without an answer.
        integer function xmp_dist_blocksize(d, dim, blocksize)
          import xmp_desc
          type(xmp_desc), intent(in) :: d
          integer, intent(in) :: dim
          integer, intent(inout) :: blocksize
        end function
        ! The block lengths of a gblock dimension, one for each node of its node dimension.
        ! Local. Errors: -1 for another kind of descriptor, a dimension that there is not, and a question without an answer.
        integer function xmp_dist_gblockmap(d, dim, map)
          import xmp_desc
          type(xmp_desc), intent(in) :: d
          integer, intent(in) :: dim
          integer, intent(inout) :: map(*)
        end function
        ! The node array that a template is distributed onto.
        ! Local. Errors: -1 for another kind of descriptor, a dimension that there is not, and a question without an answer.
        integer function xmp_dist_nodes(d, dn)
          import xmp_desc
          type(xmp_desc), intent(in) :: d
          type(xmp_desc), intent(inout) :: dn
        end function
        ! The dimension of the node array that one dimension of a template is distributed onto.
        ! Local. Errors: -1 for another kind of descriptor, a dimension that there is not, and a question without an answer.
        integer function xmp_dist_axis(d, dim, axis)
          import xmp_desc
          type(xmp_desc), intent(in) :: d
          integer, intent(in) :: dim
          integer, intent(inout) :: axis
        end function
        ! The dimension of the template that one dimension of an array is aligned with. No answer where it is `*`.
        ! Local. Errors: -1 for another kind of descriptor, a dimension that there is not, and a question without an answer.
        integer function xmp_align_axis(d, dim, axis)
          import xmp_desc
          type(xmp_desc), intent(in) :: d
          integer, intent(in) :: dim
          integer, intent(inout) :: axis
        end function
        ! The offset of that alignment: 1 for `align a(i) with t(i + 1)`.
        ! Local. Errors: -1 for another kind of descriptor, a dimension that there is not, and a question without an answer.
        integer function xmp_align_offset(d, dim, offset)
          import xmp_desc
          type(xmp_desc), intent(in) :: d
          integer, intent(in) :: dim
          integer, intent(inout) :: offset
        end function
        ! Whether the array is replicated along dimension `dim` of its template.
        ! Local. Errors: -1 for another kind of descriptor, a dimension that there is not, and a question without an answer.
        integer function xmp_align_replicated(d, dim, replicated)
          import xmp_desc
          type(xmp_desc), intent(in) :: d
          integer, intent(in) :: dim
          logical, intent(inout) :: replicated
        end function
        ! The template that an array is aligned with.
        ! Local. Errors: -1 for another kind of descriptor, a dimension that there is not, and a question without an answer.
        integer function xmp_align_template(d, dt)
          import xmp_desc
          type(xmp_desc), intent(in) :: d
          type(xmp_desc), intent(inout) :: dt
        end function
        ! Number of dimensions of a global array.
        ! Local. Errors: -1 for another kind of descriptor, a dimension that there is not, and a question without an answer.
        integer function xmp_array_ndims(d, ndims)
          import xmp_desc
          type(xmp_desc), intent(in) :: d
          integer, intent(inout) :: ndims
        end function
        ! Width of the shadow below this node's part.
        ! Local. Errors: -1 for another kind of descriptor, a dimension that there is not, and a question without an answer.
        integer function xmp_array_lshadow(d, dim, lshadow)
          import xmp_desc
          type(xmp_desc), intent(in) :: d
          integer, intent(in) :: dim
          integer, intent(inout) :: lshadow
        end function
        ! Width of the shadow above this node's part.
        ! Local. Errors: -1 for another kind of descriptor, a dimension that there is not, and a question without an answer.
        integer function xmp_array_ushadow(d, dim, ushadow)
          import xmp_desc
          type(xmp_desc), intent(in) :: d
          integer, intent(in) :: dim
          integer, intent(inout) :: ushadow
        end function
        ! Lower bound of one dimension of the whole array. No answer before it is allocated.
        ! Local. Errors: -1 for another kind of descriptor, a dimension that there is not, and a question without an answer.
        integer function xmp_array_lbound(d, dim, lbound)
          import xmp_desc
          type(xmp_desc), intent(in) :: d
          integer, intent(in) :: dim
          integer, intent(inout) :: lbound
        end function
        ! Upper bound of one dimension of the whole array. No answer before it is allocated.
        ! Local. Errors: -1 for another kind of descriptor, a dimension that there is not, and a question without an answer.
        integer function xmp_array_ubound(d, dim, ubound)
          import xmp_desc
          type(xmp_desc), intent(in) :: d
          integer, intent(in) :: dim
          integer, intent(inout) :: ubound
        end function
        ! Position of the global index g_idx along one dimension of this node's block, from 0, the shadow included.
        ! Local. Errors: -1 for another kind of descriptor, a dimension that there is not, and a question without an answer.
        integer function xmp_array_gtol(d, dim, g_idx, l_idx)
          import xmp_desc
          type(xmp_desc), intent(in) :: d
          integer, intent(in) :: dim
          integer, intent(in) :: g_idx
          integer, intent(inout) :: l_idx
        end function
        ! Number of elements that this node owns along one dimension, without the shadow.
        ! Local. Errors: -1 for another kind of descriptor, a dimension that there is not, and a question without an answer.
        integer function xmp_array_lsize(d, dim, lsize)
          import xmp_desc
          type(xmp_desc), intent(in) :: d
          integer, intent(in) :: dim
          integer, intent(inout) :: lsize
        end function
        ! Leading dimension of a two-dimensional array: from one column of this node's block to the next.
        ! Local. Errors: -1 for another kind of descriptor, a dimension that there is not, and a question without an answer.
        integer function xmp_array_lda(d, lda)
          import xmp_desc
          type(xmp_desc), intent(in) :: d
          integer, intent(inout) :: lda
        end function
        ! The communicator of the executing set, which belongs to the runtime: do not free it.
        ! Local. Errors: inside a task with nocomm it ends the job with a message.
        integer function xmp_get_mpi_comm()
        end function
        ! After it MPI is usable in a program with directives, where the runtime has begun MPI before: nothing is left to do.
        ! Collective over the entire set. Errors: none.
        subroutine xmp_init_mpi()
        end subroutine
        ! Its counterpart; the runtime ends MPI when the program ends.
        ! Collective over the entire set. Errors: none.
        subroutine xmp_finalize_mpi()
        end subroutine
        ! Starts XcalableMP in an MPI program; the ranks of comm become the entire set.
        ! Collective over comm. Errors: a second xmp_init without xmp_finalize ends the job with a message.
        subroutine xmp_init(comm)
          integer, intent(in) :: comm
        end subroutine
        ! Saves n global arrays in the next file NAME.1, NAME.2, ... for any number of nodes, layout and language, and returns its
        ! number. The one before stays until this one is complete. Blanks at the end of name do not count.
        ! Collective over the executing set. Errors: -1 on all nodes; xmp_io_error says why.
        integer function xmp_checkpoint_save(name, n, arrays)
          import xmp_desc
          character(*), intent(in) :: name
          integer, intent(in) :: n
          type(xmp_desc), intent(in) :: arrays(*)
        end function
        ! The same with `bytes` bytes of memory that all nodes have alike, of any type: those of the first node are saved.
        ! Collective over the executing set. Errors: -1 on all nodes; xmp_io_error says why.
        integer function xmp_checkpoint_save_values(name, n, arrays, values, bytes)
          import xmp_desc
          character(*), intent(in) :: name
          integer, intent(in) :: n
          type(xmp_desc), intent(in) :: arrays(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: values
          type(*), intent(in) :: values
          integer, intent(in) :: bytes
        end function
        ! Fills the arrays, in the order in which they were saved, from the newest complete checkpoint, whose number it returns;
        ! from the file `name` itself where that has a description. x(5, 6) is what C saved as x[6][5].
        ! Collective over the executing set. Errors: -1 on all nodes; xmp_io_error says why.
        integer function xmp_checkpoint_restore(name, n, arrays)
          import xmp_desc
          character(*), intent(in) :: name
          integer, intent(in) :: n
          type(xmp_desc), intent(in) :: arrays(*)
        end function
        ! The same with the memory of xmp_checkpoint_save_values, on all nodes.
        ! Collective over the executing set. Errors: -1 on all nodes; xmp_io_error says why.
        integer function xmp_checkpoint_restore_values(name, n, arrays, values, bytes)
          import xmp_desc
          character(*), intent(in) :: name
          integer, intent(in) :: n
          type(xmp_desc), intent(in) :: arrays(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: values
          type(*), intent(inout) :: values
          integer, intent(in) :: bytes
        end function
        ! The number of the newest complete checkpoint of this name; 0 if there is none.
        ! Collective over the executing set. Errors: -1 on all nodes; xmp_io_error says why.
        integer function xmp_checkpoint_latest(name)
          character(*), intent(in) :: name
        end function
        ! The message of the last of these that failed on this node; blank if none did.
        ! Local. Errors: none.
        subroutine xmp_io_error(message)
          character(*), intent(inout) :: message
        end subroutine
        ! Ends what xmp_init began; MPI goes on.
        ! Collective over the entire set. Errors: none.
        subroutine xmp_finalize()
        end subroutine
      end interface

      interface xmp_get_primary_image_index
        ! Translates the `number` image indices of `index`, of images of a node array or, without it, of the executing set, to
        ! those of all images.
        ! Local. Errors: an index that is no image's ends the job with a message.
        subroutine xmp_get_primary_image_index(number, index, pri_index, nodes)
          import xmp_desc
          integer, intent(in) :: number
          integer, intent(in) :: index(*)
          integer, intent(inout) :: pri_index(*)
          type(xmp_desc), intent(in), optional :: nodes
        end subroutine
        ! The same of scalars, where number is 1.
        ! Local. Errors: an index that is no image's ends the job with a message.
        subroutine xmp_get_one_primary_image_index(number, index, pri_index, nodes)
          import xmp_desc
          integer, intent(in) :: number
          integer, intent(in) :: index
          integer, intent(inout) :: pri_index
          type(xmp_desc), intent(in), optional :: nodes
        end subroutine
      end interface
      interface xmp_get_image_index
        ! Translates the `number` image indices of `index`, of images of a node array, to those of the executing set; 0: it is no
        ! image of that set.
        ! Local. Errors: an index that is no image's ends the job with a message.
        subroutine xmp_get_image_index(number, index, cur_index, nodes)
          import xmp_desc
          integer, intent(in) :: number
          integer, intent(in) :: index(*)
          integer, intent(inout) :: cur_index(*)
          type(xmp_desc), intent(in), optional :: nodes
        end subroutine
        ! The same of scalars, where number is 1.
        ! Local. Errors: an index that is no image's ends the job with a message.
        subroutine xmp_get_one_image_index(number, index, cur_index, nodes)
          import xmp_desc
          integer, intent(in) :: number
          integer, intent(in) :: index
          integer, intent(inout) :: cur_index
          type(xmp_desc), intent(in), optional :: nodes
        end subroutine
      end interface
