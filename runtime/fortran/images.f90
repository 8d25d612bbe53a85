! Images of coarrays that a directive maps onto a node array (specification 5.3), and those of another team (Fortran 2018, 9.6):
! what stands in their image selectors.
module kumihimo_images
  use, intrinsic :: iso_c_binding, only: c_int
  use kumihimo_records
  implicit none
  private
  public :: XMP_Image, XMP_Cosubscript_on, XMP_This_image_on
  public :: XMP_Image_in_team, XMP_Image_index, XMP_Cosubscript

  interface
    subroutine XMP_Image(site, nodes) bind(c, name="XMP_Image")
      import :: xmp_object
      type(xmp_object), value :: site, nodes
    end subroutine

    integer(c_int) function image_on(site, nodes, image) bind(c, name="XMP_Image_on")
      import :: xmp_object, c_int
      type(xmp_object), value :: site, nodes
      integer(c_int), value :: image
    end function

    integer(c_int) function this_image_on(site, nodes) bind(c, name="XMP_This_image_on")
      import :: xmp_object, c_int
      type(xmp_object), value :: site, nodes
    end function
  end interface

  interface  ! of libkumihimo_caf
    integer(c_int) function XMP_Image_in_team(team, image) bind(c, name="XMP_Image_in_team")
      import :: c_int
      type(*), intent(in) :: team
      integer(c_int), value :: image
    end function
  end interface

  interface XMP_This_image_on  ! this_image(coarray), this_image(coarray, dim)
    procedure all_cosubscripts, one_cosubscript
  end interface

contains

  ! One cosubscript of the executing image that has these cosubscripts among the nodes. lower, upper: the coarray's cobounds.
  integer function XMP_Cosubscript_on(site, nodes, cosubscripts, lower, upper, dim) result(found)
    type(xmp_object), intent(in) :: site, nodes
    integer, intent(in) :: cosubscripts(:), lower(:), upper(:), dim
    found = XMP_Cosubscript(image_on(site, nodes, XMP_Image_index(cosubscripts, lower, upper)), lower, upper, dim)
  end function

  pure integer function XMP_Image_index(cosubscripts, lower, upper) result(image)
    integer, intent(in) :: cosubscripts(:), lower(:), upper(:)
    integer :: step, d
    image = 1
    step = 1
    do d = 1, size(lower)
      image = image + step * (cosubscripts(d) - lower(d))
      step = step * (upper(d) - lower(d) + 1)
    end do
  end function

  function all_cosubscripts(site, nodes, lower, upper) result(found)
    type(xmp_object), intent(in) :: site, nodes
    integer, intent(in) :: lower(:), upper(:)
    integer :: found(size(lower)), image, d
    image = this_image_on(site, nodes)
    found = [(XMP_Cosubscript(image, lower, upper, d), d = 1, size(lower))]
  end function

  integer function one_cosubscript(site, nodes, lower, upper, dim) result(found)
    type(xmp_object), intent(in) :: site, nodes
    integer, intent(in) :: lower(:), upper(:), dim
    found = XMP_Cosubscript(this_image_on(site, nodes), lower, upper, dim)
  end function

  ! The last codimension has no end. 0 where there is no image.
  pure integer function XMP_Cosubscript(image, lower, upper, dim) result(found)
    integer, intent(in) :: image, lower(:), upper(:), dim
    integer :: rest, d
    found = 0
    if (image == 0) return
    rest = image - 1
    do d = 1, dim - 1
      rest = rest / (upper(d) - lower(d) + 1)
    end do
    if (dim < size(lower)) rest = mod(rest, upper(dim) - lower(dim) + 1)
    found = lower(dim) + rest
  end function
end module
