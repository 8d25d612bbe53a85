program interfaces
  implicit none
  interface
    subroutine elsewhere(argument)
      real :: argument(8)
!$xmp align argument(i) with t(i)
!$xmp barrier
!$xmp reflect argument
    end subroutine
  end interface
end program
