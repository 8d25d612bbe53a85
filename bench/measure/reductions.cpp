// Collective operations that add: single precision, as in IMB. The message's size is that of the whole vector of one rank.
#include <algorithm>

#include "bench/measure/operations.hpp"

namespace kumihimo::bench {

namespace {

std::unique_ptr<Kernel> reduction(const Place& place, std::int64_t elements, ReductionKernel::Share received,
                                  ReductionKernel::Call call) {
    return std::make_unique<ReductionKernel>(elements, place.rank(), place.size(), received, std::move(call));
}

std::unique_ptr<Kernel> allreduce(const Place& place, std::int64_t bytes) {
    const int count = static_cast<int>(bytes / 4);
    return reduction(place, count, {0, count}, [&place, count](float* sent, float* received, auto) {
        MPI_Allreduce(sent, received, count, MPI_FLOAT, MPI_SUM, place.comm());
    });
}

std::unique_ptr<Kernel> reduce(const Place& place, std::int64_t bytes) {
    const int count = static_cast<int>(bytes / 4);
    return reduction(place, count, {0, place.may_be_root() ? count : 0}, [&place, count](float* sent, float* received, auto) {
        MPI_Reduce(sent, received, count, MPI_FLOAT, MPI_SUM, place.root(), place.comm());
    });
}

// The first ranks get one element more where the vector cannot be shared evenly.
std::unique_ptr<Kernel> reduce_scatter(const Place& place, std::int64_t bytes) {
    const int count = static_cast<int>(bytes / 4), each = count / place.size(), more = count % place.size();
    std::vector<int> counts(place.size(), each);
    for (int rank = 0; rank < more; ++rank) ++counts[rank];
    const int me = place.rank();
    const ReductionKernel::Share share = {std::int64_t{each} * me + std::min(me, more), counts[me]};
    return reduction(place, count, share, [&place, counts](float* sent, float* received, auto) {
        MPI_Reduce_scatter(sent, received, counts.data(), MPI_FLOAT, MPI_SUM, place.comm());
    });
}

constexpr Operation reduction_table[] = {
    {.name = "Allreduce", .make = allreduce, .blocks = 2, .blocks_per_rank = 0, .elements = true},
    {.name = "Reduce", .make = reduce, .blocks = 2, .blocks_per_rank = 0, .elements = true, .receives = Operation::root},
    {.name = "Reduce_scatter", .make = reduce_scatter, .blocks = 2, .blocks_per_rank = 0, .elements = true},
};

}  // namespace

std::span<const Operation> reduction_operations() {
    return reduction_table;
}

}  // namespace kumihimo::bench
