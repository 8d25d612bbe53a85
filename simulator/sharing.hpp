// What both ways of sharing a network have in common: what a message is to them, what it weighs on the wire, and the bytes that
// have gone over every link and through every node. A way of sharing has three functions more:
//   send(message, begin, landed)  a message begins; landed(flight, delivery) is called once it is known when it arrives.
//   Returns
//                                 how long it takes alone in the network
//   next()                        when something happens in the network by itself, or never
//   advance(time, landed)         it is that late
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "simulator/network.hpp"
#include "simulator/rooms.hpp"
#include "simulator/timeline.hpp"

namespace kumihimo::simulator {

// takes: picoseconds for a byte.
inline Time passing(Bytes bytes, double takes) {
    return static_cast<Time>(static_cast<double>(bytes) * takes + 0.5);
}
inline Time duration(Bytes bytes, double rate) {
    return passing(bytes, second / rate);
}

// With the headers of its packets.
inline Bytes on_the_wire(Bytes bytes, Bytes packet, Bytes header) {
    const Bytes payload = packet - header;
    return bytes + header * std::max<Bytes>(1, (bytes + payload - 1) / payload);
}
inline Bytes on_the_wire(const Machine& machine, Bytes bytes) {
    return on_the_wire(bytes, machine.size("packet"), machine.size("packet_header"));
}

struct Message {
    std::int32_t flight;  // the owner's number for it
    int rank;             // that sends it, and its step
    std::int32_t step;
    int from, to;  // nodes
    Bytes bytes;
    bool counted = true;  // it belongs to what is measured
    int channel = 0;
};
struct Delivery {
    int rank;
    std::int32_t step;
    Time left, arrived;
};
// When a message has left and arrives, since it began.
struct Passage {
    Time left, arrived;
};

class Sharing {
public:
    static constexpr Time never = std::numeric_limits<Time>::max();

    Sharing(const Machine& machine, const Network& network, int slices = 0)
        : machine_(machine),
          network_(network),
          node_rate_(machine["node_rate"]),
          node_takes_(second / node_rate_),
          latency_(machine.time("message_latency")),
          setup_(machine.time("interface_setup")),
          gap_(machine.time("interface_gap")),
          memory_latency_(machine.time("shared_memory_latency")),
          memory_takes_(second / machine["shared_memory_rate"]),
          parallel_(machine.count("parallel_links")),
          interfaces_(machine.count("interfaces")),
          packet_(machine.size("packet")),
          header_(machine.size("packet_header")),
          timeline_(network.links(), slices),
          interface_free_(at(network.nodes()) * at(interfaces_)),
          links_(static_cast<std::size_t>(network.links())),
          nodes_(static_cast<std::size_t>(network.nodes())) {
        for (int link = 0; link < network.links(); ++link)
            links_[at(link)].kind = kind_of({second / network.rate(link), network.latency(link)});
        if (machine.gives("shared_memory_rate")) memories_.resize(static_cast<std::size_t>(network.nodes()));
        if (machine.interface_choice == InterfaceChoice::first_link) number_links();
    }

    // A message between these nodes will begin soon.
    void prefetch(int from, int to) const {
        __builtin_prefetch(&nodes_[at(from)]);
        __builtin_prefetch(&nodes_[at(to)]);
    }

    // It begins next but a few.
    void prefetch_way(int from, int to) {
        for (const int link : way(from, to)) __builtin_prefetch(&links_[at(link)]);
    }

    // What a message of no length takes from node to node: a receiver's answer, for example.
    Time delay(int from, int to) const { return from == to ? memory_latency_ : latency(0) + network_.way_latency(from, to); }

    // Of a message that has the network to itself.
    Passage alone(const Message& message) {
        if (message.from == message.to) return copied(message);
        return alone_on(way(message.from, message.to), message.bytes, on_the_wire(message.bytes));
    }

    const Timeline& timeline() const { return timeline_; }
    // Counts one message from each of these nodes to each other one, in place of what was sent.
    void count_each_to_each(const std::vector<int>& nodes, Bytes bytes) {
        const std::vector<std::int64_t> messages = network_.each_to_each(nodes);
        const Bytes wire = on_the_wire(bytes);
        for (int link = 0; link < network_.links(); ++link) {
            links_[at(link)].busy = messages[at(link)] * passing(wire, kind(link).takes);
            links_[at(link)].bytes = messages[at(link)] * bytes;
        }
        std::vector<std::int64_t> ranks(nodes_.size());
        for (const int node : nodes) ++ranks[at(node)];
        for (std::size_t node = 0; node < nodes_.size(); ++node) {
            const std::int64_t here = ranks[node], there = static_cast<std::int64_t>(nodes.size()) - here;
            nodes_[node].out.busy = nodes_[node].in.busy = here * there * passing(wire, node_takes_);
            if (!memories_.empty()) memories_[node].busy = here * (here - 1) * passing(bytes, memory_takes_);
        }
    }
    // As if so many times as much had been sent.
    void multiply(double times) {
        const auto more = [&](Time& busy) { busy = static_cast<Time>(static_cast<double>(busy) * times); };
        for (Link& link : links_) {
            more(link.busy);
            link.bytes = static_cast<Bytes>(static_cast<double>(link.bytes) * times + 0.5);
        }
        for (Node& node : nodes_) more(node.out.busy), more(node.in.busy);
        for (Way& memory : memories_) more(memory.busy);
    }
    // Of all that was sent.
    Time busy_link(int link) const { return links_[at(link)].busy / parallel_; }
    Bytes link_bytes(int link) const { return links_[at(link)].bytes; }
    Time busy_node(int node) const {
        const Time memory = memories_.empty() ? 0 : memories_[at(node)].busy;
        return std::max({nodes_[at(node)].out.busy, nodes_[at(node)].in.busy, memory});
    }

protected:
    using Path = std::vector<int>;  // links

    static std::size_t at(int number) { return static_cast<std::size_t>(number); }
    // Those of messages that begin soon are kept, as prefetch_way() asks for them. It stays until a few others were asked for.
    const Path& way(int from, int to) {
        Found& found = ways_[static_cast<std::size_t>(from * 7 + to) % ways_.size()];
        if (found.from != from || found.to != to) {
            found.from = from, found.to = to;
            found.path.clear();
            network_.route(from, to, found.path);
        }
        return found.path;
    }
    Bytes on_the_wire(Bytes bytes) const { return simulator::on_the_wire(bytes, packet_, header_); }
    // What a message of so many bytes takes: most are as long as the one before.
    struct Weight {
        Bytes bytes = -1;
        Time through_node = 0, latency = 0;
        std::vector<Time> over;  // a link of each kind
    };
    const Weight& weigh(Bytes bytes) {
        if (weight_.bytes == bytes) return weight_;
        const Bytes wire = on_the_wire(bytes);
        weight_.bytes = bytes;
        weight_.through_node = passing(wire, node_takes_);
        weight_.latency = latency(bytes);
        weight_.over.clear();
        for (const Kind& kind : kinds_) weight_.over.push_back(passing(wire, kind.takes));
        return weight_;
    }
    Time latency(Bytes bytes) const {
        return machine_.messages.empty() ? latency_ : latency_ + static_cast<Time>(machine_.message(bytes).latency);
    }
    // Between ranks of one node, or of a rank to itself.
    Passage copied(const Message& message) const {
        const Time time = passing(message.bytes, memory_takes_);
        return {time, time + memory_latency_};
    }
    void count_copied(const Message& message) {
        if (message.counted && !memories_.empty()) memories_[at(message.from)].busy += passing(message.bytes, memory_takes_);
    }
    // Which interface of its node a message takes that has no choice.
    int interface_of(const Message& message, int first_link) const {
        return (machine_.interface_choice == InterfaceChoice::channel ? message.channel : links_of_nodes_[at(first_link)]) %
               interfaces_;
    }
    // From when on the interface of a message takes another one.
    Time& interface_free(const Message& message, int first_link) {
        const auto first = interface_free_.begin() + static_cast<std::ptrdiff_t>(at(message.from) * at(interfaces_));
        if (machine_.interface_choice != InterfaceChoice::least_busy) return first[interface_of(message, first_link)];
        return *std::min_element(first, first + interfaces_);
    }
    Passage alone_on(const Path& path, Bytes bytes, Bytes wire) const {
        Alone alone(passing(wire, node_takes_));
        for (const int number : path) {
            const Kind& link = kind(number);
            alone.over(passing(wire, link.takes), link.latency);
        }
        return alone.arrive(setup_, latency(bytes));
    }
    void count(const Message& message, const Path& path, Bytes wire) {
        if (!message.counted) return;
        for (const int link : path) links_[at(link)].count(message.bytes, passing(wire, kind(link).takes));
        count_nodes(message, passing(wire, node_takes_));
    }
    void count_nodes(const Message& message, Time through_node) {
        nodes_[at(message.from)].out.busy += through_node;
        nodes_[at(message.to)].in.busy += through_node;
    }

    // A message that has the network to itself, link by link: where its head is, and its end.
    class Alone {
    public:
        explicit Alone(Time through_node) : through_node_(through_node), tail_(through_node) {}
        void over(Time takes, Time latency) {
            tail_ = std::max(tail_, head_ + takes);
            if (head_ == 0 && left_ == 0) left_ = tail_;
            tail_ += latency;
            head_ += latency;
        }
        // setup: before it begins; latency: after its end.
        Passage arrive(Time setup, Time latency) const {
            return {setup + left_, setup + std::max(tail_, head_ + through_node_) + latency};
        }

    private:
        Time through_node_, head_ = 0, tail_, left_ = 0;
    };

    const Machine& machine_;
    const Network& network_;
    double node_rate_, node_takes_;
    Time latency_, setup_, gap_, memory_latency_;
    double memory_takes_;
    int parallel_, interfaces_;
    Bytes packet_, header_;
    Timeline timeline_;
    std::vector<Time, HugePages<Time>> interface_free_;  // of each node
    // All about one in one place, since they are many and are met at random.
    struct Way {
        Time free = 0, busy = 0;  // from when on, where it is reserved; how long in all
    };
    struct alignas(32) Link : Way {
        Bytes bytes = 0;
        int kind = 0;

        void count(Bytes sent, Time takes) { busy += takes, bytes += sent; }
    };
    // Links are many, and nearly all alike.
    struct Kind {
        double takes = 0;  // picoseconds for a byte
        Time latency = 0;
        bool operator==(const Kind&) const = default;
    };
    const Kind& kind(int link) const { return kinds_[at(links_[at(link)].kind)]; }
    struct Node {
        Way out, in;
    };
    std::vector<Kind> kinds_;
    std::vector<Link, HugePages<Link>> links_;
    std::vector<Node, HugePages<Node>> nodes_;
    std::vector<Way> memories_;  // of nodes, where their ranks share them

private:
    int kind_of(const Kind& kind) {
        const auto found = std::find(kinds_.rbegin(), kinds_.rend(), kind);
        if (found != kinds_.rend()) return static_cast<int>(kinds_.rend() - found) - 1;
        kinds_.push_back(kind);
        return static_cast<int>(kinds_.size()) - 1;
    }
    // The links that leave a node, from 0 on.
    void number_links() {
        std::vector<int> count(static_cast<std::size_t>(network_.nodes()));
        links_of_nodes_.resize(links_.size());
        for (int link = 0; link < network_.links(); ++link)
            if (const auto [from, to] = network_.ends(link); to >= 0 && from < network_.nodes())
                links_of_nodes_[at(link)] = count[at(from)]++;
    }

    struct Found {
        int from = -1, to = -1;
        Path path;
    };
    std::array<Found, 64> ways_;
    Weight weight_;
    std::vector<int> links_of_nodes_;  // of each link
};

}  // namespace kumihimo::simulator
