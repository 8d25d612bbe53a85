// Collective operations among images that reach each other's memory. Each image has a desk with two places, where it shows
// bytes to the others; a collective is a sequence of steps, in each of which every member enters once and uses the place of
// that step. A place begins with the stamp of the step that it shows; a few bytes come in the same cache line as their stamp.
// Steps count like barriers between each two images (see barriers.hpp), so a member that is missing is noticed in the same
// way; whoever notices skips the rest of the collective, and those that still wait for it learn so.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/execution/node_set.hpp"

namespace kumihimo::localview {

constexpr std::size_t place_bytes = std::size_t{128} << 10;

void open_desks();  // collective over the entire set; once open it does nothing
void close_desks();
bool share_desks(const execution::NodeSet& set);  // all members reach all; the same on all of them

struct StepsMade;  // by a set until now

// Throws Missing where a member is, after the collective was left.
class Steps {
public:
    // All members agree on how many steps there will be, and how many bytes a step shows at most.
    Steps(const execution::NodeSet& set, std::int64_t steps, std::size_t bytes);
    ~Steps();
    Steps(const Steps&) = delete;
    Steps& operator=(const Steps&) = delete;

    // In each step: what to show; enter; what others show; leave.
    std::byte* mine();  // waits until nobody reads any more what this place showed before
    void enter();
    const std::byte* await(int member);  // number in the set
    void await_all();
    void leave();

private:
    [[noreturn]] void abandon();
    void go_past();
    const execution::NodeSet& set_;
    StepsMade& made_;
    std::int64_t left_, end_;    // steps of this collective; those that the set will have made after it
    std::size_t place_, begin_;  // the place's number; where what it shows begins
    bool shows_ = false;         // in this step
};

}  // namespace kumihimo::localview
