// Collective operations that move blocks without computing. The v forms have equal blocks, as in IMB. What is sent does not
// depend on the root, so that the roots can take turns.
#include <numeric>

#include "bench/measure/operations.hpp"

namespace kumihimo::bench {

namespace {

using Labels = BlockKernel::Labels;

// Labels of the blocks from all ranks to one, or from one to all; `anyone` where all receive the same block.
Labels from_all(const Place& place, int destination) {
    Labels labels;
    for (int source = 0; source < place.size(); ++source) labels.push_back(label(source, destination));
    return labels;
}

Labels to_all(const Place& place, int source) {
    Labels labels;
    for (int destination = 0; destination < place.size(); ++destination) labels.push_back(label(source, destination));
    return labels;
}

Labels at_root(const Place& place, const Labels& labels) {
    return place.may_be_root() ? labels : Labels{};
}

// Counts and displacements of equal blocks.
struct Layout {
    std::vector<int> counts, displacements;
    Layout(const Place& place, std::int64_t bytes)
        : counts(place.size(), static_cast<int>(bytes)), displacements(place.size()) {
        std::exclusive_scan(counts.begin(), counts.end(), displacements.begin(), 0);
    }
};

std::unique_ptr<Kernel> bcast(const Place& place, std::int64_t bytes) {
    const Labels one = {label(any_root, anyone)}, none;
    return std::make_unique<BlockKernel>(bytes, place.may_be_root() ? one : none, place.may_be_other() ? one : none,
                                         [&place, count = static_cast<int>(bytes)](auto* sent, auto* received, auto) {
                                             MPI_Bcast(place.is_root() ? sent : received, count, MPI_BYTE, place.root(),
                                                       place.comm());
                                         });
}

std::unique_ptr<Kernel> allgather(const Place& place, std::int64_t bytes) {
    return std::make_unique<BlockKernel>(bytes, Labels{label(place.rank(), anyone)}, from_all(place, anyone),
                                         [&place, count = static_cast<int>(bytes)](auto* sent, auto* received, auto) {
                                             MPI_Allgather(sent, count, MPI_BYTE, received, count, MPI_BYTE, place.comm());
                                         });
}

std::unique_ptr<Kernel> allgatherv(const Place& place, std::int64_t bytes) {
    return std::make_unique<BlockKernel>(
        bytes, Labels{label(place.rank(), anyone)}, from_all(place, anyone),
        [&place, count = static_cast<int>(bytes), layout = Layout(place, bytes)](auto* sent, auto* received, auto) {
            MPI_Allgatherv(sent, count, MPI_BYTE, received, layout.counts.data(), layout.displacements.data(), MPI_BYTE,
                           place.comm());
        });
}

std::unique_ptr<Kernel> gather(const Place& place, std::int64_t bytes) {
    return std::make_unique<BlockKernel>(
        bytes, Labels{label(place.rank(), any_root)}, at_root(place, from_all(place, any_root)),
        [&place, count = static_cast<int>(bytes)](auto* sent, auto* received, auto) {
            MPI_Gather(sent, count, MPI_BYTE, received, count, MPI_BYTE, place.root(), place.comm());
        });
}

std::unique_ptr<Kernel> gatherv(const Place& place, std::int64_t bytes) {
    return std::make_unique<BlockKernel>(
        bytes, Labels{label(place.rank(), any_root)}, at_root(place, from_all(place, any_root)),
        [&place, count = static_cast<int>(bytes), layout = Layout(place, bytes)](auto* sent, auto* received, auto) {
            MPI_Gatherv(sent, count, MPI_BYTE, received, layout.counts.data(), layout.displacements.data(), MPI_BYTE,
                        place.root(), place.comm());
        });
}

std::unique_ptr<Kernel> scatter(const Place& place, std::int64_t bytes) {
    return std::make_unique<BlockKernel>(bytes, at_root(place, to_all(place, any_root)), Labels{label(any_root, place.rank())},
                                         [&place, count = static_cast<int>(bytes)](auto* sent, auto* received, auto) {
                                             MPI_Scatter(sent, count, MPI_BYTE, received, count, MPI_BYTE, place.root(),
                                                         place.comm());
                                         });
}

std::unique_ptr<Kernel> scatterv(const Place& place, std::int64_t bytes) {
    return std::make_unique<BlockKernel>(
        bytes, at_root(place, to_all(place, any_root)), Labels{label(any_root, place.rank())},
        [&place, count = static_cast<int>(bytes), layout = Layout(place, bytes)](auto* sent, auto* received, auto) {
            MPI_Scatterv(sent, layout.counts.data(), layout.displacements.data(), MPI_BYTE, received, count, MPI_BYTE,
                         place.root(), place.comm());
        });
}

std::unique_ptr<Kernel> alltoall(const Place& place, std::int64_t bytes) {
    return std::make_unique<BlockKernel>(bytes, to_all(place, place.rank()), from_all(place, place.rank()),
                                         [&place, count = static_cast<int>(bytes)](auto* sent, auto* received, auto) {
                                             MPI_Alltoall(sent, count, MPI_BYTE, received, count, MPI_BYTE, place.comm());
                                         });
}

std::unique_ptr<Kernel> alltoallv(const Place& place, std::int64_t bytes) {
    return std::make_unique<BlockKernel>(bytes, to_all(place, place.rank()), from_all(place, place.rank()),
                                         [&place, layout = Layout(place, bytes)](auto* sent, auto* received, auto) {
                                             MPI_Alltoallv(sent, layout.counts.data(), layout.displacements.data(), MPI_BYTE,
                                                           received, layout.counts.data(), layout.displacements.data(),
                                                           MPI_BYTE, place.comm());
                                         });
}

std::unique_ptr<Kernel> barrier(const Place& place, std::int64_t) {
    return std::make_unique<BlockKernel>(0, Labels{}, Labels{}, [&place](auto...) { MPI_Barrier(place.comm()); });
}

constexpr Operation block_table[] = {
    {.name = "Bcast", .make = bcast, .blocks = 1, .blocks_per_rank = 0, .receives = Operation::others},
    {.name = "Allgather", .make = allgather, .blocks = 1, .blocks_per_rank = 1},
    {.name = "Allgatherv", .make = allgatherv, .blocks = 1, .blocks_per_rank = 1, .displacements = true},
    {.name = "Gather", .make = gather, .blocks = 1, .blocks_per_rank = 1, .receives = Operation::root},
    {.name = "Gatherv", .make = gatherv, .blocks = 1, .blocks_per_rank = 1, .displacements = true, .receives = Operation::root},
    {.name = "Alltoall", .make = alltoall, .blocks = 0, .blocks_per_rank = 2},
    {.name = "Alltoallv", .make = alltoallv, .blocks = 0, .blocks_per_rank = 2, .displacements = true},
    {.name = "Scatter", .make = scatter, .blocks = 1, .blocks_per_rank = 1},
    {.name = "Scatterv", .make = scatterv, .blocks = 1, .blocks_per_rank = 1, .displacements = true},
    {.name = "Barrier", .make = barrier, .blocks = 0, .blocks_per_rank = 0, .sized = false},
};

}  // namespace

std::span<const Operation> block_operations() {
    return block_table;
}

}  // namespace kumihimo::bench
