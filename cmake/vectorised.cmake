# kumihimo_vectorised(SOURCE ... [OPTIONS option ...]): files with loops over many elements, which -O3 unrolls and vectorises. With
# sanitizers compiling them so takes five times as long, and shows nothing more. Either way each is compiled by itself: CMake
# does that where a file has options.
function(kumihimo_vectorised)
  cmake_parse_arguments(ARG "" "" "OPTIONS" ${ARGN})
  if(KUMIHIMO_SANITIZE)
    set_source_files_properties(${ARG_UNPARSED_ARGUMENTS} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  else()
    set_source_files_properties(${ARG_UNPARSED_ARGUMENTS} PROPERTIES COMPILE_OPTIONS "-O3;${ARG_OPTIONS}")
  endif()
endfunction()
