#include "collectives/tune/candidates.hpp"

#include <string>

#include "collectives/executor/operations.hpp"
#include "collectives/executor/settings.hpp"

namespace kumihimo::collectives::tune {

namespace {

using enum Operation;

bool of_vector(Operation operation) {
    return operation == broadcast || operation == reduce || operation == allreduce;
}

// By the schedule that the rules say, else by the MPI library.
template <typename Ours, typename Native, typename... Arguments>
void call(bool by_rules, Ours&& ours, Native&& native, Arguments... arguments) {
    if (!by_rules || !ours(arguments...)) native(arguments...);
}

}  // namespace

Trial::Trial(Operation operation, Bytes bytes, MPI_Comm comm, const Torus& torus, const Placement& placement) : comm_(comm) {
    MPI_Comm_rank(comm, &call_.rank);
    MPI_Comm_size(comm, &call_.ranks);
    call_.operation = operation;
    call_.torus = torus;
    call_.placement = &placement;
    call_.segment_bytes = settings().segment_bytes;
    call_.work_limit = settings().work_limit;
    call_.element_bytes = sizeof(double);
    if (of_vector(operation))
        call_.bytes = bytes;
    else
        call_.block_bytes = call_.send_blocks.bytes = call_.receive_blocks.bytes = bytes;
    const std::size_t all =
        static_cast<std::size_t>(bytes) * (of_vector(operation) ? 1 : static_cast<std::size_t>(call_.ranks));
    send_.resize(all);
    receive_.resize(all);
    for (const Algorithm& algorithm : algorithms())
        if (algorithm.operation == operation && usable(algorithm, call_)) candidates_.push_back(&algorithm);
}

double Trial::measure(const Algorithm* candidate) {
    if (candidate != nullptr) replace_rules(std::string(name_of(call_.operation)) + ":@" + candidate->name);
    run(candidate != nullptr);  // a program repeats its calls: what only the first one does is not measured
    MPI_Barrier(comm_);
    double seconds = -MPI_Wtime();
    run(candidate != nullptr);
    seconds += MPI_Wtime();
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm_);
    return seconds;
}

void Trial::run(bool by_rules) {
    void *const send = send_.data(), *const receive = receive_.data();
    void* const at_root = call_.rank == 0 ? receive : nullptr;
    const int vector = static_cast<int>(call_.bytes / call_.element_bytes);
    const int block = static_cast<int>(call_.block_bytes / call_.element_bytes);
    const MPI_Datatype type = MPI_DOUBLE;
    switch (call_.operation) {
        case broadcast:
            return call(by_rules, execute::Bcast, MPI_Bcast, receive, vector, type, 0, comm_);
        case reduce:
            return call(by_rules, execute::Reduce, MPI_Reduce, send, at_root, vector, type, MPI_SUM, 0, comm_);
        case allreduce:
            return call(by_rules, execute::Allreduce, MPI_Allreduce, send, receive, vector, type, MPI_SUM, comm_);
        case reduce_scatter:
            return call(by_rules, execute::Reduce_scatter_block, MPI_Reduce_scatter_block, send, receive, block, type, MPI_SUM,
                        comm_);
        case allgather:
            return call(by_rules, execute::Allgather, MPI_Allgather, send, block, type, receive, block, type, comm_);
        case gather:
            return call(by_rules, execute::Gather, MPI_Gather, send, block, type, receive, block, type, 0, comm_);
        case scatter:
            return call(by_rules, execute::Scatter, MPI_Scatter, send, block, type, receive, block, type, 0, comm_);
        case alltoall:
            return call(by_rules, execute::Alltoall, MPI_Alltoall, send, block, type, receive, block, type, comm_);
        case barrier:
            return call(by_rules, execute::Barrier, MPI_Barrier, comm_);
    }
}

}  // namespace kumihimo::collectives::tune
