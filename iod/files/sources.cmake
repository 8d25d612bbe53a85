list(APPEND KUMIHIMO_IOD_SOURCES files/channels.cpp files/claiming.cpp files/claims.cpp files/file.cpp files/root.cpp files/service.cpp files/session.cpp files/shared_word.cpp files/worker.cpp)
