# PnetCDF, optional: for which MPI families is it there? xmpnc (libkumihimo_nc) is built for those only.
#   KUMIHIMO_PNETCDF_FAMILIES             families with PnetCDF; interface targets pnetcdf_<family>
#   KUMIHIMO_PNETCDF_MISSING_<family>     why a family has none; `kumihimo info` prints it
# Set KUMIHIMO_PNETCDF_OPENMPI or KUMIHIMO_PNETCDF_MPICH to the prefix of a PnetCDF that is not found. What `tools/setup pnetcdf` has
# built is found, and installed beside libkumihimo_nc.
set(KUMIHIMO_PNETCDF_FAMILIES "")

# A PnetCDF library works with the one MPI it was built for, which its strings name (Debian's is Open MPI's).
function(kumihimo_pnetcdf_family library variable)
  file(STRINGS ${library} names REGEX "libmpich\\.so|libmpi\\.so|ompi_mpi_|MPIR_")
  if(names MATCHES "libmpich\\.so|libmpi\\.so\\.12|MPIR_")
    set(${variable} mpich PARENT_SCOPE)
  elseif(names MATCHES "libmpi\\.so|ompi_mpi_")
    set(${variable} openmpi PARENT_SCOPE)
  else()
    set(${variable} unknown PARENT_SCOPE)
  endif()
endfunction()

# The library goes beside libkumihimo_nc, by the name under which that asks for it. The header is the one of the package that it was
# built from, which users' programs find without our help.
function(kumihimo_install_pnetcdf family library)
  file(REAL_PATH ${library} file)
  string(REGEX REPLACE "(\\.so\\.[0-9]+).*" "\\1" name ${file})
  get_filename_component(name ${name} NAME)
  install(FILES ${file} DESTINATION ${KUMIHIMO_INSTALL_HOME}/${family} RENAME ${name})
endfunction()

foreach(family ${KUMIHIMO_FAMILIES})
  string(TOUPPER ${family} upper)
  set(KUMIHIMO_PNETCDF_${upper} "" CACHE PATH "Prefix of the PnetCDF built for ${family}; empty: look in the usual places")
  file(GLOB built CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/build/pnetcdf-${family}/version)
  if(KUMIHIMO_PNETCDF_${upper})
    set(built "")
    set(hints PATHS ${KUMIHIMO_PNETCDF_${upper}} NO_DEFAULT_PATH)
  elseif(built)
    set(hints PATHS ${CMAKE_SOURCE_DIR}/build/pnetcdf-${family} NO_DEFAULT_PATH)
  else()
    set(hints "")
  endif()
  unset(header)
  unset(library)
  find_path(header pnetcdf.h ${hints} PATH_SUFFIXES include NO_CACHE)
  find_library(library pnetcdf ${hints} PATH_SUFFIXES lib lib64 NO_CACHE)
  set(KUMIHIMO_PNETCDF_MISSING_${family} "")
  if(NOT header OR NOT library)
    set(KUMIHIMO_PNETCDF_MISSING_${family} "PnetCDF was not found when Kumihimo was built")
  else()
    get_filename_component(header ${header} ABSOLUTE)  # /usr/include/ with its slash would not count as implicit
    kumihimo_pnetcdf_family(${library} owner)
    if(owner STREQUAL family)
      list(APPEND KUMIHIMO_PNETCDF_FAMILIES ${family})
      if(built)
        kumihimo_install_pnetcdf(${family} ${library})
      elseif(NOT header IN_LIST CMAKE_C_IMPLICIT_INCLUDE_DIRECTORIES)
        set(KUMIHIMO_PNETCDF_HEADERS_${family} -I${header})  # users' programs include pnetcdf.h through xmpnc.h
      endif()
      add_library(pnetcdf_${family} INTERFACE)
      target_include_directories(pnetcdf_${family} SYSTEM INTERFACE ${header})
      target_link_libraries(pnetcdf_${family} INTERFACE ${library})
    else()
      set(KUMIHIMO_PNETCDF_MISSING_${family} "the PnetCDF found (${library}) was built for another MPI (${owner})")
    endif()
  endif()
  if(KUMIHIMO_PNETCDF_MISSING_${family})
    message(STATUS "xmpnc for ${family}: missing: ${KUMIHIMO_PNETCDF_MISSING_${family}}")
  endif()
endforeach()
