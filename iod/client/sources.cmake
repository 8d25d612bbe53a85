list(APPEND KUMIHIMO_IOD_SOURCES client/agent.cpp client/bell.cpp client/bypass.cpp client/connection.cpp client/inherited.cpp client/link.cpp client/session.cpp client/shared_ring.cpp)
