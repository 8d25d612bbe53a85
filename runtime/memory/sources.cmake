list(APPEND KUMIHIMO_RUNTIME_SOURCES memory/capacity.cpp memory/pool.cpp memory/segment.cpp)
