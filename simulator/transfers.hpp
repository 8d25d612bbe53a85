// When messages leave and arrive: each reserves its sender's interface, the way out of the node, its links, and the way in,
// from the first moment that each is free. Its head goes on as soon as it has a link (cut-through); its end follows at the rate
// of the slowest.
#pragma once

#include <algorithm>
#include <vector>

#include "simulator/network.hpp"

namespace kumihimo::simulator {

class Transfers {
public:
    struct Times {
        Time left, arrived;
    };

    Transfers(const Machine& machine, const Network& network)
        : network_(network),
          packet_(machine.size("packet")),
          header_(machine.size("packet_header")),
          latency_(machine.time("message_latency")),
          gap_(machine.time("interface_gap")),
          node_rate_(machine["node_rate"]),
          copy_rate_(machine["copy_rate"]),
          interfaces_(static_cast<std::size_t>(machine.count("interfaces"))),
          links_(static_cast<std::size_t>(network.links())),
          busy_(links_.size()),
          bytes_(links_.size()),
          out_(static_cast<std::size_t>(network.nodes())),
          in_(out_.size()),
          out_busy_(out_.size()),
          in_busy_(out_.size()),
          interface_free_(out_.size() * interfaces_) {}

    Times send(int from, int to, Bytes bytes, Time now) {
        if (from == to) return {now + duration(bytes, copy_rate_), now + duration(bytes, copy_rate_)};
        path_.clear();
        network_.route(from, to, path_);
        const Bytes wire = on_the_wire(bytes);
        const Time through_node = duration(wire, node_rate_), first = duration(wire, network_.rate(path_.front()));
        Time& interface = least_busy(from);
        Time head = std::max(now, interface), tail = head;
        interface = head + std::max(gap_, first);
        reserve(out_[at(from)], through_node, 0, head, tail);
        out_busy_[at(from)] += through_node;
        Time left = tail;
        for (const int link : path_) {
            const Time passing = duration(wire, network_.rate(link));
            reserve(links_[at(link)], passing, network_.latency(link), head, tail);
            busy_[at(link)] += passing;
            bytes_[at(link)] += bytes;
            if (link == path_.front()) left = std::max(left, tail - network_.latency(link));
        }
        reserve(in_[at(to)], through_node, 0, head, tail);
        in_busy_[at(to)] += through_node;
        return {left, tail + latency_};
    }
    // What a message of no length takes from node to node: a receiver's answer, for example.
    Time delay(int from, int to) const {
        std::vector<int> path;
        network_.route(from, to, path);
        Time sum = latency_;
        for (const int link : path) sum += network_.latency(link);
        return sum;
    }
    static Time duration(Bytes bytes, double rate) {
        return static_cast<Time>(static_cast<double>(bytes) * (second / rate) + 0.5);
    }

    const std::vector<Time>& busy_links() const { return busy_; }
    const std::vector<Bytes>& link_bytes() const { return bytes_; }
    Time busy_node(int node) const { return std::max(out_busy_[at(node)], in_busy_[at(node)]); }

private:
    static std::size_t at(int number) { return static_cast<std::size_t>(number); }
    Bytes on_the_wire(Bytes bytes) const {
        const Bytes payload = packet_ - header_;
        return bytes + header_ * std::max<Bytes>(1, (bytes + payload - 1) / payload);
    }
    static void reserve(Time& free, Time passing, Time latency, Time& head, Time& tail) {
        const Time begin = std::max(free, head);
        free = begin + passing;
        tail = std::max(tail, free) + latency;
        head = begin + latency;
    }
    Time& least_busy(int node) {
        const auto first = interface_free_.begin() + static_cast<std::ptrdiff_t>(at(node) * interfaces_);
        return *std::min_element(first, first + static_cast<std::ptrdiff_t>(interfaces_));
    }

    const Network& network_;
    Bytes packet_, header_;
    Time latency_, gap_;
    double node_rate_, copy_rate_;
    std::size_t interfaces_;
    std::vector<Time> links_, busy_;  // when each is free; how long it was busy
    std::vector<Bytes> bytes_;
    std::vector<Time> out_, in_, out_busy_, in_busy_, interface_free_;
    std::vector<int> path_;
};

}  // namespace kumihimo::simulator
