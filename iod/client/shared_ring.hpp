// This rank's ring and the two events that go with it: what the agent gets with `join`.
#pragma once

#include <array>

#include "base/shared_memory.hpp"
#include "iod/client/bell.hpp"
#include "iod/ring/ring.hpp"

namespace kumihimo::iod {

class SharedRing {
public:
    explicit SharedRing(std::size_t capacity);  // throws base::Error if this machine has no shared memory

    RingProducer& producer() { return producer_; }
    const RingProducer& producer() const { return producer_; }
    const base::Descriptor& room() const { return rank_event_; }  // rung by the agent when there is room
    // In the order of `join`: memory, the event that wakes the agent, the one that wakes this rank.
    std::array<int, 3> descriptors() const;

    void committed() {  // after each commit
        if (producer_.wake_agent_for_much()) ring_bell(agent_event_);
    }
    // Before waiting for `room`. False: there is some already.
    bool must_wait(std::size_t bytes);

private:
    base::SharedFile file_;
    base::Mapping memory_;
    base::Descriptor agent_event_ = make_bell(), rank_event_ = make_bell();
    RingProducer producer_;
};

}  // namespace kumihimo::iod
