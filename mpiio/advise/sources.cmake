# `kumihimo files advise`: what files cost that the MPI library keeps, and what an engine would make of them.
list(APPEND KUMIHIMO_IO_SOURCES advise/advice.cpp advise/observer.cpp advise/replay.cpp advise/stand_in.cpp advise/trace.cpp)
