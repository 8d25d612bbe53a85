list(APPEND KUMIHIMO_IO_SOURCES engine/registry.cpp)
