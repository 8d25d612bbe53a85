# Coarrays, image control, post and wait, locks, atomics. Each calls those before it only: job_transport, wires; mailbox, failures,
# waiting, barriers; coarrays, remote, races; image_control; allocation, desks, far_collectives, what programs call; life.
list(APPEND KUMIHIMO_RUNTIME_SOURCES
  localview/access.cpp localview/accumulate.cpp localview/allocation.cpp localview/atomics.cpp localview/barriers.cpp
  localview/checks.cpp localview/coarrays.cpp localview/desks.cpp localview/failures.cpp localview/far_collectives.cpp
  localview/image_control.cpp localview/image_index.cpp localview/job_transport.cpp localview/life.cpp localview/mailbox.cpp
  localview/post.cpp localview/races.cpp localview/remote.cpp localview/sections.cpp localview/wires.cpp)
# Loops over elements, to be vectorised.
kumihimo_vectorised(transport/elements.cpp)
