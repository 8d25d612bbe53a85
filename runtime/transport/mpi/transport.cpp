#include "runtime/transport/mpi/transport.hpp"

#include <algorithm>
#include <vector>

#include "base/family.hpp"
#include "base/wait.hpp"
#include "kumihimo/generated.h"
#include "runtime/transport/elements.hpp"
#include "runtime/transport/mpi/datatypes.hpp"
#include "runtime/transport/mpi/window.hpp"
#include "runtime/transport/shape.hpp"

namespace kumihimo::transport::mpi {

namespace {

constexpr std::size_t largest_piece = std::size_t{1} << 30;  // counts are int

// The arguments that MPI's transfers share.
struct Call {
    std::byte* near;
    int near_count;
    MPI_Datatype near_type;
    MPI_Aint far;
    int far_count;
    MPI_Datatype far_type;
};

Pending::Access access_of(std::size_t offset, const Shape& shape, int kind) {
    const Extent extent = far_extent(shape);
    const auto start = static_cast<std::ptrdiff_t>(offset);
    return {start + extent.first, start + extent.end, kind};
}

// The widest unsigned type that a shape is made of: MPI moves 8 bytes faster than 8 times one.
std::size_t width_of(const Shape& shape) {
    std::size_t all = shape.element_bytes | 8;
    for (int d = 0; d < shape.rank; ++d)
        all |= static_cast<std::size_t>(shape.near[d]) | static_cast<std::size_t>(shape.far[d]);
    return all & (~all + 1);  // the lowest bit set
}

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

class Mpi final : public Transport {
public:
    explicit Mpi(MPI_Comm parent) {
        MPI_Comm_dup(parent, &communicator_);
        MPI_Comm_set_errhandler(communicator_, MPI_ERRORS_RETURN);
        MPI_Comm_rank(communicator_, &rank_);
        try {
            locks_ = Window::allocate(communicator_, sizeof(std::int32_t), never_fenced_);
        } catch (...) {
            MPI_Comm_free(&communicator_);
            throw;
        }
    }
    ~Mpi() override {
        locks_.reset();
        MPI_Comm_free(&communicator_);
    }
    Mpi(const Mpi&) = delete;
    Mpi& operator=(const Mpi&) = delete;

    std::string name() const override { return "mpi"; }
    std::string description() const override { return base::family_library(); }

    std::unique_ptr<Region> attach(std::byte* memory, std::size_t bytes) override {
        return Window::over(communicator_, memory, bytes, live_);
    }
    std::unique_ptr<Region> allocate(std::size_t bytes) override { return Window::allocate(communicator_, bytes, live_); }

    void get(Region& region, int rank, std::size_t offset, std::byte* to, const Shape& shape) override;
    void put(Region& region, int rank, std::size_t offset, const std::byte* from, const Shape& shape) override;
    void accumulate(Region& region, int rank, std::size_t offset, const std::byte* from, const Shape& shape,
                    Reduction operation, int type) override;
    std::int64_t atomic(Region& region, int rank, std::size_t offset, std::size_t bytes, Atomic operation, std::int64_t operand,
                        std::int64_t compare) override;
    void fence() override {
        for (Window* const window : live_) window->complete();
    }
    void poll() override {
        int ignored = 0;
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, communicator_, &ignored, MPI_STATUS_IGNORE);
    }

private:
    // Held: this image is the only one that works locked on an image.
    class Lock {
    public:
        Lock(Mpi& transport, int rank) : transport_(transport), rank_(rank) {
            const std::int64_t mine = transport_.rank_ + 1;
            base::wait_until([&] {
                if (word(Atomic::compare_and_swap, mine) == 0) return true;
                transport_.poll();  // the holder may need this image: asking for a word of its own makes no progress
                return false;
            });
        }
        ~Lock() { word(Atomic::define, 0); }
        Lock(const Lock&) = delete;
        Lock& operator=(const Lock&) = delete;

    private:
        std::int64_t word(Atomic operation, std::int64_t value) {
            return transport_.atomic(*transport_.locks_, rank_, 0, sizeof(std::int32_t), operation, value, 0);
        }
        Mpi& transport_;
        int rank_;
    };

    static Window& window_of(Region& region) { return static_cast<Window&>(region); }

    // Cuts a shape into transfers of MPI.
    template <typename Transfer>
    void for_each_call(const Window& window, int rank, std::size_t offset, const std::byte* near, const Shape& shape,
                       MPI_Datatype unit, std::size_t unit_bytes, Transfer&& transfer);
    template <typename Transfer>
    void send_shape(Window& window, int rank, std::size_t offset, const std::byte* from, const Shape& shape,
                    Transfer&& transfer);
    void get_shape(Window& window, int rank, std::size_t offset, std::byte* to, const Shape& shape);
    void put_shape(Window& window, int rank, std::size_t offset, const std::byte* from, const Shape& shape);

    void accumulate_natively(Window& window, int rank, std::size_t offset, const std::byte* from, const Shape& shape,
                             MPI_Op operation, MPI_Datatype unit, std::size_t unit_bytes);
    void accumulate_by_swaps(Window& window, int rank, std::size_t offset, std::vector<std::byte> operands, const Shape& shape,
                             Combine combine, std::size_t element);
    void accumulate_locked(Window& window, int rank, std::size_t offset, std::vector<std::byte> operands, const Shape& shape,
                           Combine combine, std::size_t element);
    std::int64_t atomic_locked(Window& window, int rank, std::size_t offset, Atomic operation, std::int64_t operand,
                               std::int64_t compare);

    MPI_Comm communicator_ = MPI_COMM_NULL;
    int rank_ = 0;
    Window::Live live_, never_fenced_;
    Datatypes datatypes_{[this] { fence(); }};
    std::unique_ptr<Window> locks_;  // one word on each image: 0, or 1 + the image that holds it
};

template <typename Transfer>
void Mpi::for_each_call(const Window& window, int rank, std::size_t offset, const std::byte* near, const Shape& shape,
                        MPI_Datatype unit, std::size_t unit_bytes, Transfer&& transfer) {
    std::byte* const start = const_cast<std::byte*>(near);  // MPI's calls share their arguments: only gets write here
    const auto start_far = static_cast<std::ptrdiff_t>(offset);
    for_each_piece(shape, largest_piece, unit_bytes,
                   [&](std::ptrdiff_t near_offset, std::ptrdiff_t far_offset, const Shape& piece) {
                       const MPI_Aint far = window.displacement(rank, start_far + far_offset);
                       if (piece.rank == 0) {
                           const int count = static_cast<int>(piece.element_bytes / unit_bytes);
                           transfer(Call{start + near_offset, count, unit, far, count, unit});
                       } else {
                           const MPI_Datatype near_type = datatypes_.of(piece, piece.near, unit, unit_bytes);
                           const MPI_Datatype far_type = datatypes_.of(piece, piece.far, unit, unit_bytes);
                           transfer(Call{start + near_offset, 1, near_type, far, 1, far_type});
                       }
                   });
}

// Open MPI 4.1 moves elements in the order of memory, whatever the datatype says, if they fill their range (strides that go
// back or are not nested): datatypes are only made of nested sides.
bool fit_for_datatypes(const Shape& shape) {
    return shape.rank == 0 || (nested(shape, shape.near) && nested(shape, shape.far));
}

// A far side that is not nested is taken apart along its first dimension.
template <typename Transfer>
void for_each_slice(const Shape& shape, Transfer&& transfer, std::ptrdiff_t near = 0, std::ptrdiff_t far = 0) {
    if (nested(shape, shape.far)) return transfer(near, far, shape);
    Shape slice = shape;
    --slice.rank;
    for (int d = 0; d < slice.rank; ++d) {
        slice.count[d] = shape.count[d + 1];
        slice.near[d] = shape.near[d + 1], slice.far[d] = shape.far[d + 1];
    }
    for (std::int64_t i = 0; i < shape.count[0]; ++i)
        for_each_slice(slice, transfer, near + i * shape.near[0], far + i * shape.far[0]);
}

// ---- put and get ----

void Mpi::get_shape(Window& window, int rank, std::size_t offset, std::byte* to, const Shape& shape) {
    const auto read = [&](const std::byte* near, std::size_t far, const Shape& part) {
        const std::size_t width = part.rank == 0 ? 1 : width_of(part);
        for_each_call(window, rank, far, near, part, part.rank == 0 ? MPI_BYTE : unsigned_of(width), width,
                      [&](const Call& call) {
                          check(MPI_Get(call.near, call.near_count, call.near_type, rank, call.far, call.far_count,
                                        call.far_type, window.handle()),
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

// Shows `transfer` (near, far offset, shape) a shape that is fit for datatypes, packed if it must be.
template <typename Transfer>
void Mpi::send_shape(Window& window, int rank, std::size_t offset, const std::byte* from, const Shape& shape,
                     Transfer&& transfer) {
    if (shape.rank == 0) {
        transfer(from, offset, shape);
        return window.flush_local(rank);
    }
    const auto [simple, near, far] = simplified(shape);
    const std::size_t start = offset + static_cast<std::size_t>(far);
    if (fit_for_datatypes(simple)) {
        transfer(from + near, start, simple);
        return window.flush_local(rank);
    }
    std::vector<std::byte> packed(elements(simple) * simple.element_bytes);
    pack(simple, from + near, packed.data());
    for_each_slice(packed_near(simple), [&](std::ptrdiff_t at, std::ptrdiff_t to, const Shape& slice) {
        transfer(packed.data() + at, start + static_cast<std::size_t>(to), slice);
    });
    window.flush_local(rank);
}

void Mpi::put_shape(Window& window, int rank, std::size_t offset, const std::byte* from, const Shape& shape) {
    send_shape(window, rank, offset, from, shape, [&](const std::byte* near, std::size_t far, const Shape& part) {
        const std::size_t width = part.rank == 0 ? 1 : width_of(part);
        for_each_call(window, rank, far, near, part, part.rank == 0 ? MPI_BYTE : unsigned_of(width), width,
                      [&](const Call& call) {
                          check(MPI_Put(call.near, call.near_count, call.near_type, rank, call.far, call.far_count,
                                        call.far_type, window.handle()),
                                "MPI_Put");
                      });
    });
}

void Mpi::get(Region& region, int rank, std::size_t offset, std::byte* to, const Shape& shape) {
    if (elements(shape) == 0) return;
    Window& window = window_of(region);
    window.order(rank, access_of(offset, shape, 0));
    get_shape(window, rank, offset, to, shape);
}

void Mpi::put(Region& region, int rank, std::size_t offset, const std::byte* from, const Shape& shape) {
    if (elements(shape) == 0) return;
    Window& window = window_of(region);
    const Pending::Access access = access_of(offset, shape, 0);
    window.order(rank, access);
    window.under_way(rank, access);
    put_shape(window, rank, offset, from, shape);
}

// ---- accumulate ----

void Mpi::accumulate(Region& region, int rank, std::size_t offset, const std::byte* from, const Shape& shape,
                     Reduction operation, int type) {
    const Combine combine = combine_of(operation, type);
    if (elements(shape) == 0) return;
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
    std::vector<std::byte> operands(elements(shape) * element);
    pack(shape, from, operands.data());
    if (natively) {
        negate(type, operands.data(), operands.size() / element);
        window.under_way(rank, access);
        accumulate_natively(window, rank, offset, operands.data(), packed_near(shape), native, unit, unit_bytes);
    } else if (window.swaps(element)) {
        accumulate_by_swaps(window, rank, offset, std::move(operands), shape, combine, element);
    } else {
        accumulate_locked(window, rank, offset, std::move(operands), shape, combine, element);
    }
}

void Mpi::accumulate_natively(Window& window, int rank, std::size_t offset, const std::byte* from, const Shape& shape,
                              MPI_Op operation, MPI_Datatype unit, std::size_t unit_bytes) {
    send_shape(window, rank, offset, from, shape, [&](const std::byte* near, std::size_t far, const Shape& part) {
        for_each_call(window, rank, far, near, part, unit, unit_bytes, [&](const Call& call) {
            check(MPI_Accumulate(call.near, call.near_count, call.near_type, rank, call.far, call.far_count, call.far_type,
                                 operation, window.handle()),
                  "MPI_Accumulate");
        });
    });
}

// Operations that MPI has not: every element is swapped for its new value if it still has the old one; who lost tries again.
// All swaps of a round are under way together.
void Mpi::accumulate_by_swaps(Window& window, int rank, std::size_t offset, std::vector<std::byte> operands, const Shape& shape,
                              Combine combine, std::size_t element) {
    struct Swap {
        std::size_t number;  // of the element
        std::ptrdiff_t far;
    };
    constexpr std::size_t round = 1024;
    const MPI_Datatype unit = unsigned_of(element);
    std::vector<std::byte> before(operands.size()), after(operands.size()), found(operands.size());
    get_shape(window, rank, offset, before.data(), packed_near(shape));
    std::vector<Swap> waiting;
    for_each_element(shape, [&](std::ptrdiff_t, std::ptrdiff_t far) { waiting.push_back({waiting.size(), far}); });
    while (!waiting.empty()) {
        std::vector<Swap> lost;
        for (std::size_t i = 0; i < waiting.size(); ++i) {
            const auto [number, far] = waiting[i];
            std::byte* const value = &after[number * element];
            std::copy_n(&before[number * element], element, value);
            combine(value, &operands[number * element], 1);
            check(MPI_Compare_and_swap(value, &before[number * element], &found[number * element], unit, rank,
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
void Mpi::accumulate_locked(Window& window, int rank, std::size_t offset, std::vector<std::byte> operands, const Shape& shape,
                            Combine combine, std::size_t element) {
    const Lock lock(*this, rank);
    const Shape moved = packed_near(shape);
    std::vector<std::byte> values(operands.size());
    get_shape(window, rank, offset, values.data(), moved);
    combine(values.data(), operands.data(), operands.size() / element);
    put_shape(window, rank, offset, values.data(), moved);
    window.flush(rank);
}

// ---- atomics ----

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
        check(MPI_Compare_and_swap(&operand, &compare, &before, type, rank, far, window.handle()), "MPI_Compare_and_swap");
    else
        check(MPI_Fetch_and_op(&operand, &before, type, rank, far, operation_of(operation), window.handle()),
              "MPI_Fetch_and_op");
    window.flush(rank);
    return before;
}

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

}  // namespace

std::unique_ptr<Transport> make(MPI_Comm communicator) {
    return std::make_unique<Mpi>(communicator);
}

}  // namespace kumihimo::transport::mpi
