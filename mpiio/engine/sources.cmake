list(APPEND KUMIHIMO_IO_SOURCES engine/noticeboard.cpp engine/registry.cpp engine/team.cpp)
