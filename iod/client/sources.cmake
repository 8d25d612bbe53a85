list(APPEND KUMIHIMO_IOD_SOURCES client/agent.cpp client/bell.cpp client/connection.cpp client/session.cpp client/shared_ring.cpp)
