// For programs compiled with --check: when something happened, so that nodes can compare it without a common clock. What all
// nodes of a set do together are its steps: a distributed loop, a reflect, a gmove, a task. Tasks have steps of their own.
#pragma once

#include <cstdint>
#include <vector>

namespace kumihimo::execution {

struct Moment {
    struct Level {
        std::uint64_t set = 0;  // which nodes
        std::uint64_t step = 0;
        std::uint64_t trace = 0;  // of the places where the steps were taken
        bool operator==(const Level&) const = default;
    };
    std::vector<Level> levels;  // the entire set's first, that of the innermost task last

    // False also where the two have no order: in tasks on different nodes.
    bool before(const Moment& other) const {
        for (std::size_t i = 0; i < levels.size() && i < other.levels.size(); ++i) {
            if (levels[i].set != other.levels[i].set) return false;
            if (levels[i].step != other.levels[i].step) return levels[i].step < other.levels[i].step;
        }
        return levels.size() > other.levels.size();  // in a task; the other is behind it
    }
    bool operator==(const Moment&) const = default;
};

}  // namespace kumihimo::execution
