#include "runtime/transport/mpi/transport.hpp"

#include "runtime/transport/mpi/one_sided.hpp"

namespace kumihimo::transport::mpi {

std::unique_ptr<Transport> make(MPI_Comm communicator) {
    return std::make_unique<Mpi>(communicator);
}

}  // namespace kumihimo::transport::mpi
