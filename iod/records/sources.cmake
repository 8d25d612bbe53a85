list(APPEND KUMIHIMO_IOD_SOURCES records/cells.cpp records/record_buffer.cpp)
