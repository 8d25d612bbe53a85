list(APPEND KUMIHIMO_IOD_SOURCES protocol/bulk.cpp protocol/frame.cpp protocol/layout.cpp protocol/limits.cpp protocol/messages.cpp protocol/payload_memory.cpp protocol/status.cpp)
