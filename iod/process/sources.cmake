list(APPEND KUMIHIMO_IOD_SOURCES process/agent.cpp process/stdio.cpp)
