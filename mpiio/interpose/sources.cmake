# Which files are served. The entry points themselves are generated.
list(APPEND KUMIHIMO_IO_SOURCES interpose/decision.cpp interpose/opening.cpp)
