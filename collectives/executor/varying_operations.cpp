// The functions whose blocks may differ in size: the v-forms and MPI_Reduce_scatter. Programs often call them with equal blocks
// side by side; on a rank that sees such ones, they are equal blocks, and the call can be remembered. Who does it is decided as
// for blocks that differ: other ranks may see other layouts.
#include <numeric>
#include <vector>

#include "collectives/executor/checks.hpp"
#include "collectives/executor/operations.hpp"
#include "collectives/executor/serving.hpp"

namespace kumihimo::collectives::execute {

namespace {

bool are_equal(const int counts[], int ranks) {
    for (int i = 1; i < ranks; ++i)
        if (counts[i] != counts[0]) return false;
    return true;
}

// Blocks of the program's memory as a v-form describes them.
struct Layout {
    const int* counts;
    const int* displacements;
    MPI_Datatype type;
    int ranks;

    bool wrong() const { return displacements == nullptr || execute::wrong(counts, type, ranks); }
    bool regular() const {
        for (int i = 0; i < ranks; ++i)
            if (displacements[i] != i * counts[0]) return false;
        return are_equal(counts, ranks);
    }
    Region region(const void* memory) const {
        return regular() ? Region(memory, type, counts[0], ranks) : Region(memory, type, counts, displacements, ranks);
    }
};

Result reduce_equal_blocks(Serving& serving, const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op) {
    const bool in_place = send == MPI_IN_PLACE;
    Result again;
    if (serving.repeats({Operation::reduce_scatter, 0, in_place, count, type, 0, MPI_DATATYPE_NULL, op}, send, receive, again))
        return again;
    if (wrong(count, type) || !serving.reduces(type, op)) return {};
    serving.set_block(count * size_of(type));
    serving.call.in_place = in_place;
    if (!serving.choose(size_in_rules(Operation::reduce_scatter, serving.call.block_bytes, serving.ranks()))) return {};
    Region from = in_place ? Region() : Region(send, type, count, serving.ranks());
    Region to(receive, type, count, in_place ? serving.ranks() : 1);
    return serving.run(from, to);
}

// Data that are moved: what is read is packed first, what has arrived is unpacked, where that is needed.
int run_and_move(Serving& serving, Region& from, Region& to) {
    from.load();
    if (serving.call.in_place) to.load();
    const int code = serving.run(from, to);
    to.store();
    return code;
}

}  // namespace

Result Reduce_scatter_block(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    Serving serving(Operation::reduce_scatter, comm);
    if (!serving) return {};
    return reduce_equal_blocks(serving, send, receive, count, type, op);
}

Result Reduce_scatter(const void* send, void* receive, const int counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    Serving serving(Operation::reduce_scatter, comm);
    if (!serving || wrong(counts, type, serving.ranks())) return {};
    if (are_equal(counts, serving.ranks())) return reduce_equal_blocks(serving, send, receive, counts[0], type, op);
    if (!serving.reduces(type, op)) return {};
    std::vector<int> starts(static_cast<std::size_t>(serving.ranks()));
    std::exclusive_scan(counts, counts + serving.ranks(), starts.begin(), 0);
    const int all = starts.back() + counts[serving.ranks() - 1];
    const Region layout(nullptr, type, counts, starts.data(), serving.ranks());
    serving.call.varying = true;
    serving.call.send_blocks = layout.blocks();
    serving.call.in_place = send == MPI_IN_PLACE;
    if (!serving.choose(all * size_of(type))) return {};
    Region from = block_region(send, all, type);
    Region to(receive, type, serving.call.in_place ? all : counts[serving.rank()]);
    return serving.run(from, to);
}

Result Allgatherv(const void* send, int send_count, MPI_Datatype send_type, void* receive, const int receive_counts[],
                  const int displacements[], MPI_Datatype receive_type, MPI_Comm comm) {
    Serving serving(Operation::allgather, comm);
    if (!serving) return {};
    const bool in_place = send == MPI_IN_PLACE;
    const Layout layout{receive_counts, displacements, receive_type, serving.ranks()};
    if (layout.wrong() || (!in_place && wrong(send_count, send_type))) return {};
    Result again;
    if (layout.regular() && serving.repeats({Operation::allgather, 0, in_place, send_count, send_type, receive_counts[0],
                                             receive_type, MPI_OP_NULL, true},
                                            send, receive, again))
        return again;
    Region to = layout.region(receive);
    serving.call.varying = true;
    serving.call.in_place = in_place;
    serving.call.receive_blocks = to.blocks();
    serving.call.block_bytes = to.blocks().size(serving.rank());
    Bytes all = 0;
    for (int rank = 0; rank < serving.ranks(); ++rank) all += to.blocks().size(rank);
    if (!serving.choose(all / serving.ranks())) return {};
    Region from = block_region(send, send_count, send_type);
    return run_and_move(serving, from, to);
}

Result Gatherv(const void* send, int send_count, MPI_Datatype send_type, void* receive, const int receive_counts[],
               const int displacements[], MPI_Datatype receive_type, int root, MPI_Comm comm) {
    Serving serving(Operation::gather, comm, root);
    if (!serving) return {};
    const bool at_root = serving.at_root(), in_place = at_root && send == MPI_IN_PLACE;
    const Layout layout{receive_counts, displacements, receive_type, serving.ranks()};
    if (at_root ? layout.wrong() : wrong(send_count, send_type)) return {};
    const int count = at_root ? receive_counts[0] : 0;
    Result again;
    if ((!at_root || layout.regular()) &&
        serving.repeats({Operation::gather, root, in_place, send_count, send_type, count, receive_type, MPI_OP_NULL, true},
                        send, receive, again))
        return again;
    serving.call.varying = true;
    serving.call.in_place = in_place;
    if (!serving.choose(std::nullopt)) return {};
    Region from = block_region(send, send_count, send_type);
    Region to = at_root ? layout.region(receive) : Region();
    serving.call.receive_blocks = to.blocks();
    serving.call.block_bytes = at_root ? to.blocks().size(serving.rank()) : send_count * size_of(send_type);
    return run_and_move(serving, from, to);
}

Result Scatterv(const void* send, const int send_counts[], const int displacements[], MPI_Datatype send_type, void* receive,
                int receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm) {
    Serving serving(Operation::scatter, comm, root);
    if (!serving) return {};
    const bool at_root = serving.at_root(), in_place = at_root && receive == MPI_IN_PLACE;
    const Layout layout{send_counts, displacements, send_type, serving.ranks()};
    if (at_root ? layout.wrong() : wrong(receive_count, receive_type)) return {};
    const int count = at_root ? send_counts[0] : 0;
    Result again;
    if ((!at_root || layout.regular()) &&
        serving.repeats({Operation::scatter, root, in_place, count, send_type, receive_count, receive_type, MPI_OP_NULL, true},
                        send, receive, again))
        return again;
    serving.call.varying = true;
    serving.call.in_place = in_place;
    if (!serving.choose(std::nullopt)) return {};
    Region from = at_root ? layout.region(send) : Region();
    Region to = block_region(receive, receive_count, receive_type);
    serving.call.send_blocks = from.blocks();
    serving.call.block_bytes = at_root ? from.blocks().size(serving.rank()) : receive_count * size_of(receive_type);
    from.load();
    const int code = serving.run(from, to);
    to.store();
    return code;
}

Result Alltoallv(const void* send, const int send_counts[], const int send_displacements[], MPI_Datatype send_type,
                 void* receive, const int receive_counts[], const int receive_displacements[], MPI_Datatype receive_type,
                 MPI_Comm comm) {
    Serving serving(Operation::alltoall, comm);
    if (!serving || send == MPI_IN_PLACE) return {};
    const Layout out{send_counts, send_displacements, send_type, serving.ranks()};
    const Layout in{receive_counts, receive_displacements, receive_type, serving.ranks()};
    if (out.wrong() || in.wrong()) return {};
    Result again;
    if (out.regular() && in.regular() &&
        serving.repeats(
            {Operation::alltoall, 0, false, send_counts[0], send_type, receive_counts[0], receive_type, MPI_OP_NULL, true},
            send, receive, again))
        return again;
    serving.call.varying = true;
    if (!serving.choose(std::nullopt)) return {};
    Region from = out.region(send), to = in.region(receive);
    serving.call.send_blocks = from.blocks();
    serving.call.receive_blocks = to.blocks();
    return run_and_move(serving, from, to);
}

}  // namespace kumihimo::collectives::execute
