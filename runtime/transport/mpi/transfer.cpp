// put and get over one-sided MPI: one call for a run of bytes, else datatypes.
#include "runtime/transport/mpi/one_sided.hpp"

namespace kumihimo::transport::mpi {

namespace {

// The widest unsigned type that a shape is made of: MPI moves 8 bytes faster than 8 times one.
std::size_t width_of(const Correspondence& shape) {
    sets::Index all = shape.run() | 8;
    for (const sets::PairedLevel& level : shape.levels()) all |= level.to | level.from;
    return static_cast<std::size_t>(all & -all);  // the lowest bit set
}

void get_run(Window& window, int rank, std::size_t offset, std::byte* to, std::size_t bytes) {
    const Pending::Access access = run_at(offset, bytes);
    const int count = static_cast<int>(bytes);
    window.order(rank, access);
    check(MPI_Get(to, count, MPI_BYTE, window.target(rank), window.displacement(rank, access.first), count, MPI_BYTE,
                  window.handle()),
          "MPI_Get");
    window.flush_local(rank);
}

void put_run(Window& window, int rank, std::size_t offset, const std::byte* from, std::size_t bytes) {
    const Pending::Access access = run_at(offset, bytes);
    const int count = static_cast<int>(bytes);
    window.order(rank, access);
    window.under_way(rank, access);
    check(MPI_Put(from, count, MPI_BYTE, window.target(rank), window.displacement(rank, access.first), count, MPI_BYTE,
                  window.handle()),
          "MPI_Put");
    window.sent(rank);
}

// What MPI moves a shape in.
struct Unit {
    std::size_t bytes;
    MPI_Datatype type;
    explicit Unit(const Correspondence& shape)
        : bytes(shape.contiguous() ? 1 : width_of(shape)), type(shape.contiguous() ? MPI_BYTE : unsigned_of(bytes)) {}
};

}  // namespace

void Mpi::get_shape(Window& window, int rank, std::size_t offset, std::byte* to, const Correspondence& shape) {
    const auto read = [&](std::byte* near, const Correspondence& part) {
        const Unit unit(part);
        for_each_call(window, rank, offset, near, part, unit.type, unit.bytes, [&](const Call& call) {
            check(MPI_Get(call.near, call.near_count, call.near_type, window.target(rank), call.far, call.far_count,
                          call.far_type, window.handle()),
                  "MPI_Get");
        });
    };
    const Correspondence simple = shape.ascending(End::to);
    if (fit_for_datatypes(simple)) {
        read(to, simple);
        return window.flush_local(rank);
    }
    std::vector<std::byte> row(bytes_of(simple));
    for_each_slice(simple.dense(End::from), [&](const Correspondence& slice) { read(row.data(), slice); });
    window.flush_local(rank);
    unpack(simple, row.data(), to);
}

void Mpi::put_shape(Window& window, int rank, std::size_t offset, const std::byte* from, const Correspondence& shape) {
    send_shape(window, rank, from, shape, [&](const std::byte* near, const Correspondence& part) {
        const Unit unit(part);
        for_each_call(window, rank, offset, near, part, unit.type, unit.bytes, [&](const Call& call) {
            check(MPI_Put(call.near, call.near_count, call.near_type, window.target(rank), call.far, call.far_count,
                          call.far_type, window.handle()),
                  "MPI_Put");
        });
    });
}

void Mpi::get(Region& region, int rank, std::size_t offset, std::byte* to, const Correspondence& shape) {
    if (one_run(shape, largest_piece))
        return get_run(window_of(region), rank, offset + static_cast<std::size_t>(shape.from()), to + shape.to(),
                       bytes_of(shape));
    get_ordered(window_of(region), rank, offset, to, shape.turned());
}

void Mpi::put(Region& region, int rank, std::size_t offset, const std::byte* from, const Correspondence& shape) {
    if (one_run(shape, largest_piece))
        return put_run(window_of(region), rank, offset + static_cast<std::size_t>(shape.to()), from + shape.from(),
                       bytes_of(shape));
    put_ordered(window_of(region), rank, offset, from, shape);
}

void Mpi::get_ordered(Window& window, int rank, std::size_t offset, std::byte* to, const Correspondence& shape) {
    if (shape.bytes() == 0) return;
    window.order(rank, access_of(offset, shape, 0));
    get_shape(window, rank, offset, to, shape);
}

void Mpi::put_ordered(Window& window, int rank, std::size_t offset, const std::byte* from, const Correspondence& shape) {
    if (shape.bytes() == 0) return;
    const Pending::Access access = access_of(offset, shape, 0);
    window.order(rank, access);
    window.under_way(rank, access);
    put_shape(window, rank, offset, from, shape);
}

}  // namespace kumihimo::transport::mpi
