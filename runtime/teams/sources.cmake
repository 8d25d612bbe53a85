# What a node set does together, and the operators of reductions.
list(APPEND KUMIHIMO_RUNTIME_SOURCES teams/operation.cpp teams/team.cpp)
# Loops over elements: vectorised.
set_source_files_properties(teams/operation.cpp PROPERTIES COMPILE_OPTIONS "-O3")
