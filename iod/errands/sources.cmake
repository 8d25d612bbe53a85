list(APPEND KUMIHIMO_IOD_SOURCES errands/copying.cpp errands/place.cpp errands/said.cpp
     errands/speed.cpp errands/spreading.cpp)
