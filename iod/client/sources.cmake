list(APPEND KUMIHIMO_IOD_SOURCES client/agent.cpp client/connection.cpp client/descriptor.cpp client/session.cpp client/shared_ring.cpp)
