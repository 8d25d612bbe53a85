list(APPEND KUMIHIMO_IOD_SOURCES files/file.cpp files/worker.cpp)
