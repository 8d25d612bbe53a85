# Coarrays, image control, post and wait, locks, atomics.
list(APPEND KUMIHIMO_RUNTIME_SOURCES
  localview/access.cpp localview/accumulate.cpp localview/atomics.cpp localview/checks.cpp localview/coarrays.cpp
  localview/desks.cpp localview/failures.cpp localview/far_collectives.cpp localview/image_control.cpp localview/image_index.cpp localview/mailbox.cpp localview/post.cpp localview/races.cpp localview/remote.cpp localview/sections.cpp
  localview/wires.cpp)
# Loops over elements, to be vectorised.
set_source_files_properties(transport/elements.cpp PROPERTIES COMPILE_OPTIONS "-O3")
