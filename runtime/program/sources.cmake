# The begin and the end of a program, above all other rooms.
list(APPEND KUMIHIMO_RUNTIME_SOURCES program/end.cpp program/rooms.cpp program/start.cpp)
