program missing
  !$xmp nodes p(*)
  !$xmp task on p(3)
  print *, 1
  !$xmp end task
end program
