// put and get over one-sided MPI: one call for a run of bytes, else datatypes.
#include "runtime/transport/mpi/one_sided.hpp"

namespace kumihimo::transport::mpi {

namespace {

// The widest unsigned type that a shape is made of: MPI moves 8 bytes faster than 8 times one.
std::size_t width_of(const Shape& shape) {
    std::size_t all = shape.element_bytes | 8;
    for (int d = 0; d < shape.rank; ++d)
        all |= static_cast<std::size_t>(shape.near[d]) | static_cast<std::size_t>(shape.far[d]);
    return all & (~all + 1);  // the lowest bit set
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

}  // namespace

void Mpi::get_shape(Window& window, int rank, std::size_t offset, std::byte* to, const Shape& shape) {
    const auto read = [&](const std::byte* near, std::size_t far, const Shape& part) {
        const std::size_t width = part.rank == 0 ? 1 : width_of(part);
        for_each_call(window, rank, far, near, part, part.rank == 0 ? MPI_BYTE : unsigned_of(width), width,
                      [&](const Call& call) {
                          check(MPI_Get(call.near, call.near_count, call.near_type, window.target(rank), call.far,
                                        call.far_count, call.far_type, window.handle()),
                                "MPI_Get");
                      });
    };
    if (shape.rank == 0) {
        read(to, offset, shape);
        return window.flush_local(rank);
    }
    const auto [simple, near, far] = simplified(shape);
    const std::size_t start = offset + static_cast<std::size_t>(far);
    if (fit_for_datatypes(simple)) {
        read(to + near, start, simple);
        return window.flush_local(rank);
    }
    std::vector<std::byte> packed(elements(simple) * simple.element_bytes);
    for_each_slice(packed_near(simple), [&](std::ptrdiff_t from, std::ptrdiff_t at, const Shape& slice) {
        read(packed.data() + from, start + static_cast<std::size_t>(at), slice);
    });
    window.flush_local(rank);
    unpack(simple, packed.data(), to + near);
}

void Mpi::put_shape(Window& window, int rank, std::size_t offset, const std::byte* from, const Shape& shape) {
    send_shape(window, rank, offset, from, shape, [&](const std::byte* near, std::size_t far, const Shape& part) {
        const std::size_t width = part.rank == 0 ? 1 : width_of(part);
        for_each_call(window, rank, far, near, part, part.rank == 0 ? MPI_BYTE : unsigned_of(width), width,
                      [&](const Call& call) {
                          check(MPI_Put(call.near, call.near_count, call.near_type, window.target(rank), call.far,
                                        call.far_count, call.far_type, window.handle()),
                                "MPI_Put");
                      });
    });
}

void Mpi::get(Region& region, int rank, std::size_t offset, std::byte* to, const Shape& shape) {
    if (one_run(shape, largest_piece)) return get_run(window_of(region), rank, offset, to, shape.element_bytes);
    get_ordered(window_of(region), rank, offset, to, shape);
}

void Mpi::put(Region& region, int rank, std::size_t offset, const std::byte* from, const Shape& shape) {
    if (one_run(shape, largest_piece)) return put_run(window_of(region), rank, offset, from, shape.element_bytes);
    put_ordered(window_of(region), rank, offset, from, shape);
}

void Mpi::get_ordered(Window& window, int rank, std::size_t offset, std::byte* to, const Shape& shape) {
    if (elements(shape) == 0) return;
    window.order(rank, access_of(offset, shape, 0));
    get_shape(window, rank, offset, to, shape);
}

void Mpi::put_ordered(Window& window, int rank, std::size_t offset, const std::byte* from, const Shape& shape) {
    if (elements(shape) == 0) return;
    const Pending::Access access = access_of(offset, shape, 0);
    window.order(rank, access);
    window.under_way(rank, access);
    put_shape(window, rank, offset, from, shape);
}

}  // namespace kumihimo::transport::mpi
