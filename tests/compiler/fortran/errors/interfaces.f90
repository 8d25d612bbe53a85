program interfaces
  implicit none
  interface
    subroutine elsewhere(argument)
      real :: argument(8)
!$xmp align argument(i) with t(i)
!$xmp barrier
!$xmp reflect argument
    end subroutine
    function result_of(argument)
      real :: argument(8), result_of(8)
!$xmp align result_of(i) onto t(i)
    end function
  end interface
end program
