// The transport over one-sided MPI, inside its room only: transfer.cpp moves, update.cpp computes at the other image.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/communicator.hpp"
#include "base/family.hpp"
#include "base/wait.hpp"
#include "runtime/transport/elements.hpp"
#include "runtime/transport/helping.hpp"
#include "runtime/transport/mpi/datatypes.hpp"
#include "runtime/transport/mpi/window.hpp"
#include "runtime/transport/put_form.hpp"
#include "runtime/transport/transport.hpp"

namespace kumihimo::transport::mpi {

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

class Mpi final : public Transport {
public:
    explicit Mpi(MPI_Comm parent) {
        communicator_ = base::copy_of(parent);
        MPI_Comm_set_errhandler(communicator_, MPI_ERRORS_RETURN);
        MPI_Comm_rank(communicator_, &rank_);
        try {
            locks_ = Window::allocate(communicator_, sizeof(std::int32_t), dirty_);
        } catch (...) {
            MPI_Comm_free(&communicator_);
            throw;
        }
        if (thread_may_help()) helper_.emplace([this] { return poll(), false; });  // MPI does not say what it did
    }
    ~Mpi() override {
        helper_.reset();
        locks_.reset();
        MPI_Comm_free(&communicator_);
    }
    Mpi(const Mpi&) = delete;
    Mpi& operator=(const Mpi&) = delete;

    std::string name() const override { return "mpi"; }
    std::string description() const override { return base::family_library(); }

    std::unique_ptr<Region> attach(std::byte* memory, std::size_t bytes, MPI_Comm members) override {
        return Window::over(communicator_, members, memory, bytes, dirty_);
    }
    std::unique_ptr<Region> allocate(std::size_t bytes) override { return Window::allocate(communicator_, bytes, dirty_); }

    void get(Region& region, int rank, std::size_t offset, std::byte* to, const Correspondence& shape) override;
    void put(Region& region, int rank, std::size_t offset, const std::byte* from, const Correspondence& shape) override;
    void accumulate(Region& region, int rank, std::size_t offset, const std::byte* from, const Correspondence& shape,
                    Reduction operation, int type) override;
    std::int64_t atomic(Region& region, int rank, std::size_t offset, std::size_t bytes, Atomic operation, std::int64_t operand,
                        std::int64_t compare) override;
    void fence() override {
        while (!dirty_.empty()) dirty_.back()->complete();
        // What others have put here may be loaded now: windows are unified, so this is all of MPI_Win_sync (MPI 3.1, 11.7).
        std::atomic_thread_fence(std::memory_order_acq_rel);
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

    // These take puts, and gets as puts that go back (put_form.hpp). for_each_call cuts a shape into transfers of MPI.
    template <typename Transfer>
    void for_each_call(const Window& window, int rank, std::size_t offset, const std::byte* near, const Correspondence& shape,
                       MPI_Datatype unit, std::size_t unit_bytes, Transfer&& transfer);
    template <typename Transfer>
    void send_shape(Window& window, int rank, const std::byte* from, const Correspondence& shape, Transfer&& transfer);
    void get_ordered(Window& window, int rank, std::size_t offset, std::byte* to, const Correspondence& shape);
    void put_ordered(Window& window, int rank, std::size_t offset, const std::byte* from, const Correspondence& shape);
    void get_shape(Window& window, int rank, std::size_t offset, std::byte* to, const Correspondence& shape);
    void put_shape(Window& window, int rank, std::size_t offset, const std::byte* from, const Correspondence& shape);

    void accumulate_natively(Window& window, int rank, std::size_t offset, const std::byte* from, const Correspondence& shape,
                             MPI_Op operation, MPI_Datatype unit, std::size_t unit_bytes);
    void accumulate_by_swaps(Window& window, int rank, std::size_t offset, std::vector<std::byte> operands,
                             const Correspondence& shape, Combine combine, std::size_t element);
    void accumulate_locked(Window& window, int rank, std::size_t offset, std::vector<std::byte> operands,
                           const Correspondence& shape, Combine combine, std::size_t element);
    std::int64_t atomic_locked(Window& window, int rank, std::size_t offset, Atomic operation, std::int64_t operand,
                               std::int64_t compare);

    MPI_Comm communicator_ = MPI_COMM_NULL;
    int rank_ = 0;
    Window::Dirty dirty_;
    Datatypes datatypes_{[this] { fence(); }};
    std::unique_ptr<Window> locks_;  // one word on each image: 0, or 1 + the image that holds it
    std::optional<base::Helper> helper_;
};

template <typename Transfer>
void Mpi::for_each_call(const Window& window, int rank, std::size_t offset, const std::byte* near, const Correspondence& shape,
                        MPI_Datatype unit, std::size_t unit_bytes, Transfer&& transfer) {
    std::byte* const start = const_cast<std::byte*>(near);  // MPI's calls share their arguments: only gets write here
    const auto start_far = static_cast<std::ptrdiff_t>(offset);
    shape.for_each_piece(static_cast<sets::Index>(largest_piece), static_cast<sets::Index>(unit_bytes),
                         [&](const Correspondence& piece) {
                             const MPI_Aint far = window.displacement(rank, start_far + piece.to());
                             if (piece.contiguous()) {
                                 const int count = static_cast<int>(bytes_of(piece) / unit_bytes);
                                 transfer(Call{start + piece.from(), count, unit, far, count, unit});
                             } else {
                                 const MPI_Datatype near_type = datatypes_.of(piece, End::from, unit, unit_bytes);
                                 const MPI_Datatype far_type = datatypes_.of(piece, End::to, unit, unit_bytes);
                                 transfer(Call{start + piece.from(), 1, near_type, far, 1, far_type});
                             }
                         });
}

// Open MPI 4.1 moves elements in the order of memory, whatever the datatype says, if they fill their range (strides that go
// back or are not nested): datatypes are only made of nested sides.
inline bool fit_for_datatypes(const Correspondence& shape) {
    return shape.nested(End::from) && shape.nested(End::to);
}

// A far side that is not nested is taken apart along its outermost level.
template <typename Transfer>
void for_each_slice(const Correspondence& shape, Transfer&& transfer) {
    if (shape.nested(End::to)) return transfer(shape);
    for (sets::Index step = 0; step < shape.levels().front().count; ++step) for_each_slice(shape.inside(step), transfer);
}

// Shows `transfer` (near, shape) shapes that are fit for datatypes, packed if it must be.
template <typename Transfer>
void Mpi::send_shape(Window& window, int rank, const std::byte* from, const Correspondence& shape, Transfer&& transfer) {
    const Correspondence simple = shape.ascending(End::to);
    if (fit_for_datatypes(simple)) {
        transfer(from, simple);
        return window.sent(rank);
    }
    const std::vector<std::byte> row = packed(simple, from);
    for_each_slice(simple.dense(End::from), [&](const Correspondence& slice) { transfer(row.data(), slice); });
    window.sent(rank);
}

}  // namespace kumihimo::transport::mpi
