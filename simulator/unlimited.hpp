// Nothing is shared: every message has the network to itself, and every rank as many processors as it wants. What a run takes
// then is its longest chain of steps that wait for each other, a bound for all ways of sharing.
#pragma once

#include "simulator/sharing.hpp"

namespace kumihimo::simulator {

class Unlimited : public Sharing {
public:
    static constexpr bool limited = false;
    using Sharing::Sharing;

    template <typename Landed>
    void send(const Message& message, Time begin, Landed&& landed) {
        const auto [left, arrived] = alone(message);
        landed(message.flight, Delivery{message.rank, message.step, begin + left, begin + arrived});
    }
    static constexpr Time next() { return never; }
    template <typename Landed>
    void advance(Time, Landed&&) {}
};

}  // namespace kumihimo::simulator
