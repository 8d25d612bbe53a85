// Bcast, Reduce, Allreduce and Barrier in two levels. Where a link between hosts needs more than one rank to be full, parts of
// the vector go through different leaders.
#include <algorithm>
#include <utility>

#include "collectives/algorithms/declarations.hpp"
#include "collectives/hosts/leaders.hpp"
#include "collectives/hosts/levels.hpp"
#include "collectives/phases.hpp"

namespace kumihimo::collectives {

namespace {

// What this rank does in an operation in two levels.
class Levels {
public:
    explicit Levels(const Call& call)
        : call_(call),
          host_(call.placement->host(call.rank)),
          root_host_(call.placement->host(call.root)),
          leader_(leader_of(call, host_, call.channel)),
          at_root_(leader_of(call, root_host_, call.channel)) {}

    bool leads() const { return call_.rank == leader_; }
    // From the root to its host's leader or back, if these are two; of interest to them only.
    bool between_root_and_leader() const {
        return at_root_ != call_.root && (call_.rank == call_.root || call_.rank == at_root_);
    }

    Phase inside(Steps (*steps)(Call)) const { return phase(steps, ranks_of(call_, host_), leader_); }
    // The same for those that have not got the data yet.
    Phase to_others(Steps (*steps)(Call)) const {
        std::vector<int> ranks = ranks_of(call_, host_);
        if (host_ == root_host_ && at_root_ != call_.root) std::erase(ranks, call_.root);
        return phase(steps, std::move(ranks), leader_);
    }
    Phase between(Between steps) const { return phase(steps, leaders_of(call_, call_.channel), at_root_); }
    Phase root_to_leader() const { return phase(broadcast_linear, {call_.root, at_root_}, call_.root); }
    Phase leader_to_root() const { return phase(broadcast_linear, {call_.root, at_root_}, at_root_); }

private:
    Phase phase(Steps (*steps)(Call), std::vector<int> members, int root) const {
        const Call among = call_among(call_, members, root);
        return {steps, among, std::move(members), same_buffers};
    }

    const Call& call_;
    int host_, root_host_, leader_, at_root_;
};

// Signals are messages without data.
Phase signals(Phase phase) {
    phase.call.bytes = phase.call.block_bytes = 0;
    phase.call.send_blocks = phase.call.receive_blocks = {};
    return phase;
}

}  // namespace

Steps broadcast_hosts(Call call, Between between) {
    const Levels levels(call);
    std::vector<Phase> phases;
    if (levels.between_root_and_leader()) phases.push_back(levels.root_to_leader());
    if (levels.leads()) phases.push_back(levels.between(between));
    if (call.rank != call.root || levels.leads()) phases.push_back(levels.to_others(broadcast_binomial));
    return in_phases(std::move(phases), call.channel);
}

// A leader that is not the root has its host's sum in the third piece of work space: it has no other memory for it.
Steps reduce_hosts(Call call, Between between) {
    const Levels levels(call);
    const Bytes third = 2 * call.bytes + call.work_offset - call.offset;
    std::vector<Phase> phases;
    phases.push_back(levels.inside(reduce_binomial));
    if (levels.leads()) {
        phases.push_back(levels.between(between));
        phases.back().call.in_place = true;
    }
    if (levels.between_root_and_leader()) phases.push_back(levels.leader_to_root());
    if (levels.leads() && call.rank != call.root)
        for (Phase& phase : phases) phase.where[static_cast<std::size_t>(Buffer::receive)] = {Buffer::work, third};
    return in_phases(std::move(phases), call.channel);
}

Steps allreduce_hosts(Call call, Between between) {
    call.root = 0;
    const Levels levels(call);
    std::vector<Phase> phases;
    phases.push_back(levels.inside(reduce_binomial));
    if (levels.leads()) {
        phases.push_back(levels.between(between));
        phases.back().call.in_place = true;
    }
    phases.push_back(levels.inside(broadcast_binomial));
    return in_phases(std::move(phases), call.channel);
}

Steps barrier_hosts(Call call, Between between) {
    const Levels levels(call);
    std::vector<Phase> phases;
    phases.push_back(signals(levels.inside(gather_binomial)));
    if (levels.leads()) phases.push_back(signals(levels.between(between)));
    phases.push_back(signals(levels.inside(broadcast_binomial)));
    return in_phases(std::move(phases), call.channel);
}

}  // namespace kumihimo::collectives
