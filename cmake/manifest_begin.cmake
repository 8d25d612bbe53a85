# Run by `cmake --install` before anything is installed: what directories are there already? Those stay when Kumihimo is uninstalled.
set(kumihimo_prefix "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}")
set(kumihimo_standing "")
set(kumihimo_made "")   # the prefix, and directories above it, where they are made now
if(IS_DIRECTORY "${kumihimo_prefix}")
  # Four levels: share/fish/vendor_completions.d has three. Deeper ones are Kumihimo's own.
  execute_process(COMMAND find "${kumihimo_prefix}" -maxdepth 4 -type d OUTPUT_VARIABLE kumihimo_standing ERROR_QUIET)
  string(REPLACE "\n" ";" kumihimo_standing "${kumihimo_standing}")
endif()
set(kumihimo_above "${CMAKE_INSTALL_PREFIX}")
while(NOT kumihimo_above STREQUAL "/" AND NOT EXISTS "$ENV{DESTDIR}${kumihimo_above}")
  list(APPEND kumihimo_made "${kumihimo_above}/")
  get_filename_component(kumihimo_above "${kumihimo_above}" DIRECTORY)
endwhile()
