// The shared file pointer: one number for all ranks. On one machine it is a word of shared memory, changed by one instruction,
// so that a rank that dies holds nothing; across machines it stands in a small file beside the data, under a lock that the
// operating system takes from the dead. That file is made at the pointer's first use and removed at close.
#pragma once

#include <optional>
#include <string>

#include "mpiio/engine/direct/posix.hpp"
#include "mpiio/engine/team.hpp"

namespace kumihimo::mpiio::direct {

class SharedPointer {
public:
    // What rank 0 tells the others at open; travels as bytes.
    struct Invitation {
        int word = -1;                 // of the team's memory; none: by a file
        unsigned long long token = 0;  // stands in that file's name
    };

    explicit SharedPointer(Meter& meter) : file_(meter) {}
    SharedPointer(const SharedPointer&) = delete;
    SharedPointer& operator=(const SharedPointer&) = delete;
    ~SharedPointer();

    Invitation invite(Team& team, const std::string& path);                                // rank 0
    void accept(const Team& team, const std::string& path, const Invitation& invitation);  // the others
    bool by_memory() const { return word_ != nullptr; }

    std::optional<Failure> add(Index amount, Index& before);
    std::optional<Failure> set(Index value);
    std::optional<Failure> close(bool remove);  // `remove`: by rank 0, when all others have closed

private:
    // Under the lock: value -> change(value).
    template <typename Change>
    std::optional<Failure> update(Change&& change, Index& before);

    Team* lender_ = nullptr;  // rank 0: whom the word goes back to
    int number_ = -1;
    std::atomic<Index>* word_ = nullptr;
    PosixFile file_;
    std::string file_path_;
};

}  // namespace kumihimo::mpiio::direct
