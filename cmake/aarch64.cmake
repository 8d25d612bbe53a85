# For aarch64 with Debian's cross compiler: docs/how-to/other-processors.md.
#   cmake -S . -B build-aarch64 --toolchain cmake/aarch64.cmake -DKUMIHIMO_AARCH64_ROOT=DIRECTORY
# DIRECTORY: what aarch64-root.sh has made.
set(KUMIHIMO_AARCH64_ROOT "$ENV{KUMIHIMO_AARCH64_ROOT}" CACHE PATH "Debian's packages for aarch64, by aarch64-root.sh")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES KUMIHIMO_AARCH64_ROOT)
if(NOT EXISTS ${KUMIHIMO_AARCH64_ROOT}/wrappers)
  message(FATAL_ERROR "-DKUMIHIMO_AARCH64_ROOT=DIRECTORY is missing: cmake/aarch64-root.sh DIRECTORY makes it")
endif()

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_Fortran_COMPILER aarch64-linux-gnu-gfortran)
set(CMAKE_SYSROOT ${KUMIHIMO_AARCH64_ROOT})
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L ${KUMIHIMO_AARCH64_ROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()

set(KUMIHIMO_OPENMPI_CC ${KUMIHIMO_AARCH64_ROOT}/wrappers/mpicc.openmpi CACHE STRING "")
set(KUMIHIMO_MPICH_CC ${KUMIHIMO_AARCH64_ROOT}/wrappers/mpicc.mpich CACHE STRING "")
