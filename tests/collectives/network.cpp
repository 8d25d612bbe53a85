#include "tests/collectives/network.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <tuple>

namespace kumihimo::collectives::test {

namespace {

constexpr int links = 2 * most_axes;

// One rank's schedule while depths are computed: steps are taken in order, and a rank waits at a receive whose message has not
// been sent yet.
struct Progress {
    Steps steps;
    const Step* step;                                     // the next one
    std::vector<int> depths;                              // of the steps done
    std::map<std::pair<int, int>, std::size_t> received;  // by peer and channel

    explicit Progress(Steps schedule) : steps(std::move(schedule)), step(steps.next()) {}
    int ready() const {
        int depth = 0;
        for (const Interval& interval : step->after.intervals)
            for (StepIndex i = interval.first; i <= interval.last; ++i)
                depth = std::max(depth, depths[static_cast<std::size_t>(i)]);
        return depth;
    }
};

}  // namespace

Network::Network(const Algorithm& algorithm, const Call& call) : algorithm_(algorithm), call_(call) {
    loads_.resize(static_cast<std::size_t>(call.ranks) * links);
    Call rank_call = call;
    for (int rank = 0; rank < call.ranks; ++rank) {
        rank_call.rank = rank;
        Steps steps = schedule(algorithm, rank_call);
        while (const Step* const step = steps.next()) {
            if (step->action != Action::send) continue;
            messages_.push_back({rank, step->peer, step->from.bytes});
            call.torus.route(rank, step->peer, [&](int node, int link) {
                ++hops_;
                loads_[static_cast<std::size_t>(node) * links + static_cast<std::size_t>(link)] += step->from.bytes;
            });
        }
    }
}

// Takes all ranks through their steps in order.
int Network::depth() const {
    Call call = call_;
    int most = 0;
    std::vector<Progress> ranks;
    ranks.reserve(static_cast<std::size_t>(call.ranks));
    std::vector<int> open;
    for (call.rank = 0; call.rank < call.ranks; ++call.rank) {
        ranks.emplace_back(schedule(algorithm_, call));
        open.push_back(call.rank);
    }
    std::map<std::tuple<int, int, int>, std::vector<int>> sent;  // depths of a channel's messages at their receivers
    std::map<std::tuple<int, int, int>, int> waiting;            // the rank that waits for a channel's next message
    while (!open.empty()) {
        const int rank = open.back();
        open.pop_back();
        Progress& progress = ranks[static_cast<std::size_t>(rank)];
        for (; progress.step != nullptr; progress.step = progress.steps.next()) {
            const Step& step = *progress.step;
            int depth = progress.ready();
            if (step.action == Action::send) {
                const std::tuple key(rank, step.peer, step.channel);
                sent[key].push_back(depth + 1);
                if (const auto waiter = waiting.find(key); waiter != waiting.end()) {
                    open.push_back(waiter->second);
                    waiting.erase(waiter);
                }
            } else if (step.action == Action::receive) {
                const std::tuple key(step.peer, rank, step.channel);
                std::size_t& number = progress.received[{step.peer, step.channel}];
                const std::vector<int>& arrived = sent[key];
                if (number >= arrived.size()) {
                    waiting[key] = rank;
                    break;
                }
                depth = std::max(depth, arrived[number++]);
            }
            progress.depths.push_back(depth);
            most = std::max(most, depth);
        }
    }
    if (!waiting.empty()) throw std::runtime_error("a rank waits for a message that nobody sends");
    return most;
}

Bytes Network::most_loaded() const {
    return *std::max_element(loads_.begin(), loads_.end());
}

std::vector<Bytes> Network::loads(int rank) const {
    return {loads_.begin() + rank * links, loads_.begin() + (rank + 1) * links};
}

void Network::for_each_message(const std::function<void(int, int, Bytes)>& visit) const {
    for (const Message& message : messages_) visit(message.from, message.to, message.bytes);
}

std::vector<Bytes> loads_of_neighbours(const Algorithm& algorithm, const Call& call) {
    std::vector<Bytes> loads(links);
    Steps steps = schedule(algorithm, call);
    while (const Step* const step = steps.next()) {
        if (step->action != Action::send) continue;
        int hops = 0;
        call.torus.route(call.rank, step->peer, [&](int, int link) {
            loads[static_cast<std::size_t>(link)] += step->from.bytes;
            if (++hops > 1) throw std::runtime_error("a message to a node that is no neighbour");
        });
    }
    return loads;
}

std::vector<int> displacements_of(const Algorithm& algorithm, const Call& call) {
    std::vector<int> displacements;
    Steps steps = schedule(algorithm, call);
    while (const Step* const step = steps.next()) {
        if (step->action != Action::send) continue;
        Coordinates by = call.torus.coordinates(step->peer);
        const Coordinates here = call.torus.coordinates(call.rank);
        for (std::size_t axis = 0; axis < by.size(); ++axis) by[axis] = modulo(by[axis] - here[axis], call.torus.extents[axis]);
        displacements.push_back(call.torus.rank(by));
    }
    return displacements;
}

}  // namespace kumihimo::collectives::test
