// Nonblocking collective operations: measured alone, and beside a computation of the same length, which tells how much of the
// communication the computation hides.
#include "bench/measure/operations.hpp"

namespace kumihimo::bench {

namespace {

using Labels = BlockKernel::Labels;

std::unique_ptr<Kernel> ibarrier(const Place& place, std::int64_t) {
    return std::make_unique<BlockKernel>(0, Labels{}, Labels{},
                                         [&place](auto, auto, MPI_Request* request) { MPI_Ibarrier(place.comm(), request); });
}

std::unique_ptr<Kernel> ibcast(const Place& place, std::int64_t bytes) {
    const Labels one = {label(any_root, anyone)}, none;
    return std::make_unique<BlockKernel>(
        bytes, place.may_be_root() ? one : none, place.may_be_other() ? one : none,
        [&place, count = static_cast<int>(bytes)](auto* sent, auto* received, MPI_Request* request) {
            MPI_Ibcast(place.is_root() ? sent : received, count, MPI_BYTE, place.root(), place.comm(), request);
        });
}

std::unique_ptr<Kernel> iallgather(const Place& place, std::int64_t bytes) {
    Labels received;
    for (int source = 0; source < place.size(); ++source) received.push_back(label(source, anyone));
    return std::make_unique<BlockKernel>(
        bytes, Labels{label(place.rank(), anyone)}, received,
        [&place, count = static_cast<int>(bytes)](auto* sent, auto* received, MPI_Request* request) {
            MPI_Iallgather(sent, count, MPI_BYTE, received, count, MPI_BYTE, place.comm(), request);
        });
}

std::unique_ptr<Kernel> ialltoall(const Place& place, std::int64_t bytes) {
    Labels sent, received;
    for (int other = 0; other < place.size(); ++other) {
        sent.push_back(label(place.rank(), other));
        received.push_back(label(other, place.rank()));
    }
    return std::make_unique<BlockKernel>(
        bytes, sent, received, [&place, count = static_cast<int>(bytes)](auto* sent, auto* received, MPI_Request* request) {
            MPI_Ialltoall(sent, count, MPI_BYTE, received, count, MPI_BYTE, place.comm(), request);
        });
}

std::unique_ptr<Kernel> iallreduce(const Place& place, std::int64_t bytes) {
    const int count = static_cast<int>(bytes / 4);
    return std::make_unique<ReductionKernel>(count, place.rank(), place.size(), ReductionKernel::Share{0, count},
                                             [&place, count](float* sent, float* received, MPI_Request* request) {
                                                 MPI_Iallreduce(sent, received, count, MPI_FLOAT, MPI_SUM, place.comm(),
                                                                request);
                                             });
}

constexpr Operation nonblocking_table[] = {
    {.name = "Ibarrier", .make = ibarrier, .blocks = 0, .blocks_per_rank = 0, .sized = false, .overlaps = true},
    {.name = "Ibcast", .make = ibcast, .blocks = 1, .blocks_per_rank = 0, .overlaps = true, .receives = Operation::others},
    {.name = "Iallgather", .make = iallgather, .blocks = 1, .blocks_per_rank = 1, .overlaps = true},
    {.name = "Ialltoall", .make = ialltoall, .blocks = 0, .blocks_per_rank = 2, .overlaps = true},
    {.name = "Iallreduce", .make = iallreduce, .blocks = 2, .blocks_per_rank = 0, .elements = true, .overlaps = true},
};

}  // namespace

std::span<const Operation> nonblocking_operations() {
    return nonblocking_table;
}

}  // namespace kumihimo::bench
