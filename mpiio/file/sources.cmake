# What MPI-IO means.
list(APPEND KUMIHIMO_IO_SOURCES file/next.cpp file/process.cpp)
