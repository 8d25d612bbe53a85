program main  ! the directives of an array in COMMON belong to all program units of the file that have the block
  common /flow/ k, u(12)
!$xmp nodes p(*)
!$xmp template t(12)
!$xmp distribute t(block) onto p
!$xmp align u(i) with t(i)
  call part
end program
subroutine part
  common /flow/ k, v(12)
  v(1) = k
end subroutine
block data
  common /flow/ k, u(12)
  data u /12*1.0/
end block data
