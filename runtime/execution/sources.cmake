list(APPEND KUMIHIMO_RUNTIME_SOURCES
  execution/allocation.cpp execution/arguments.cpp execution/arrays.cpp execution/context.cpp execution/guard.cpp
  execution/inquiry_arrays.cpp execution/inquiry_nodes.cpp execution/inquiry_system.cpp execution/inquiry_templates.cpp
  execution/message.cpp execution/mpi_calls.cpp execution/node_set.cpp execution/nodes.cpp execution/objects.cpp
  execution/omni_names.cpp execution/output.cpp execution/pointers.cpp execution/reference.cpp execution/serial.cpp
  execution/settings.cpp execution/site.cpp execution/tasks.cpp execution/templates.cpp execution/termination.cpp
  execution/watchdog.cpp execution/world.cpp)
