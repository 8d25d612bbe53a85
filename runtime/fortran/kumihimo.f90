! What programs translated by xmpf90 call, one call for each directive: generated.h in Fortran's words. You may write such calls by
! hand. Lists of dimensions stand in the user's order; node subscripts are coordinates from 0, template subscripts template
! indices, dimensions count from 0, as in generated.h.
module kumihimo_generated
  use kumihimo_records
  use kumihimo_objects
  use kumihimo_loops
  use kumihimo_communication
  use kumihimo_images
  use kumihimo_io
  use kumihimo_global_io
  use kumihimo_views
  implicit none
end module
