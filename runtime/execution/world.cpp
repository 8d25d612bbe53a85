#include "runtime/execution/world.hpp"

#include "base/communicator.hpp"
#include "base/hosts.hpp"

namespace kumihimo::execution {

bool started = false;

World& World::get() {
    static World world;
    return world;
}

void World::start(MPI_Comm all) {
    communicator = all;
    base::keep_hosts(all);  // both are to find them once
    private_communicator = base::copy_of(all);
    MPI_Comm_rank(all, &rank);
    MPI_Comm_size(all, &size);
}

void World::stop() {
    MPI_Comm_free(&private_communicator);
    MPI_Comm_free(&communicator);
    rank = 0;
    size = 1;
}

}  // namespace kumihimo::execution
