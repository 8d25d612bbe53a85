// Messages of a schedule between ranks that share memory. Every ordered pair of ranks of a machine has, for each channel, a
// lane: a ring of slots that only the sender fills and only the receiver empties. A short message travels in the cache line of
// its slot's flag, a longer one in pieces, and a long one is read by the receiver from where it lies (process_vm_readv), where
// the machine permits that. Nothing here waits: who runs a schedule asks again.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "base/hosts.hpp"
#include "collectives/schedule.hpp"

namespace kumihimo::collectives {

// How far one message has come at one of its ends.
struct Transfer {
    Bytes done = 0;
    std::uint64_t slot = 0;  // the sender's: where it lies to be read; 0: not yet
    bool failed = false;     // the receiver could not read it
};

class NodeMessages {
public:
    // Collective over the communicator. Null where no other rank shares memory with this one; all of a machine find the same.
    static std::unique_ptr<NodeMessages> open(MPI_Comm communicator);

    bool reaches(int rank) const { return place_[static_cast<std::size_t>(rank)] >= 0; }
    int ranks_here() const { return ranks_here_; }

    // One attempt; true: complete. The messages of a channel to one peer must be begun in their order, the next one only when
    // begun() says so of the one before; those from one peer only when the one before is complete.
    bool send(Transfer& transfer, int peer, int channel, const std::byte* from, Bytes bytes);
    bool receive(Transfer& transfer, int peer, int channel, std::byte* to, Bytes bytes);
    static bool begun(const Transfer& transfer) { return transfer.slot != 0; }

private:
    struct Slot;
    struct Lane;
    struct Outgoing {
        std::uint64_t sent = 0, consumed = 0;  // slots filled; known to be empty again
    };

    NodeMessages() = default;
    void lay_out(int ranks_here);
    // Collective over the communicator.
    bool map(MPI_Comm communicator, const base::Hosts& hosts);
    bool may_read_others(MPI_Comm communicator, const std::vector<int>& ranks_here);
    std::size_t index(int from, int to, int channel) const;
    Lane& lane(std::size_t index) const;
    std::byte* piece(Lane& lane, std::uint64_t number) const;
    bool has_room(Lane& lane, Outgoing& out) const;
    bool in_one_copy(Bytes bytes) const { return bytes >= one_copy_bytes_; }
    bool read_from(int place, const void* address, std::byte* to, std::size_t bytes) const;

    base::Mapping memory_;
    std::vector<int> place_;  // of every rank of the communicator among those of this machine; -1: elsewhere
    std::vector<int> process_;
    int me_ = 0, ranks_here_ = 1;
    std::size_t piece_bytes_ = 0, lane_bytes_ = 0;
    Bytes one_copy_bytes_ = INT64_MAX;  // from this length on
    std::vector<Outgoing> outgoing_;
    std::vector<std::uint64_t> received_;  // slots emptied
};

}  // namespace kumihimo::collectives
