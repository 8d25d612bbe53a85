#include "collectives/tune/candidates.hpp"

#include <algorithm>

#include "collectives/executor/run.hpp"

namespace kumihimo::collectives::tune {

namespace {

using enum Operation;

bool of_vector(Operation operation) {
    return operation == broadcast || operation == reduce || operation == allreduce;
}

}  // namespace

Trial::Trial(Operation operation, Bytes bytes, MPI_Comm comm, const Torus& torus, Bytes segment_bytes, Bytes work_limit)
    : comm_(comm) {
    MPI_Comm_dup(comm, &messages_);
    MPI_Comm_rank(comm, &call_.rank);
    MPI_Comm_size(comm, &call_.ranks);
    call_.operation = operation;
    call_.torus = torus;
    call_.segment_bytes = segment_bytes;
    call_.work_limit = work_limit;
    call_.element_bytes = sizeof(double);
    if (of_vector(operation))
        call_.bytes = bytes;
    else
        call_.block_bytes = call_.send_blocks.bytes = call_.receive_blocks.bytes = bytes;
    const std::size_t all =
        static_cast<std::size_t>(bytes) * (of_vector(operation) ? 1 : static_cast<std::size_t>(call_.ranks));
    send_.resize(all);
    receive_.resize(all);
    Bytes work = 0;
    for (const Algorithm& algorithm : algorithms()) {
        if (algorithm.operation != operation || !usable(algorithm, call_)) continue;
        candidates_.push_back(&algorithm);
        work = std::max(work, work_bytes(algorithm, call_));
    }
    work_.resize(static_cast<std::size_t>(work));
}

Trial::~Trial() {
    MPI_Comm_free(&messages_);
}

double Trial::measure(const Algorithm* candidate) {
    MPI_Barrier(comm_);
    double seconds = -MPI_Wtime();
    if (candidate == nullptr)
        native();
    else
        ours(*candidate);
    seconds += MPI_Wtime();
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm_);
    return seconds;
}

void Trial::ours(const Algorithm& algorithm) {
    const Operands operands{send_.data(), receive_.data(), work_.data(), messages_, MPI_DOUBLE, sizeof(double), MPI_SUM};
    Run(schedule(algorithm, call_), operands, 64).execute();
}

void Trial::native() {
    const bool root = call_.rank == 0;
    void *const send = send_.data(), *const receive = receive_.data();
    const int vector = static_cast<int>(call_.bytes / call_.element_bytes);
    const int block = static_cast<int>(call_.block_bytes / call_.element_bytes);
    switch (call_.operation) {
        case broadcast:
            MPI_Bcast(receive, vector, MPI_DOUBLE, 0, comm_);
            break;
        case reduce:
            MPI_Reduce(send, root ? receive : nullptr, vector, MPI_DOUBLE, MPI_SUM, 0, comm_);
            break;
        case allreduce:
            MPI_Allreduce(send, receive, vector, MPI_DOUBLE, MPI_SUM, comm_);
            break;
        case reduce_scatter:
            MPI_Reduce_scatter_block(send, receive, block, MPI_DOUBLE, MPI_SUM, comm_);
            break;
        case allgather:
            MPI_Allgather(send, block, MPI_DOUBLE, receive, block, MPI_DOUBLE, comm_);
            break;
        case gather:
            MPI_Gather(send, block, MPI_DOUBLE, receive, block, MPI_DOUBLE, 0, comm_);
            break;
        case scatter:
            MPI_Scatter(send, block, MPI_DOUBLE, receive, block, MPI_DOUBLE, 0, comm_);
            break;
        case alltoall:
            MPI_Alltoall(send, block, MPI_DOUBLE, receive, block, MPI_DOUBLE, comm_);
            break;
        case barrier:
            MPI_Barrier(comm_);
            break;
    }
}

}  // namespace kumihimo::collectives::tune
