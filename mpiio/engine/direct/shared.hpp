// The shared file pointer: one number for all ranks. On one machine it is a word of shared memory, changed by one instruction,
// so that a rank that dies holds nothing; across machines it stands in a small file beside the data, under a lock that the
// operating system takes from the dead. That file is made at the pointer's first use and removed at close.
#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "base/shared_memory.hpp"
#include "mpiio/engine/direct/noticeboard.hpp"
#include "mpiio/engine/direct/posix.hpp"

namespace kumihimo::mpiio::direct {

class SharedPointer {
public:
    // What rank 0 tells the others at open; travels as bytes.
    struct Invitation {
        base::Ticket ticket;           // method none: no shared memory
        unsigned long long token = 0;  // stands in that memory too, and in the file's name
    };

    explicit SharedPointer(Meter& meter) : file_(meter) {}
    Invitation invite(const std::string& path, int ranks);               // rank 0
    bool accept(const std::string& path, const Invitation& invitation);  // the others; false: this memory is not reached
    // All ranks, when it is known whether everybody reached the memory.
    void settle(bool by_memory);
    bool by_memory() const { return word_ != nullptr; }
    // In the same memory, for all ranks; none where it is not shared.
    Noticeboard::Place* places() const { return by_memory() ? board().places : nullptr; }

    std::optional<Failure> add(Index amount, Index& before);
    std::optional<Failure> set(Index value);
    std::optional<Failure> close(bool remove);  // `remove`: by rank 0, when all others have closed

private:
    struct Board {
        unsigned long long token;
        std::atomic<Index> value;
        Noticeboard::Place places[];  // one for each rank
    };
    static_assert(std::atomic<Index>::is_always_lock_free);
    Board& board() const { return *reinterpret_cast<Board*>(memory_.data()); }
    // Under the lock: value -> change(value).
    template <typename Change>
    std::optional<Failure> update(Change&& change, Index& before);

    std::optional<base::SharedFile> owned_;
    base::Mapping memory_;
    std::atomic<Index>* word_ = nullptr;
    PosixFile file_;
    std::string file_path_;
};

}  // namespace kumihimo::mpiio::direct
