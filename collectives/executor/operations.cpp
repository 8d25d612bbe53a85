#include "collectives/executor/operations.hpp"

#include <numeric>
#include <vector>

#include "collectives/executor/serving.hpp"

namespace kumihimo::collectives::execute {

namespace {

bool wrong(int count, MPI_Datatype type) {
    return count < 0 || type == MPI_DATATYPE_NULL;
}

bool wrong(const int counts[], MPI_Datatype type, int ranks) {
    if (counts == nullptr || type == MPI_DATATYPE_NULL) return true;
    for (int i = 0; i < ranks; ++i)
        if (counts[i] < 0) return true;
    return false;
}

// What a rank contributes or gets apart from the blocks of all: its size where the argument says so, else (in place) the size
// of its block.
Region block_region(const void* memory, int count, MPI_Datatype type) {
    return memory == MPI_IN_PLACE ? Region() : Region(memory, type, count);
}

Result reduction(Serving& serving, const void* send, void* receive, int count, MPI_Datatype type, bool has_result) {
    serving.call.bytes = count * size_of(type);
    serving.call.in_place = send == MPI_IN_PLACE;
    if (!serving.choose(serving.call.bytes)) return {};
    Region from = block_region(send, count, type), to = has_result ? Region(receive, type, count) : Region();
    return serving.run(from, to);
}

Result reduction_of_blocks(Serving& serving, const void* send, void* receive, const int counts[], MPI_Datatype type) {
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

}  // namespace

Result Barrier(MPI_Comm comm) {
    const Arguments arguments{Operation::barrier};
    Result again;
    if (repeat(arguments, comm, nullptr, nullptr, again)) return again;
    Serving serving(arguments, comm);
    if (!serving || !serving.choose(0)) return {};
    Region none;
    return serving.run(none, none);
}

Result Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
    const Arguments arguments{Operation::broadcast, root, false, count, type};
    Result again;
    if (repeat(arguments, comm, nullptr, buffer, again)) return again;
    Serving serving(arguments, comm);
    if (!serving || wrong(count, type)) return {};
    serving.call.bytes = count * size_of(type);
    if (!serving.choose(serving.call.bytes)) return {};
    Region none, data(buffer, type, count);
    if (serving.at_root()) data.load();
    const int code = serving.run(none, data);
    if (!serving.at_root()) data.store();
    return code;
}

Result Reduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
    const Arguments arguments{Operation::reduce, root, send == MPI_IN_PLACE, count, type, 0, MPI_DATATYPE_NULL, op};
    Result again;
    if (repeat(arguments, comm, send, receive, again)) return again;
    Serving serving(arguments, comm);
    if (!serving || wrong(count, type) || !serving.reduces(type, op)) return {};
    return reduction(serving, send, receive, count, type, serving.at_root());
}

Result Allreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    const Arguments arguments{Operation::allreduce, 0, send == MPI_IN_PLACE, count, type, 0, MPI_DATATYPE_NULL, op};
    Result again;
    if (repeat(arguments, comm, send, receive, again)) return again;
    Serving serving(arguments, comm);
    if (!serving || wrong(count, type) || !serving.reduces(type, op)) return {};
    return reduction(serving, send, receive, count, type, true);
}

Result Reduce_scatter(const void* send, void* receive, const int counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    Serving serving(Operation::reduce_scatter, comm);
    if (!serving || wrong(counts, type, serving.ranks()) || !serving.reduces(type, op)) return {};
    return reduction_of_blocks(serving, send, receive, counts, type);
}

Result Reduce_scatter_block(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    const Arguments arguments{Operation::reduce_scatter, 0, send == MPI_IN_PLACE, count, type, 0, MPI_DATATYPE_NULL, op};
    Result again;
    if (repeat(arguments, comm, send, receive, again)) return again;
    Serving serving(arguments, comm);
    if (!serving || wrong(count, type) || !serving.reduces(type, op)) return {};
    const Bytes all = Bytes{count} * serving.ranks();
    serving.set_block(count * size_of(type));
    serving.call.in_place = send == MPI_IN_PLACE;
    if (!serving.choose(all * size_of(type))) return {};
    Region from = serving.call.in_place ? Region() : Region(send, type, count, serving.ranks());
    Region to(receive, type, count, serving.call.in_place ? serving.ranks() : 1);
    return serving.run(from, to);
}

Result Allgather(const void* send, int send_count, MPI_Datatype send_type, void* receive, int receive_count,
                 MPI_Datatype receive_type, MPI_Comm comm) {
    const Arguments arguments{Operation::allgather, 0,           send == MPI_IN_PLACE, send_count, send_type,
                              receive_count,        receive_type};
    Result again;
    if (repeat(arguments, comm, send, receive, again)) return again;
    Serving serving(arguments, comm);
    serving.call.in_place = send == MPI_IN_PLACE;
    if (!serving || wrong(receive_count, receive_type) || (!serving.call.in_place && wrong(send_count, send_type))) return {};
    serving.set_block(receive_count * size_of(receive_type));
    if (!serving.choose(serving.call.block_bytes)) return {};
    Region from = block_region(send, send_count, send_type), to(receive, receive_type, receive_count, serving.ranks());
    from.load();
    if (serving.call.in_place) to.load();
    const int code = serving.run(from, to);
    to.store();
    return code;
}

Result Allgatherv(const void* send, int send_count, MPI_Datatype send_type, void* receive, const int receive_counts[],
                  const int displacements[], MPI_Datatype receive_type, MPI_Comm comm) {
    Serving serving(Operation::allgather, comm);
    serving.call.in_place = send == MPI_IN_PLACE;
    if (!serving || displacements == nullptr || wrong(receive_counts, receive_type, serving.ranks()) ||
        (!serving.call.in_place && wrong(send_count, send_type)))
        return {};
    Region to(receive, receive_type, receive_counts, displacements, serving.ranks());
    serving.call.varying = true;
    serving.call.receive_blocks = to.blocks();
    serving.call.block_bytes = to.blocks().size(serving.rank());
    Bytes all = 0;
    for (int rank = 0; rank < serving.ranks(); ++rank) all += to.blocks().size(rank);
    if (!serving.choose(all / serving.ranks())) return {};
    Region from = block_region(send, send_count, send_type);
    from.load();
    if (serving.call.in_place) to.load();
    const int code = serving.run(from, to);
    to.store();
    return code;
}

Result Gather(const void* send, int send_count, MPI_Datatype send_type, void* receive, int receive_count,
              MPI_Datatype receive_type, int root, MPI_Comm comm) {
    const Arguments arguments{Operation::gather, root,          send == MPI_IN_PLACE, send_count,
                              send_type,         receive_count, receive_type};
    Result again;
    if (repeat(arguments, comm, send, receive, again)) return again;
    Serving serving(arguments, comm);
    if (!serving) return {};
    const bool at_root = serving.at_root();
    serving.call.in_place = at_root && send == MPI_IN_PLACE;
    if (at_root ? wrong(receive_count, receive_type) : wrong(send_count, send_type)) return {};
    serving.set_block(at_root ? receive_count * size_of(receive_type) : send_count * size_of(send_type));
    if (!serving.choose(serving.call.block_bytes)) return {};
    Region from = block_region(send, send_count, send_type);
    Region to = at_root ? Region(receive, receive_type, receive_count, serving.ranks()) : Region();
    from.load();
    if (serving.call.in_place) to.load();
    const int code = serving.run(from, to);
    to.store();
    return code;
}

Result Gatherv(const void* send, int send_count, MPI_Datatype send_type, void* receive, const int receive_counts[],
               const int displacements[], MPI_Datatype receive_type, int root, MPI_Comm comm) {
    Serving serving(Operation::gather, comm, root);
    if (!serving) return {};
    const bool at_root = serving.at_root();
    serving.call.in_place = at_root && send == MPI_IN_PLACE;
    serving.call.varying = true;
    if (at_root ? displacements == nullptr || wrong(receive_counts, receive_type, serving.ranks())
                : wrong(send_count, send_type))
        return {};
    if (!serving.choose(std::nullopt)) return {};
    Region from = block_region(send, send_count, send_type);
    Region to = at_root ? Region(receive, receive_type, receive_counts, displacements, serving.ranks()) : Region();
    serving.call.receive_blocks = to.blocks();
    serving.call.block_bytes = at_root ? to.blocks().size(serving.rank()) : send_count * size_of(send_type);
    from.load();
    if (serving.call.in_place) to.load();
    const int code = serving.run(from, to);
    to.store();
    return code;
}

Result Scatter(const void* send, int send_count, MPI_Datatype send_type, void* receive, int receive_count,
               MPI_Datatype receive_type, int root, MPI_Comm comm) {
    const Arguments arguments{Operation::scatter, root,        receive == MPI_IN_PLACE, send_count, send_type,
                              receive_count,      receive_type};
    Result again;
    if (repeat(arguments, comm, send, receive, again)) return again;
    Serving serving(arguments, comm);
    if (!serving) return {};
    const bool at_root = serving.at_root();
    serving.call.in_place = at_root && receive == MPI_IN_PLACE;
    if (at_root ? wrong(send_count, send_type) : wrong(receive_count, receive_type)) return {};
    serving.set_block(at_root ? send_count * size_of(send_type) : receive_count * size_of(receive_type));
    if (!serving.choose(serving.call.block_bytes)) return {};
    Region from = at_root ? Region(send, send_type, send_count, serving.ranks()) : Region();
    Region to = block_region(receive, receive_count, receive_type);
    from.load();
    const int code = serving.run(from, to);
    to.store();
    return code;
}

Result Scatterv(const void* send, const int send_counts[], const int displacements[], MPI_Datatype send_type, void* receive,
                int receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm) {
    Serving serving(Operation::scatter, comm, root);
    if (!serving) return {};
    const bool at_root = serving.at_root();
    serving.call.in_place = at_root && receive == MPI_IN_PLACE;
    serving.call.varying = true;
    if (at_root ? displacements == nullptr || wrong(send_counts, send_type, serving.ranks())
                : wrong(receive_count, receive_type))
        return {};
    if (!serving.choose(std::nullopt)) return {};
    Region from = at_root ? Region(send, send_type, send_counts, displacements, serving.ranks()) : Region();
    Region to = block_region(receive, receive_count, receive_type);
    serving.call.send_blocks = from.blocks();
    serving.call.block_bytes = at_root ? from.blocks().size(serving.rank()) : receive_count * size_of(receive_type);
    from.load();
    const int code = serving.run(from, to);
    to.store();
    return code;
}

Result Alltoall(const void* send, int send_count, MPI_Datatype send_type, void* receive, int receive_count,
                MPI_Datatype receive_type, MPI_Comm comm) {
    const Arguments arguments{Operation::alltoall, 0, false, send_count, send_type, receive_count, receive_type};
    Result again;
    if (repeat(arguments, comm, send, receive, again)) return again;
    Serving serving(arguments, comm);
    if (!serving || send == MPI_IN_PLACE || wrong(receive_count, receive_type) || wrong(send_count, send_type)) return {};
    serving.set_block(receive_count * size_of(receive_type));
    if (!serving.choose(serving.call.block_bytes)) return {};
    Region from(send, send_type, send_count, serving.ranks()), to(receive, receive_type, receive_count, serving.ranks());
    from.load();
    const int code = serving.run(from, to);
    to.store();
    return code;
}

Result Alltoallv(const void* send, const int send_counts[], const int send_displacements[], MPI_Datatype send_type,
                 void* receive, const int receive_counts[], const int receive_displacements[], MPI_Datatype receive_type,
                 MPI_Comm comm) {
    Serving serving(Operation::alltoall, comm);
    if (!serving || send == MPI_IN_PLACE || send_displacements == nullptr || receive_displacements == nullptr ||
        wrong(receive_counts, receive_type, serving.ranks()) || wrong(send_counts, send_type, serving.ranks()))
        return {};
    serving.call.varying = true;
    if (!serving.choose(std::nullopt)) return {};
    Region from(send, send_type, send_counts, send_displacements, serving.ranks());
    Region to(receive, receive_type, receive_counts, receive_displacements, serving.ranks());
    serving.call.send_blocks = from.blocks();
    serving.call.receive_blocks = to.blocks();
    from.load();
    const int code = serving.run(from, to);
    to.store();
    return code;
}

}  // namespace kumihimo::collectives::execute
