list(APPEND KUMIHIMO_IOD_SOURCES way/hosts.cpp way/metafile.cpp way/name.cpp way/route.cpp)
