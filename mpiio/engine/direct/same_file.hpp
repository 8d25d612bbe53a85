// Files that this process has open more than once, as PnetCDF has for its independent mode. What one handle deferred would be
// missing in what the other reads, or overwrite later what the other wrote: then nothing is deferred. MPI asks for a sync
// between such accesses (13.6.1), but programs expect what every other library gives them.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

namespace kumihimo::mpiio::direct {

struct State;

class SameFile {
public:
    SameFile() = default;
    SameFile(const SameFile&) = delete;
    ~SameFile() { leave(); }

    // Once the file is open: `flush` is called for the other handles, so that their logs are written.
    void enter(State& state, void (*flush)(State& other));
    void leave();
    bool open_twice() const { return group_ && group_->handles > 1; }

private:
    struct Group {
        std::atomic<int> handles = 0;
        std::vector<State*> states;
    };
    static std::shared_ptr<Group> group_of(State& state);
    std::shared_ptr<Group> group_;
    State* state_ = nullptr;
};

}  // namespace kumihimo::mpiio::direct
