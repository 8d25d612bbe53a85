# Tests of rooms without MPI, and those of one process, are the same with sanitizers and without. `make test` builds and runs
# them with sanitizers only, `make test-quick` without, `make test-long` both.
#   kumihimo_pure_test(TARGET [TEST_PREFIX x] ... PROPERTIES name value ...)
#       as gtest_discover_tests(); PROPERTIES come last
include(GoogleTest)

function(kumihimo_pure_test target)
  set_property(GLOBAL APPEND PROPERTY KUMIHIMO_PURE_TESTS ${target})
  gtest_discover_tests(${target} ${ARGN} LABELS pure)
endfunction()
