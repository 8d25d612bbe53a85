// Until runtime/transport is there: its definition takes the place of this weak one.
#include "base/error.hpp"
#include "runtime/transport/transport.hpp"

namespace kumihimo::transport {

__attribute__((weak)) std::unique_ptr<Transport> make(const std::string&, MPI_Comm) {
    throw base::Error("coarrays between machines need a transport, and this version has none",
                      "Run the program on one machine, and not with KUMIHIMO_SHM=off.");
}

}  // namespace kumihimo::transport
