# What `make install` gives besides libraries (families.cmake) and commands (commands/CMakeLists.txt): headers, documents, examples,
# pkg-config files and the CMake package, and the list by which it is uninstalled. All paths are relative: an installation can be moved.
include(CMakePackageConfigHelpers)

install(DIRECTORY runtime/include/kumihimo DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")

# In the order of the checkout, so that the links of the README and between documents hold. What programs leave there stays there.
install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING REGEX "\\.(md|png|svg|css)$")
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR} USE_SOURCE_PERMISSIONS
        FILES_MATCHING REGEX "(\\.(c|h|f90|cpp|hpp|py|md|txt)|/Makefile|/run)$" PATTERN "__pycache__" EXCLUDE)

# A program in C that calls the runtime without xmpcc: with pkg-config by `kumihimo` and, for netCDF, `kumihimo-nc`, which are the
# default family's, or by kumihimo-<family> and kumihimo-nc-<family>. A program with directives as a serial one: kumihimo-serial.
# A program with coarrays in Fortran, with plain gfortran: kumihimo-caf.
set(packages ${CMAKE_BINARY_DIR}/package)
file(RELATIVE_PATH PREFIX_FROM_PKGCONFIG /p/${CMAKE_INSTALL_LIBDIR}/pkgconfig /p)
file(RELATIVE_PATH PREFIX_FROM_PACKAGE /p/${CMAKE_INSTALL_LIBDIR}/cmake/kumihimo /p)
function(kumihimo_pkg_config name family)
  set(names ${name}-${family})
  if(family STREQUAL KUMIHIMO_DEFAULT_FAMILY)
    list(APPEND names ${name})
  endif()
  list(JOIN KUMIHIMO_${family}_C_COMPILE " " MPI_COMPILE)
  list(JOIN KUMIHIMO_${family}_C_LINK " " MPI_LINK)
  set(PNETCDF_HEADERS ${KUMIHIMO_PNETCDF_HEADERS_${family}})
  foreach(file ${names})
    configure_file(cmake/${name}.pc.in ${packages}/${file}.pc @ONLY)
    install(FILES ${packages}/${file}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
  endforeach()
endfunction()

foreach(family ${KUMIHIMO_FAMILIES})
  kumihimo_pkg_config(kumihimo ${family})
  kumihimo_pkg_config(kumihimo-serial ${family})
  if(TARGET kumihimo_caf_${family})
    kumihimo_pkg_config(kumihimo-caf ${family})
  endif()
  if(family IN_LIST KUMIHIMO_PNETCDF_FAMILIES)
    kumihimo_pkg_config(kumihimo-nc ${family})
  endif()
  string(APPEND PACKAGE_FAMILIES "_kumihimo_add_family(${family} \"${KUMIHIMO_${family}_C_COMPILE}\" \"${KUMIHIMO_${family}_C_LINK}\" "
                                 "\"${KUMIHIMO_PNETCDF_HEADERS_${family}}\")\n")
endforeach()
configure_file(cmake/kumihimo-config.cmake.in ${packages}/kumihimo-config.cmake @ONLY)
write_basic_package_version_file(${packages}/kumihimo-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${packages}/kumihimo-config.cmake ${packages}/kumihimo-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/kumihimo)

# Last, when all is installed.
file(RELATIVE_PATH PREFIX_FROM_HOME /p/${KUMIHIMO_INSTALL_HOME} /p)
configure_file(cmake/uninstall.cmake.in ${packages}/uninstall.cmake @ONLY)
install(FILES ${packages}/uninstall.cmake DESTINATION ${KUMIHIMO_INSTALL_HOME})
install(CODE "set(kumihimo_home \"${KUMIHIMO_INSTALL_HOME}\")")
install(SCRIPT cmake/manifest_end.cmake)
