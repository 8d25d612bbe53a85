// A window of MPI as region: one passive epoch (lock_all) from its birth to its end, with what this image has under way in it.
// Small transfers cost 20 ns on a shared window, so what every one of them does stands here, to be compiled in place.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/transport/check.hpp"
#include "runtime/transport/pending.hpp"
#include "runtime/transport/transport.hpp"

namespace kumihimo::transport::mpi {

class Window final : public Region {
public:
    using Dirty = std::vector<Window*>;  // those of a transport that a fence must visit

    // Collective over the members, and over the communicator. Ranks are those of the communicator.
    // over: null on every image if MPI makes no windows over given memory (Open MPI 4.1 with a single process).
    static std::unique_ptr<Window> over(MPI_Comm communicator, MPI_Comm members, std::byte* memory, std::size_t bytes,
                                        Dirty& dirty);
    static std::unique_ptr<Window> allocate(MPI_Comm communicator, std::size_t bytes, Dirty& dirty);
    ~Window() override;
    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;

    MPI_Win handle() const { return handle_; }
    int target(int rank) const { return numbers_.empty() ? rank : numbers_[static_cast<std::size_t>(rank)]; }  // in the window
    MPI_Aint displacement(int rank, std::ptrdiff_t offset) const {
        return starts_.empty() ? offset : starts_[static_cast<std::size_t>(rank)] + offset;
    }

    // To be called before an access: waits for older ones that it meets. MPI keeps no order among puts (MPI 3.1, 11.7.1).
    void order(int rank, const Pending::Access& access) {
        if (!pending_.empty() && pending_.meets(rank, access)) flush(rank);
    }
    // To be called before a put or accumulate, which a fence must complete.
    void under_way(int rank, const Pending::Access& access) {
        if (prompt_) return;
        pending_.add(rank, access);
        if (!listed_) dirty_.push_back(this);
        listed_ = true;
    }
    // To be called after it: its memory here may be used again. Where that costs no more, it is complete at the image, too.
    void sent(int rank) { prompt_ ? flush(rank) : flush_local(rank); }
    // Whether MPI swaps elements of this size here.
    bool swaps(std::size_t bytes) const { return bytes < sizeof(std::int64_t) || (bytes == sizeof(std::int64_t) && swaps_8_); }
    void flush(int rank) {
        check(MPI_Win_flush(target(rank), handle_), "completing transfers to an image");
        if (!pending_.empty()) pending_.done(rank);
    }
    void flush_local(int rank) { check(MPI_Win_flush_local(target(rank), handle_), "completing a transfer here"); }
    void complete();  // everything to everyone; takes itself off the list of those that a fence must visit

private:
    Window(Dirty& dirty, MPI_Win handle, std::byte* local, std::size_t bytes, std::vector<MPI_Aint> starts);

    Dirty& dirty_;
    bool listed_ = false;  // in dirty_
    MPI_Win handle_;
    std::vector<int> numbers_;      // of each image in the window, if it is one of some images only
    std::vector<MPI_Aint> starts_;  // of each image's block in its part of the window; empty: all 0
    bool swaps_8_;
    bool prompt_;  // completing a transfer at the image costs no more than completing it here
    Pending pending_;
};

}  // namespace kumihimo::transport::mpi
