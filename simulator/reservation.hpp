// Sharing by reservation: a message reserves its sender's interface, the way out of the node, its links, and the way in, from
// the first moment that each is free. Its head goes on as soon as it has a link (cut-through); its end follows at the rate of
// the slowest. So it is known at once when a message arrives, and nothing has to be computed again.
#pragma once

#include "simulator/sharing.hpp"

namespace kumihimo::simulator {

class Reservation : public Sharing {
public:
    Reservation(const Machine& machine, const Network& network, int slices = 0)
        : Sharing(machine, network, slices),
          gap_(machine.time("interface_gap")),
          interfaces_(static_cast<std::size_t>(machine.count("interfaces"))),
          interface_free_(static_cast<std::size_t>(network.nodes()) * interfaces_) {}

    template <typename Landed>
    void send(const Message& message, Time begin, Landed&& landed) {
        const auto [left, arrived] = times(message, begin);
        landed(message.flight, Delivery{message.rank, message.step, left, arrived});
    }
    static constexpr Time next() { return never; }
    template <typename Landed>
    void advance(Time, Landed&&) {}

private:
    std::pair<Time, Time> times(const Message& message, Time begin) {
        if (message.from == message.to) {
            const Time copied = begin + duration(message.bytes, copy_rate_);
            return {copied, copied};
        }
        const Bytes wire = on_the_wire(message.bytes);
        count(message, wire);
        const Time through_node = duration(wire, node_rate_), first = duration(wire, network_.rate(path_.front()));
        Time& interface = least_busy(message.from);
        Time head = std::max(begin, interface), tail = head;
        interface = head + std::max(gap_, first);
        reserve(nodes_[at(message.from)].out, through_node, 0, head, tail);
        Time left = tail;
        for (const int link : path_) {
            const Time passing = duration(wire, network_.rate(link));
            reserve(links_[at(link)], passing, network_.latency(link), head, tail);
            timeline_.add(link, links_[at(link)].free - passing, links_[at(link)].free);
            if (link == path_.front()) left = std::max(left, tail - network_.latency(link));
        }
        reserve(nodes_[at(message.to)].in, through_node, 0, head, tail);
        return {left, tail + latency(message.bytes)};
    }
    static void reserve(Link& link, Time passing, Time latency, Time& head, Time& tail) {
        const Time begin = std::max(link.free, head);
        link.free = begin + passing;
        tail = std::max(tail, link.free) + latency;
        head = begin + latency;
    }
    Time& least_busy(int node) {
        const auto first = interface_free_.begin() + static_cast<std::ptrdiff_t>(at(node) * interfaces_);
        return *std::min_element(first, first + static_cast<std::ptrdiff_t>(interfaces_));
    }

    Time gap_;
    std::size_t interfaces_;
    std::vector<Time> interface_free_;  // when each of each node is
};

}  // namespace kumihimo::simulator
