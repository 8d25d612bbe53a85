! The images count themselves, allocate and synchronise.
program hello
  implicit none
  integer, save :: fixed[*]
  integer, allocatable :: taken(:)[:]
  fixed = this_image()
  allocate (taken(10)[*])
  taken = fixed
  sync all
  if (this_image() == 1) print *, "images", num_images() >= 1
  print *, "same", taken(10) == this_image()
  deallocate (taken)
end program
