# What `make install` gives to other programs: headers, pkg-config files and the CMake package. The libraries install themselves
# (families.cmake), the commands too (commands/CMakeLists.txt). All paths are relative: an installation can be moved.
include(CMakePackageConfigHelpers)

install(DIRECTORY runtime/include/kumihimo DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")

set(packages ${CMAKE_BINARY_DIR}/package)
file(RELATIVE_PATH PREFIX_FROM_PKGCONFIG /p/${CMAKE_INSTALL_LIBDIR}/pkgconfig /p)
file(RELATIVE_PATH PREFIX_FROM_PACKAGE /p/${CMAKE_INSTALL_LIBDIR}/cmake/kumihimo /p)
foreach(family ${KUMIHIMO_FAMILIES})
  list(JOIN KUMIHIMO_${family}_C_COMPILE " " MPI_COMPILE)
  list(JOIN KUMIHIMO_${family}_C_LINK " " MPI_LINK)
  configure_file(cmake/kumihimo.pc.in ${packages}/kumihimo-${family}.pc @ONLY)
  install(FILES ${packages}/kumihimo-${family}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
  if(family STREQUAL KUMIHIMO_DEFAULT_FAMILY)
    configure_file(cmake/kumihimo.pc.in ${packages}/kumihimo.pc @ONLY)
    install(FILES ${packages}/kumihimo.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
  endif()
  string(APPEND PACKAGE_FAMILIES "kumihimo_add_family(${family} \"${KUMIHIMO_${family}_C_COMPILE}\" \"${KUMIHIMO_${family}_C_LINK}\")\n")
endforeach()
configure_file(cmake/kumihimo-config.cmake.in ${packages}/kumihimo-config.cmake @ONLY)
write_basic_package_version_file(${packages}/kumihimo-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${packages}/kumihimo-config.cmake ${packages}/kumihimo-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/kumihimo)
install(CODE "execute_process(COMMAND chmod -R a+rX \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${KUMIHIMO_INSTALL_HOME}\"
  \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}/kumihimo\" \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/cmake/kumihimo\")")
