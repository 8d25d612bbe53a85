#include "collectives/call.hpp"

namespace kumihimo::collectives {

const char* name_of(Operation operation) {
    constexpr const char* names[operations] = {"bcast",  "reduce",  "allreduce", "reduce_scatter", "allgather",
                                               "gather", "scatter", "alltoall",  "barrier"};
    return names[static_cast<int>(operation)];
}

}  // namespace kumihimo::collectives
