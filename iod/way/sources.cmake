list(APPEND KUMIHIMO_IOD_SOURCES way/hosts.cpp way/name.cpp way/route.cpp)
