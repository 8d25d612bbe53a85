list(APPEND KUMIHIMO_IO_SOURCES engine/copy.cpp engine/noticeboard.cpp engine/registry.cpp engine/strided_copy.cpp engine/team.cpp)
# Loops over elements: unrolled and vectorised, and not turned back into calls of memcpy.
set_source_files_properties(engine/strided_copy.cpp PROPERTIES COMPILE_OPTIONS "-O3;-fno-tree-loop-distribute-patterns")
