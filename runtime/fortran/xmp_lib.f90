! The library of the specification as modules, for `use xmp_lib` and, as other implementations call it, `use xmp_api`.
module xmp_lib
  implicit none
  include 'xmp_lib.h'
end module

module xmp_api
  use xmp_lib
end module
