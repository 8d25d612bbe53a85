// A window of MPI as region: one passive epoch (lock_all) from its birth to its end, with what this image has under way in it.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/transport/pending.hpp"
#include "runtime/transport/transport.hpp"

namespace kumihimo::transport::mpi {

void check(int code, const char* what);  // throws base::Error with MPI's text unless code is MPI_SUCCESS

class Window final : public Region {
public:
    using Live = std::vector<Window*>;  // those of a transport, for its fences

    // Collective.
    // over: null on every image if MPI makes no windows over given memory (Open MPI 4.1 with a single process).
    static std::unique_ptr<Window> over(MPI_Comm communicator, std::byte* memory, std::size_t bytes, Live& live);
    static std::unique_ptr<Window> allocate(MPI_Comm communicator, std::size_t bytes, Live& live);
    ~Window() override;
    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;

    MPI_Win handle() const { return handle_; }
    MPI_Aint displacement(int rank, std::ptrdiff_t offset) const {
        return starts_.empty() ? offset : starts_[static_cast<std::size_t>(rank)] + offset;
    }

    // To be called before an access: waits for older ones that it meets. MPI keeps no order among puts (MPI 3.1, 11.7.1).
    void order(int rank, const Pending::Access& access) {
        if (pending_.meets(rank, access)) flush(rank);
    }
    void under_way(int rank, const Pending::Access& access) { pending_.add(rank, access); }
    // Whether MPI swaps elements of this size here.
    bool swaps(std::size_t bytes) const { return bytes < sizeof(std::int64_t) || (bytes == sizeof(std::int64_t) && swaps_8_); }
    void flush(int rank);
    void flush_local(int rank) { check(MPI_Win_flush_local(rank, handle_), "completing a transfer here"); }
    void complete();  // everything to everyone; what others have put here is visible to loads

private:
    Window(Live& live, MPI_Win handle, std::byte* local, std::size_t bytes, std::vector<MPI_Aint> starts);

    Live& live_;
    MPI_Win handle_;
    std::vector<MPI_Aint> starts_;  // of each image's block in its part of the window; empty: all 0
    bool swaps_8_;
    Pending pending_;
};

}  // namespace kumihimo::transport::mpi
