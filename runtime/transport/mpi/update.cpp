// What MPI computes at the other image: accumulate and atomic. What it cannot is done by swaps, or under a lock.
#include <algorithm>

#include "kumihimo/generated.h"
#include "runtime/transport/mpi/one_sided.hpp"

namespace kumihimo::transport::mpi {

namespace {

// What MPI computes itself. A difference is the sum of the negative.
MPI_Op operation_of(Reduction operation) {
    switch (operation) {
        case Reduction::sum:
        case Reduction::difference:
            return MPI_SUM;
        case Reduction::product:
            return MPI_PROD;
        case Reduction::bit_and:
            return MPI_BAND;
        case Reduction::bit_or:
            return MPI_BOR;
        case Reduction::bit_xor:
            return MPI_BXOR;
        default:
            return MPI_OP_NULL;
    }
}

// Accumulates of one kind may meet each other under way: MPI orders and serialises them (MPI 3.1, 11.7.1, 11.7.2).
int kind_of(Reduction operation, int type) {
    const Reduction same = operation == Reduction::difference ? Reduction::sum : operation;
    return 1 + static_cast<int>(same) + 16 * type;
}

}  // namespace

void Mpi::accumulate(Region& region, int rank, std::size_t offset, const std::byte* from, const Correspondence& shape,
                     Reduction operation, int type) {
    const Combine combine = combine_of(operation, type);
    if (shape.bytes() == 0) return;
    Window& window = window_of(region);
    const std::size_t element = bytes_of_type(type);
    const Pending::Access access = access_of(offset, shape, kind_of(operation, type));
    window.order(rank, access);

    const MPI_Op native = operation_of(operation);
    // A complex sum is two sums: Open MPI 4.1 adds a single complex number of 8 bytes as if it were an integer.
    const bool by_parts = native == MPI_SUM && type == XMP_TYPE_FLOAT_COMPLEX;
    const MPI_Datatype unit = by_parts ? MPI_FLOAT : datatype_of(type);
    const std::size_t unit_bytes = by_parts ? sizeof(float) : element;
    // C's sums wrap around; those of Open MPI 4.1 on integers of 1 and 2 bytes stop at the greatest value (its vector unit's
    // adds).
    const bool stops = native == MPI_SUM && element < sizeof(int);
    const bool natively = native != MPI_OP_NULL && unit != MPI_DATATYPE_NULL && !stops;
    if (natively && operation != Reduction::difference) {
        window.under_way(rank, access);
        return accumulate_natively(window, rank, offset, from, shape, native, unit, unit_bytes);
    }
    std::vector<std::byte> operands = packed(shape, from);
    if (natively) {
        negate(type, operands.data(), operands.size() / element);
        window.under_way(rank, access);
        accumulate_natively(window, rank, offset, operands.data(), shape.dense(End::from), native, unit, unit_bytes);
    } else if (window.swaps(element)) {
        accumulate_by_swaps(window, rank, offset, std::move(operands), shape, combine, element);
    } else {
        accumulate_locked(window, rank, offset, std::move(operands), shape, combine, element);
    }
}

void Mpi::accumulate_natively(Window& window, int rank, std::size_t offset, const std::byte* from, const Correspondence& shape,
                              MPI_Op operation, MPI_Datatype unit, std::size_t unit_bytes) {
    send_shape(window, rank, from, shape, [&](const std::byte* near, const Correspondence& part) {
        for_each_call(window, rank, offset, near, part, unit, unit_bytes, [&](const Call& call) {
            check(MPI_Accumulate(call.near, call.near_count, call.near_type, window.target(rank), call.far, call.far_count,
                                 call.far_type, operation, window.handle()),
                  "MPI_Accumulate");
        });
    });
}

// Operations that MPI has not: every element is swapped for its new value if it still has the old one; who lost tries again.
// All swaps of a round are under way together.
void Mpi::accumulate_by_swaps(Window& window, int rank, std::size_t offset, std::vector<std::byte> operands,
                              const Correspondence& shape, Combine combine, std::size_t element) {
    struct Swap {
        std::size_t number;  // of the element
        std::ptrdiff_t far;
    };
    constexpr std::size_t round = 1024;
    const MPI_Datatype unit = unsigned_of(element);
    std::vector<std::byte> before(operands.size()), after(operands.size()), found(operands.size());
    get_shape(window, rank, offset, before.data(), shape.dense(End::from));
    std::vector<Swap> waiting;
    shape.for_each_run([&, each = static_cast<std::ptrdiff_t>(element)](std::ptrdiff_t far, std::ptrdiff_t) {
        for (std::ptrdiff_t at = 0; at < shape.run(); at += each) waiting.push_back({waiting.size(), far + at});
    });
    while (!waiting.empty()) {
        std::vector<Swap> lost;
        for (std::size_t i = 0; i < waiting.size(); ++i) {
            const auto [number, far] = waiting[i];
            std::byte* const value = &after[number * element];
            std::copy_n(&before[number * element], element, value);
            combine(value, &operands[number * element], 1);
            check(MPI_Compare_and_swap(value, &before[number * element], &found[number * element], unit, window.target(rank),
                                       window.displacement(rank, static_cast<std::ptrdiff_t>(offset) + far), window.handle()),
                  "MPI_Compare_and_swap");
            if (i % round == round - 1) window.flush(rank);
        }
        window.flush(rank);
        for (const Swap& swap : waiting) {
            const std::size_t at = swap.number * element;
            if (std::equal(&before[at], &before[at] + element, &found[at])) continue;
            std::copy_n(&found[at], element, &before[at]);
            lost.push_back(swap);
        }
        waiting = std::move(lost);
    }
}

// Elements too large for a swap: read, computed and written while this image holds the lock of the other.
void Mpi::accumulate_locked(Window& window, int rank, std::size_t offset, std::vector<std::byte> operands,
                            const Correspondence& shape, Combine combine, std::size_t element) {
    const Lock lock(*this, rank);
    const Correspondence moved = shape.dense(End::from);
    std::vector<std::byte> values(operands.size());
    get_shape(window, rank, offset, values.data(), moved);
    combine(values.data(), operands.data(), operands.size() / element);
    put_shape(window, rank, offset, values.data(), moved);
    window.flush(rank);
}

// ---- atomics ----

namespace {

MPI_Op operation_of(Atomic operation) {
    switch (operation) {
        case Atomic::define:
            return MPI_REPLACE;
        case Atomic::add:
            return MPI_SUM;
        case Atomic::bit_and:
            return MPI_BAND;
        case Atomic::bit_or:
            return MPI_BOR;
        case Atomic::bit_xor:
            return MPI_BXOR;
        default:
            return MPI_NO_OP;
    }
}

template <typename T>
std::int64_t atomic_on(Window& window, int rank, std::size_t offset, MPI_Datatype type, Atomic operation, T operand,
                       T compare) {
    const MPI_Aint far = window.displacement(rank, static_cast<std::ptrdiff_t>(offset));
    T before{};
    if (operation == Atomic::compare_and_swap)
        check(MPI_Compare_and_swap(&operand, &compare, &before, type, window.target(rank), far, window.handle()),
              "MPI_Compare_and_swap");
    else
        check(MPI_Fetch_and_op(&operand, &before, type, window.target(rank), far, operation_of(operation), window.handle()),
              "MPI_Fetch_and_op");
    window.flush(rank);
    return before;
}

}  // namespace

// On windows where MPI cannot swap 8 bytes, everything on 8 bytes is done under the lock, and a swap by hand.
std::int64_t Mpi::atomic_locked(Window& window, int rank, std::size_t offset, Atomic operation, std::int64_t operand,
                                std::int64_t compare) {
    const Lock lock(*this, rank);
    if (operation != Atomic::compare_and_swap) return atomic_on(window, rank, offset, MPI_INT64_T, operation, operand, compare);
    const std::int64_t before = atomic_on<std::int64_t>(window, rank, offset, MPI_INT64_T, Atomic::ref, 0, 0);
    if (before == compare) atomic_on(window, rank, offset, MPI_INT64_T, Atomic::define, operand, compare);
    return before;
}

std::int64_t Mpi::atomic(Region& region, int rank, std::size_t offset, std::size_t bytes, Atomic operation,
                         std::int64_t operand, std::int64_t compare) {
    Window& window = window_of(region);
    const auto start = static_cast<std::ptrdiff_t>(offset);
    window.order(rank, {start, start + static_cast<std::ptrdiff_t>(bytes), 0});
    if (bytes == sizeof(std::int32_t))
        return atomic_on(window, rank, offset, MPI_INT32_T, operation, static_cast<std::int32_t>(operand),
                         static_cast<std::int32_t>(compare));
    if (!window.swaps(bytes)) return atomic_locked(window, rank, offset, operation, operand, compare);
    return atomic_on(window, rank, offset, MPI_INT64_T, operation, operand, compare);
}

}  // namespace kumihimo::transport::mpi
