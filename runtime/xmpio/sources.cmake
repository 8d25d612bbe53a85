# XMP-IO's part of libkumihimo.
list(APPEND KUMIHIMO_RUNTIME_SOURCES
  xmpio/agreement.cpp xmpio/checkpoint.cpp xmpio/checksum.cpp xmpio/collective.cpp xmpio/file.cpp
  xmpio/interface.cpp xmpio/library_file.cpp xmpio/master.cpp xmpio/master_streams.cpp xmpio/master_units.cpp xmpio/one_node.cpp xmpio/opening.cpp
  xmpio/rehearsal.cpp xmpio/section.cpp xmpio/sidecar.cpp xmpio/units.cpp)
