list(APPEND KUMIHIMO_IOD_SOURCES link/agent.cpp link/command.cpp link/connection.cpp link/interfaces.cpp link/listeners.cpp link/relay.cpp link/spawning.cpp link/starter.cpp link/tokens.cpp)
