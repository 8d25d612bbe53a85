list(APPEND KUMIHIMO_IOD_SOURCES catwalk/ask.cpp catwalk/assembler.cpp catwalk/children.cpp catwalk/completeness.cpp catwalk/drains.cpp catwalk/journal_file.cpp catwalk/lane.cpp catwalk/local_copy.cpp
     catwalk/local_file.cpp catwalk/outlet.cpp catwalk/pace.cpp catwalk/piece.cpp catwalk/rank_port.cpp catwalk/server.cpp catwalk/server_file.cpp
     catwalk/session.cpp catwalk/session_opening.cpp catwalk/session_records.cpp catwalk/stager.cpp
     catwalk/syncer.cpp)
