// Sharing by reservation: a message reserves its sender's interface, the way out of the node, its links, and the way in, from
// the first moment that each is free. Its head goes on as soon as it has a link (cut-through); its end follows at the rate of
// the slowest. So it is known at once when a message arrives, and nothing has to be computed again. Who comes late from afar
// reserves early, and keeps others waiting until then: therefore only nodes that are slower than all of their links are
// reserved.
#pragma once

#include "simulator/sharing.hpp"

namespace kumihimo::simulator {

class Reservation : public Sharing {
public:
    Reservation(const Machine& machine, const Network& network, int slices = 0)
        : Sharing(machine, network, slices), others_(at(network.links()) * at(parallel_ - 1)), nodes_count_(slow_nodes()) {}

    void prefetch(int from, int to) const {
        Sharing::prefetch(from, to);
        __builtin_prefetch(&interface_free_[at(from) * at(interfaces_)]);
    }

    template <typename Landed>
    Passage send(const Message& message, Time begin, Landed&& landed) {
        const Both found = message.from == message.to ? within_node(message, begin) : over_links(message, begin);
        landed(message.flight, Delivery{message.rank, message.step, found.reserved.left, found.reserved.arrived});
        return found.alone;
    }
    static constexpr Time next() { return never; }
    template <typename Landed>
    void advance(Time, Landed&&) {}

private:
    // What a message would take alone, and what it takes.
    struct Both {
        Passage alone, reserved;
    };
    Both within_node(const Message& message, Time begin) {
        const Passage alone = copied(message);
        count_copied(message);
        if (!memories_.empty()) begin = take_memory(message.from, begin, alone.left);
        return {alone, {begin + alone.left, begin + alone.arrived}};
    }
    // Each link is met in memory once.
    Both over_links(const Message& message, Time begin) {
        const Weight& weight = weigh(message.bytes);
        const Path& path = way(message.from, message.to);
        const Time through_node = weight.through_node, first = over(weight, links_[at(path.front())]);
        Time& interface = interface_free(message, path.front());
        Time head = std::max(begin, interface) + setup_, tail = head;
        interface = head + std::max(gap_, first);
        if (message.counted) count_nodes(message, through_node);
        if (nodes_count_) reserve(nodes_[at(message.from)].out, through_node, 0, head, tail);
        Time left = tail;
        Alone alone(through_node);
        for (const int number : path) {
            Link& link = links_[at(number)];
            const Time takes = over(weight, link), hop = kinds_[at(link.kind)].latency;
            if (message.counted) link.count(message.bytes, takes);
            alone.over(takes, hop);
            if (parallel_ > 1) take_free_first(number);
            reserve(link, takes, hop, head, tail);
            timeline_.add(number, link.free - takes, link.free);
            if (number == path.front()) left = std::max(left, tail - hop);
        }
        if (nodes_count_) reserve(nodes_[at(message.to)].in, through_node, 0, head, tail);
        return {alone.arrive(setup_, weight.latency), {left, tail + weight.latency}};
    }
    Time over(const Weight& weight, const Link& link) const { return weight.over[at(link.kind)]; }
    bool slow_nodes() const {
        std::vector<double> together(2 * at(network_.nodes()));  // the rates of all links out of a node, and into it
        for (int link = 0; link < network_.links(); ++link) {
            const auto [from, to] = network_.ends(link);
            if (to < 0) continue;
            if (from < network_.nodes()) together[2 * at(from)] += parallel_ * network_.rate(link);
            if (to < network_.nodes()) together[2 * at(to) + 1] += parallel_ * network_.rate(link);
        }
        return std::ranges::any_of(together, [&](double rate) { return node_rate_ < rate; });
    }
    static void reserve(Way& way, Time passing, Time latency, Time& head, Time& tail) {
        const Time begin = std::max(way.free, head);
        way.free = begin + passing;
        tail = std::max(tail, way.free) + latency;
        head = begin + latency;
    }
    // A node's memory moves one message after the other.
    Time take_memory(int node, Time begin, Time takes) {
        Way& memory = memories_[at(node)];
        begin = std::max(begin, memory.free);
        memory.free = begin + takes;
        return begin;
    }
    // Of parallel links, the one that is free first.
    void take_free_first(int link) {
        const auto first = others_.begin() + static_cast<std::ptrdiff_t>(at(link) * at(parallel_ - 1));
        const auto other = std::min_element(first, first + (parallel_ - 1));
        if (*other < links_[at(link)].free) std::swap(*other, links_[at(link)].free);
    }

    std::vector<Time> others_;  // when the links are free that are parallel to each one
    bool nodes_count_;
};

}  // namespace kumihimo::simulator
