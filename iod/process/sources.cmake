list(APPEND KUMIHIMO_IOD_SOURCES process/agent.cpp process/ask.cpp process/assembler.cpp process/connection.cpp process/file.cpp process/interfaces.cpp process/journal_file.cpp process/lane.cpp
     process/listeners.cpp process/local_copy.cpp process/local_file.cpp process/pace.cpp process/piece.cpp process/rank_port.cpp process/server.cpp process/session.cpp process/session_opening.cpp
     process/session_records.cpp process/stager.cpp process/starter.cpp process/syncer.cpp process/tokens.cpp process/worker.cpp)
