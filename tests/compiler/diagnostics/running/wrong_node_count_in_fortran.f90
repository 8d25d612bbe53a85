program wrong
!$xmp nodes p(4)
end program
