# What MPI-IO means.
list(APPEND KUMIHIMO_IO_SOURCES
  file/access.cpp file/datatype.cpp file/device_memory.cpp file/errors.cpp file/conversions.cpp file/external.cpp file/external_values.cpp file/file.cpp file/flatten.cpp file/handlers.cpp
  file/manage.cpp file/native.cpp file/next.cpp file/nonblocking.cpp file/open.cpp file/pointers.cpp file/process.cpp
  file/shared_pointer.cpp file/split.cpp file/transfer.cpp file/type_contents.cpp file/view.cpp)
