#include "collectives/executor/operations.hpp"

#include "collectives/executor/checks.hpp"
#include "collectives/executor/serving.hpp"

namespace kumihimo::collectives::execute {

namespace {

Result reduction(Serving& serving, const void* send, void* receive, int count, MPI_Datatype type, bool has_result) {
    serving.call.bytes = count * size_of(type);
    serving.call.in_place = send == MPI_IN_PLACE;
    if (!serving.choose(serving.call.bytes)) return {};
    Region from = block_region(send, count, type), to = has_result ? Region(receive, type, count) : Region();
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

}  // namespace kumihimo::collectives::execute
