list(APPEND KUMIHIMO_IOD_SOURCES link/agent.cpp link/connection.cpp link/interfaces.cpp link/listeners.cpp link/starter.cpp link/tokens.cpp)
