# What a node set does together, and the operators of reductions.
list(APPEND KUMIHIMO_RUNTIME_SOURCES teams/operation.cpp teams/team.cpp)
# Loops over elements: vectorised.
kumihimo_vectorised(teams/operation.cpp)
