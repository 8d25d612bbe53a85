# Which files are served. The entry points themselves are generated.
list(APPEND KUMIHIMO_IO_SOURCES interpose/pattern.cpp interpose/selection.cpp)
if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/file/open.cpp)
  list(APPEND KUMIHIMO_IO_SOURCES interpose/opening.cpp)
endif()
