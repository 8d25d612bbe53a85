// The one owner of memory that other nodes may access (decision one-owner-of-memory): collectively allocated segments which
// know, for each peer, a direct pointer (same machine, mapped) or none. Global arrays and coarrays live here; transports
// serve the peers without a pointer.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace kumihimo::memory {

class Segment {
public:
    // Collective over `comm`; `bytes` may differ between nodes and be 0, `purpose` may not. On failure every node throws the
    // same kumihimo::base::Error ("allocation too large": asked, available, what to do; nodes with different purposes: which
    // has which). Returns after all nodes have entered.
    static std::unique_ptr<Segment> allocate(MPI_Comm comm, std::size_t bytes, const std::string& purpose);
    ~Segment();  // local: gives the memory back, or keeps it for the next allocation of the same size

    std::byte* local() const;  // 64-byte aligned, staggered against cache-set conflicts; zero-filled; never null
    std::size_t bytes() const;
    std::byte* direct(int rank) const;  // peer's memory mapped here (rank in comm), or nullptr; symmetric between peers
    std::size_t bytes(int rank) const;  // peer's size, known for every rank
    int ranks() const;
    // The same for every segment that gets this memory again; expires when nobody keeps the memory any more.
    std::weak_ptr<const void> memory() const { return state_; }

    struct State;

private:
    explicit Segment(std::shared_ptr<State> state);
    std::shared_ptr<State> state_;
};

}  // namespace kumihimo::memory
