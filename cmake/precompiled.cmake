# Headers that most files read are compiled once for the libraries and once for the tests, not again in each file.
#   kumihimo_precompiled_headers(NAME HEADER [OPTIONS option ...] [LINK library ...])
#       compiles them, with the options of the directory
#   kumihimo_precompile(DIRECTORY NAME kind ...)
#       all C++ targets of these kinds below the directory use them
# Those with other options than the directory's read them themselves.
# -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON does without: then it shows whether each file includes what it needs.
function(kumihimo_precompiled_headers name header)
  cmake_parse_arguments(ARG "" "" "OPTIONS;LINK" ${ARGN})
  # CMake asks for a file of each language of the targets that use the headers. In C they are empty.
  foreach(ending c cpp)
    file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/${name}.${ending} CONTENT "typedef int kumihimo_not_empty;\n")
  endforeach()
  add_library(${name} OBJECT EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/generated/${name}.c ${CMAKE_BINARY_DIR}/generated/${name}.cpp)
  target_compile_options(${name} PRIVATE ${ARG_OPTIONS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  target_precompile_headers(${name} PRIVATE ${CMAKE_SOURCE_DIR}/cmake/precompiled/${header})
endfunction()

function(kumihimo_precompile directory name)
  kumihimo_targets_below(${CMAKE_SOURCE_DIR}/${directory} targets)
  foreach(target ${targets})
    get_target_property(kind ${target} TYPE)
    get_target_property(options ${target} COMPILE_OPTIONS)
    get_target_property(sources ${target} SOURCES)
    if(kind IN_LIST ARGN AND sources MATCHES "\\.cpp" AND NOT options MATCHES "sanitize=thread|-O" AND NOT target STREQUAL name)
      target_precompile_headers(${target} REUSE_FROM ${name})
      kumihimo_read_headers_themselves(${target} ${sources})
    endif()
  endforeach()
endfunction()

# gcc 12 dies of headers that were compiled with another -O.
function(kumihimo_read_headers_themselves target)
  get_target_property(directory ${target} SOURCE_DIR)
  foreach(source ${ARGN})
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${directory})
    get_source_file_property(options ${source} TARGET_DIRECTORY ${target} COMPILE_OPTIONS)
    if(options)
      set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
    endif()
  endforeach()
endfunction()
