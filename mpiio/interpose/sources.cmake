# Which files are served. The entry points themselves are generated.
list(APPEND KUMIHIMO_IO_SOURCES interpose/pattern.cpp interpose/selection.cpp)
if(KUMIHIMO_IO_SOURCES MATCHES "file/datatype.cpp" AND KUMIHIMO_IO_SOURCES MATCHES "engine/registry.cpp")
  list(APPEND KUMIHIMO_IO_SOURCES interpose/opening.cpp)
endif()
