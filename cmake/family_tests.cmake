# Tests of MPI rooms: a binary for each MPI family, run on several numbers of nodes (KUMIHIMO_TEST_NODES).
#   kumihimo_family_program(NAME x SOURCES a.cpp ... [LINK lib ...] [FAMILY_LINK x ...] [FAMILIES f ...])
#       programs x_<family>
#   kumihimo_family_test(NAME x SOURCES ... [LINK ...] [FAMILY_LINK ...] [NODES n ...] [FAMILIES f ...])
#       such a program of GoogleTest, and tests x.<family>.<nodes>; NODES 1: the default family's is a pure test (pure_tests.cmake)
#   kumihimo_family_run(NAME test TARGET x [NODES n ...] [FAMILIES f ...] [ENVIRONMENT NAME=value ...] [PROPERTIES ...])
#       a program in another way: tests NAME.<family>.<nodes>
#   kumihimo_family_run(NAME test TARGET x HOSTS 2x2 ... [LONG_HOSTS 2,1,1 ...] [FAMILIES ...] [ENVIRONMENT ...] [PROPERTIES ...])
#       a program on several hosts (tests/cluster): tests NAME.<family>.2x2; LONG_HOSTS: in the long form only
#   kumihimo_family_script(NAME test TARGET x SCRIPT a.py [ARGUMENTS ...] [FAMILIES f ...])
#       a script that starts the program itself and compares what it says; its arguments: family, launcher, program, ARGUMENTS
find_package(Python3 REQUIRED COMPONENTS Interpreter)

function(kumihimo_family_program)
  cmake_parse_arguments(ARG "" "NAME" "SOURCES;LINK;FAMILY_LINK;FAMILIES" ${ARGN})
  kumihimo_all_families_unless_given()
  foreach(family ${ARG_FAMILIES})
    set(target ${ARG_NAME}_${family})
    add_executable(${target} ${ARG_SOURCES})
    target_link_libraries(${target} PRIVATE mpi_test_${family} ${ARG_LINK})
    foreach(library ${ARG_FAMILY_LINK})
      target_link_libraries(${target} PRIVATE ${library}_${family})
    endforeach()
    target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/runtime/include)
    set_target_properties(${target} PROPERTIES BUILD_RPATH ${CMAKE_BINARY_DIR}/lib/${family} LINKER_LANGUAGE CXX)
  endforeach()
endfunction()

function(kumihimo_family_run)
  cmake_parse_arguments(ARG "" "NAME;TARGET" "NODES;HOSTS;LONG_HOSTS;FAMILIES;ENVIRONMENT;PROPERTIES" ${ARGN})
  if(NOT ARG_NODES AND NOT ARG_HOSTS AND NOT ARG_LONG_HOSTS)
    set(ARG_NODES ${KUMIHIMO_TEST_NODES})
  endif()
  kumihimo_all_families_unless_given()
  foreach(family ${ARG_FAMILIES})
    foreach(nodes ${ARG_NODES})
      set(test ${ARG_NAME}.${family}.${nodes})
      add_test(NAME ${test} COMMAND ${CMAKE_SOURCE_DIR}/cmake/mpirun-test ${family} ${nodes} $<TARGET_FILE:${ARG_TARGET}_${family}>)
      set_tests_properties(${test} PROPERTIES TIMEOUT 300 LABELS mpi ${ARG_PROPERTIES}
                           ENVIRONMENT "KUMIHIMO_MPIEXEC=${KUMIHIMO_${family}_MPIEXEC};${ARG_ENVIRONMENT}")
    endforeach()
    foreach(shape ${ARG_HOSTS} ${ARG_LONG_HOSTS})
      set(only_long)
      if(shape IN_LIST ARG_LONG_HOSTS)
        set(only_long --long)
      endif()
      set(test ${ARG_NAME}.${family}.${shape})
      add_test(NAME ${test} COMMAND Python3::Interpreter ${CMAKE_SOURCE_DIR}/tests/cluster/hosts.py
                                    --mpi ${family} ${only_long} ${shape} $<TARGET_FILE:${ARG_TARGET}_${family}>)
      set_tests_properties(${test} PROPERTIES TIMEOUT 300 LABELS mpi SKIP_RETURN_CODE 77 ${ARG_PROPERTIES}
                           ENVIRONMENT "KUMIHIMO_MPIEXEC=${KUMIHIMO_${family}_MPIEXEC};${ARG_ENVIRONMENT}")
    endforeach()
  endforeach()
endfunction()

function(kumihimo_family_test)
  cmake_parse_arguments(ARG "" "NAME" "SOURCES;LINK;FAMILY_LINK;NODES;FAMILIES" ${ARGN})
  kumihimo_all_families_unless_given()
  kumihimo_family_program(NAME ${ARG_NAME} SOURCES ${ARG_SOURCES} LINK GTest::gtest ${ARG_LINK} FAMILY_LINK ${ARG_FAMILY_LINK} FAMILIES ${ARG_FAMILIES})
  kumihimo_family_run(NAME ${ARG_NAME} TARGET ${ARG_NAME} NODES ${ARG_NODES} FAMILIES ${ARG_FAMILIES})
  if(ARG_NODES STREQUAL "1" AND KUMIHIMO_DEFAULT_FAMILY IN_LIST ARG_FAMILIES)
    set_property(GLOBAL APPEND PROPERTY KUMIHIMO_PURE_TESTS ${ARG_NAME}_${KUMIHIMO_DEFAULT_FAMILY})
    set_tests_properties(${ARG_NAME}.${KUMIHIMO_DEFAULT_FAMILY}.1 PROPERTIES LABELS pure)
  endif()
endfunction()

function(kumihimo_family_script)
  cmake_parse_arguments(ARG "" "NAME;TARGET;SCRIPT" "ARGUMENTS;FAMILIES" ${ARGN})
  kumihimo_all_families_unless_given()
  foreach(family ${ARG_FAMILIES})
    add_test(NAME ${ARG_NAME}.${family}
             COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/${ARG_SCRIPT} ${family} ${CMAKE_SOURCE_DIR}/cmake/mpirun-test
                     $<TARGET_FILE:${ARG_TARGET}_${family}> ${ARG_ARGUMENTS})
    set_tests_properties(${ARG_NAME}.${family} PROPERTIES TIMEOUT 300 LABELS mpi
                         ENVIRONMENT "KUMIHIMO_MPIEXEC=${KUMIHIMO_${family}_MPIEXEC}")
  endforeach()
endfunction()
