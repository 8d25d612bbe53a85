// Memory that some ranks of a communicator map together: the first of them makes it, the others attach to it. That it is the
// same memory is told by a number in it: containers, namespaces and permissions make every other test lie.
#pragma once

#include <mpi.h>

#include <optional>
#include <string>

#include "base/shared_memory.hpp"

namespace kumihimo::base {

class SharedRoom {
public:
    struct Wish {
        int first = -1;  // the rank that makes the room of this one; -1: this rank takes no part
        SharingMethod method = SharingMethod::none;
        std::size_t bytes = 0;                           // the same for all ranks of a room
        std::size_t reserved_from = 0, reserved_to = 0;  // what of it is set aside for this rank now (shared_memory.hpp)
    };
    // Collective over the communicator, whichever rooms its ranks wish for. The object must live until the ranks of its room
    // know of each other whether they are in: then the memory needs no name any more.
    SharedRoom(MPI_Comm comm, const Wish& wish);

    bool is_in() const { return refusal_.empty(); }          // this rank
    const std::string& refusal() const { return refusal_; }  // why it is not
    Mapping take() { return std::move(memory_); }            // zero-filled at first

private:
    std::optional<SharedFile> file_;  // the first rank's
    Mapping memory_;
    std::string refusal_;
};

}  // namespace kumihimo::base
