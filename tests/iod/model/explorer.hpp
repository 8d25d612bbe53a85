// Tries all orders of a system's actions. A system cannot be copied, so each order is run again from the beginning; orders
// after which every process has the same history are one (Mazurkiewicz traces), which makes it few.
#pragma once

#include <algorithm>
#include <unordered_set>

#include "system.hpp"

namespace kumihimo::iod::model {

struct Outcome {
    std::size_t states = 0, ends = 0;
    std::string wrong;     // empty: every order ends well
    bool complete = true;  // false: there are more states than were allowed
};

class Explorer {
public:
    explicit Explorer(const Shape& shape, std::size_t most_states) : shape_(shape), most_states_(most_states) {}

    Outcome explore() {
        open_.push_back({});
        while (!open_.empty() && outcome_.wrong.empty()) {
            if (outcome_.states >= most_states_) outcome_.complete = false;
            if (!outcome_.complete) break;
            const std::vector<Action> path = std::move(open_.back());
            open_.pop_back();
            follow(path);
        }
        return outcome_;
    }

private:
    // Runs the path, goes on with the first action that leads anywhere new, and remembers the others.
    void follow(std::vector<Action> path) {
        System system(shape_);
        for (const Action& action : path) system.run(action);
        while (known_.insert(system.history()).second) {
            ++outcome_.states;
            if (!system.wrong().empty()) return fail(system.wrong(), path);
            if (system.done()) return void(++outcome_.ends);
            const std::vector<Action> possible = system.possible();
            if (possible.empty()) return fail("deadlock: nobody can do anything", path);
            for (std::size_t i = 1; i < possible.size(); ++i) {
                open_.push_back(path);
                open_.back().push_back(possible[i]);
            }
            path.push_back(possible[0]);
            system.run(possible[0]);
        }
    }
    void fail(const std::string& what, const std::vector<Action>& path) {
        outcome_.wrong = what + ", after";
        for (const Action& action : path) {
            static constexpr const char* names[] = {" rank>", " child>", " out", " die"};
            outcome_.wrong += std::string(names[static_cast<int>(action.kind)]) + std::to_string(action.node) + "." +
                              std::to_string(action.server);
        }
    }

    Shape shape_;
    std::size_t most_states_;
    Outcome outcome_;
    std::vector<std::vector<Action>> open_;
    std::unordered_set<std::uint64_t> known_;
};

}  // namespace kumihimo::iod::model
