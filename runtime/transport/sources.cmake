list(APPEND KUMIHIMO_RUNTIME_SOURCES transport/agreement.cpp transport/elements.cpp transport/loader.cpp transport/pending.cpp
     transport/mpi/datatypes.cpp transport/mpi/transfer.cpp transport/mpi/transport.cpp
     transport/mpi/update.cpp transport/mpi/window.cpp)
