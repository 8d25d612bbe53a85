// Why a run took as long as it did: every event keeps the one in whose course it was made. What makes a rank finish last leads
// back so to the begin, which is the critical path: each of its steps begins where the one before it ends.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "simulator/machine.hpp"

namespace kumihimo::simulator {

struct PathStep {
    enum class Kind : std::uint8_t { prepares, message, takes, reduces, copies, leaves, works } kind;
    int rank, peer;  // where it happens; whom a message comes from or goes to, else -1
    Bytes bytes;
    Time begin, end;
    Time waits = 0;  // of a message: how much longer than alone in the network
};

class Trace {
public:
    static constexpr std::size_t bytes_of_event = 40;

    explicit Trace(bool wanted, int ranks) : wanted_(wanted), last_(wanted ? static_cast<std::size_t>(ranks) : 0) {}

    // Who is at work: what is pushed from now on is its doing.
    void now(std::uint64_t event) { current_ = static_cast<std::uint32_t>(event); }
    std::uint32_t current() const { return current_; }
    // Events are numbered in the order in which they are pushed.
    template <typename Make>
    void push(Make&& make) {
        if (wanted_) events_.push_back({make(), current_});
    }
    void finished(int rank) {
        if (wanted_) last_[static_cast<std::size_t>(rank)] = current_;
    }

    std::vector<PathStep> path(int slowest) const {
        std::vector<PathStep> steps;
        if (!wanted_) return steps;
        for (std::uint32_t event = last_[static_cast<std::size_t>(slowest)]; true;) {
            const auto& [step, cause] = events_[event];
            if (cause == event || step.end == 0) break;
            steps.push_back(step);
            steps.back().begin = std::min(step.end, events_[cause].step.end);
            event = cause;
        }
        std::reverse(steps.begin(), steps.end());
        return steps;
    }

private:
    struct Event {
        PathStep step;
        std::uint32_t cause;
    };

    bool wanted_;
    std::uint32_t current_ = 0;
    std::vector<Event> events_;
    std::vector<std::uint32_t> last_;  // of each rank
};

}  // namespace kumihimo::simulator
