! For programs that include this file, as other implementations want it where coarrays are used: gfortran knows all of them itself,
! and there is nothing to declare.
