#include "tests/collectives/timeline.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <queue>
#include <stdexcept>
#include <tuple>
#include <vector>

namespace kumihimo::collectives::test {

namespace {

struct Pending {
    enum class State : char { waiting, started, done };
    Step step;
    State state = State::waiting;
};

struct Rank {
    Steps steps;
    std::size_t view;
    std::deque<Pending> window{};  // steps low, low + 1, ...
    StepIndex low = 0;
    bool read_all = false;
    Time free = 0;  // when it can start the next message

    Pending& pending(StepIndex index) { return window[static_cast<std::size_t>(index - low)]; }
    bool done(StepIndex index) { return index < low || pending(index).state == Pending::State::done; }
    bool ready(const Step& step) {
        for (const Interval& interval : step.after.intervals)
            for (StepIndex i = interval.first; i <= interval.last; ++i)
                if (!done(i)) return false;
        return true;
    }
    void read() {
        while (!read_all && window.size() < view) {
            const Step* const step = steps.next();
            read_all = step == nullptr;
            if (step != nullptr) window.push_back({*step});
        }
    }
    void finish(StepIndex index) {
        pending(index).state = Pending::State::done;
        for (; !window.empty() && window.front().state == Pending::State::done; ++low) window.pop_front();
    }
};

// One side of a message that has been started.
struct End {
    StepIndex step;
    Time time;
};

struct Arrival {
    Time time;
    int from, to;
    StepIndex sent, received;
    bool operator>(const Arrival& other) const {
        return std::tie(time, from, to, sent) > std::tie(other.time, other.from, other.to, other.sent);
    }
};

class Simulation {
public:
    Simulation(const Algorithm& algorithm, Call call, const Machine& machine,
               const std::function<std::size_t(const Call&)>& look_ahead)
        : machine_(machine) {
        for (call.rank = 0; call.rank < call.ranks; ++call.rank)
            ranks_.push_back({schedule(algorithm, call), look_ahead(call)});
    }

    Time run() {
        Time now = 0;
        for (int rank = 0; rank < static_cast<int>(ranks_.size()); ++rank) advance(rank, now);
        for (; !arrivals_.empty();) {
            const Arrival next = arrivals_.top();
            arrivals_.pop();
            now = next.time;
            at(next.from).finish(next.sent);
            at(next.to).finish(next.received);
            advance(next.from, now);
            advance(next.to, now);
        }
        for (const Rank& rank : ranks_)
            if (!rank.window.empty() || !rank.read_all) throw std::runtime_error("a rank waits for ever");
        return now;
    }

private:
    using Lane = std::tuple<int, int, int>;  // sender, receiver, channel

    Rank& at(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }

    // Starts all that can start. Messages of a lane are started in their order.
    void advance(int number, Time now) {
        Rank& rank = at(number);
        for (bool changed = true; changed;) {
            changed = false;
            rank.read();
            blocked_.clear();
            for (StepIndex i = rank.low; i < rank.low + static_cast<StepIndex>(rank.window.size()); ++i) {
                Pending& next = rank.pending(i);
                if (next.state != Pending::State::waiting) continue;
                const bool message = next.step.action == Action::send || next.step.action == Action::receive;
                const std::tuple lane(next.step.action, next.step.peer, next.step.channel);
                const bool overtakes = message && std::find(blocked_.begin(), blocked_.end(), lane) != blocked_.end();
                if (overtakes || !rank.ready(next.step)) {
                    if (message) blocked_.push_back(lane);
                    continue;
                }
                changed = true;
                if (!message) {
                    rank.finish(i);
                    break;  // places in the window have moved
                }
                next.state = Pending::State::started;
                start(number, i, next.step, now);
            }
        }
    }

    void start(int number, StepIndex index, const Step& step, Time now) {
        Rank& rank = at(number);
        rank.free = std::max(rank.free, now) + machine_.start;
        const bool sends = step.action == Action::send;
        const Lane lane = sends ? Lane(number, step.peer, step.channel) : Lane(step.peer, number, step.channel);
        const End here{index, rank.free};
        std::deque<End>& others = sends ? received_[lane] : sent_[lane];
        if (others.empty()) {
            (sends ? sent_[lane] : received_[lane]).push_back(here);
            return;
        }
        const End there = others.front();
        others.pop_front();
        Time& link = link_[{std::get<0>(lane), std::get<1>(lane)}];
        link = std::max({link, here.time, there.time}) + machine_.byte * (sends ? step.from.bytes : step.to.bytes);
        arrivals_.push(
            {link, std::get<0>(lane), std::get<1>(lane), sends ? here.step : there.step, sends ? there.step : here.step});
    }

    Machine machine_;
    std::vector<Rank> ranks_;
    std::map<Lane, std::deque<End>> sent_, received_;  // started at one side only
    std::map<std::pair<int, int>, Time> link_;         // when it is free
    std::priority_queue<Arrival, std::vector<Arrival>, std::greater<>> arrivals_;
    std::vector<std::tuple<Action, int, int>> blocked_;  // lanes with a message that waits
};

}  // namespace

Time time_of(const Algorithm& algorithm, const Call& call, const Machine& machine,
             const std::function<std::size_t(const Call&)>& look_ahead) {
    return Simulation(algorithm, call, machine, look_ahead).run();
}

}  // namespace kumihimo::collectives::test
