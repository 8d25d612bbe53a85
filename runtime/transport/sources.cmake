list(APPEND KUMIHIMO_RUNTIME_SOURCES transport/agreement.cpp transport/check.cpp transport/elements.cpp transport/helping.cpp transport/loader.cpp transport/pending.cpp
     transport/messages/inbox.cpp transport/messages/mail.cpp transport/messages/record.cpp transport/messages/transport.cpp transport/mpi/datatypes.cpp transport/mpi/transfer.cpp transport/mpi/transport.cpp
     transport/mpi/update.cpp transport/mpi/window.cpp)
