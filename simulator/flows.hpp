// Sharing by flows: messages that are under way at the same time share each link and each node's way out and in fairly
// (max-min, as SMPI has it): all rates rise together until a resource is full, which fixes the rates of those that use it.
// Whenever a message begins or ends, the rates of those that it may touch are computed again. Exact in that sense, and slow.
//
// Where a machine sends in turn (machine.hpp), a rank's messages to one node are one flow: each begins when the one before has
// gone, as on a connection of TCP.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <deque>
#include <queue>
#include <utility>

#include "base/error.hpp"
#include "simulator/sharing.hpp"

namespace kumihimo::simulator {

class Flows : public Sharing {
public:
    Flows(const Machine& machine, const Network& network, int slices = 0) : Sharing(machine, network, slices) {
        const bool each = machine.interface_choice != InterfaceChoice::least_busy;
        resources_.resize(at(network.links()) + at(network.nodes()) * at(2 + !memories_.empty() + (each ? interfaces_ : 0)));
        double fastest = 0;
        for (int link = 0; link < network.links(); ++link) {
            resources_[at(link)].capacity = parallel_ * network.rate(link);
            if (network.ends(link).second >= 0) fastest = std::max(fastest, network.rate(link));
        }
        for (int node = 0; node < network.nodes(); ++node) {
            resources_[at(out_of(node))].capacity = std::min(node_rate_, fastest * interfaces_);
            resources_[at(into(node))].capacity = node_rate_;
            if (!memories_.empty()) resources_[at(memory_of(node))].capacity = second / memory_takes_;
            for (int i = 0; each && i < interfaces_; ++i) resources_[at(interface(node, i))].capacity = fastest;
        }
    }

    template <typename Landed>
    Passage send(const Message& message, Time begin, Landed&& landed) {
        const Passage passage = alone(message);
        if (message.from == message.to && memories_.empty())
            landed(message.flight, Delivery{message.rank, message.step, begin + passage.left, begin + passage.arrived});
        else
            beginning_.push({after_gap(message, begin), number_++, message});
        return passage;
    }
    Time next() const {
        const Time begins = beginning_.empty() ? never : beginning_.top().time;
        return std::min(begins, ending_.empty() ? never : ending_.top().time);
    }
    template <typename Landed>
    void advance(Time now, Landed&& landed) {
        changed_.clear();
        while (!ending_.empty() && ending_.top().time <= now) {
            const End end = ending_.top();
            ending_.pop();
            if (flows_[at(end.flow)].version != end.version) continue;
            const Flow& flow = flows_[at(end.flow)];
            landed(flow.message.flight, Delivery{flow.message.rank, flow.message.step, now + flow.setup, now + flow.latency});
            note(flow, now);
            const Message message = flow.message;
            remove(end.flow);
            if (in_turn(message)) next_of(message, now);
        }
        while (!beginning_.empty() && beginning_.top().time <= now) {
            const Message message = beginning_.top().message;
            beginning_.pop();
            if (!in_turn(message) || may_begin(message)) add(message, now);
        }
        share(now);
    }

private:
    struct Resource {
        double capacity = 0, left = 0;
        std::vector<int> flows;
        bool binds = false;      // in this computation
        int open = 0;            // of its flows, those without a rate yet
        std::uint64_t seen = 0;  // by which computation
    };
    struct Flow {
        Message message{};
        std::vector<int> resources;  // first its links
        std::size_t links = 0;
        double bytes = 0, rate = 0, alone = 0;  // still to go, in B/s, and what its way allows
        Time begun = 0, since = 0, setup = 0, latency = 0;
        std::uint32_t version = 0;
        bool open = false;
        std::uint64_t seen = 0;
    };
    struct Beginning {
        Time time;
        std::uint64_t number;
        Message message;
        bool operator<(const Beginning& other) const { return time != other.time ? time > other.time : number > other.number; }
    };
    struct End {
        Time time;
        int flow;
        std::uint32_t version;
        bool operator<(const End& other) const { return time != other.time ? time > other.time : flow > other.flow; }
    };

    int out_of(int node) const { return network_.links() + node; }
    int into(int node) const { return network_.links() + network_.nodes() + node; }
    int memory_of(int node) const { return network_.links() + 2 * network_.nodes() + node; }
    int interface(int node, int number) const {
        return network_.links() + (2 + !memories_.empty()) * network_.nodes() + node * interfaces_ + number;
    }

    // An interface takes messages a gap apart, though they share its node's way out fairly then.
    Time after_gap(const Message& message, Time begin) {
        if (gap_ == 0 || message.from == message.to) return begin;
        Time& free = interface_free(message, way(message.from, message.to).front());
        begin = std::max(begin, free);
        free = begin + gap_;
        return begin;
    }

    // Those that wait for a message to the same node; an entry without any is a message that is under way.
    using Waiting = absl::flat_hash_map<std::pair<int, int>, std::deque<Message>>;
    bool in_turn(const Message& message) const { return machine_.in_turn && message.from != message.to; }
    bool may_begin(const Message& message) {
        const auto [place, alone] = waiting_.try_emplace({message.rank, message.to});
        if (!alone) place->second.push_back(message);
        return alone;
    }
    void next_of(const Message& message, Time now) {
        const auto place = waiting_.find({message.rank, message.to});
        if (place->second.empty()) return void(waiting_.erase(place));
        const Message next = place->second.front();
        place->second.pop_front();
        add(next, now);
    }

    void add(const Message& message, Time now) {
        if (free_.empty()) {
            free_.push_back(static_cast<int>(flows_.size()));
            flows_.emplace_back();
        }
        const int number = free_.back();
        free_.pop_back();
        Flow& flow = flows_[at(number)];
        flow.message = message;
        flow.rate = 0;
        flow.begun = flow.since = now;
        flow.alone = std::numeric_limits<double>::infinity();
        if (message.from == message.to)
            through_memory(flow);
        else
            through_network(flow);
        for (const int resource : flow.resources) {
            const double most = resources_[at(resource)].capacity;
            flow.alone = std::min(flow.alone, resource < network_.links() ? most / parallel_ : most);
            resources_[at(resource)].flows.push_back(number);
        }
        changed_.insert(changed_.end(), flow.resources.begin(), flow.resources.end());
    }
    void through_memory(Flow& flow) {
        count_copied(flow.message);
        flow.bytes = static_cast<double>(flow.message.bytes);
        flow.setup = 0;
        flow.latency = memory_latency_;
        flow.resources = {memory_of(flow.message.from)};
        flow.links = 0;
    }
    void through_network(Flow& flow) {
        const Message& message = flow.message;
        const Bytes wire = on_the_wire(message.bytes);
        const Path& path = way(message.from, message.to);
        count(message, path, wire);
        flow.bytes = static_cast<double>(wire);
        flow.setup = setup_;
        flow.latency = setup_ + latency(message.bytes);
        flow.resources.clear();
        for (const int link : path) {
            flow.latency += kind(link).latency;
            flow.resources.push_back(link);
        }
        flow.links = path.size();
        flow.resources.push_back(out_of(message.from));
        flow.resources.push_back(into(message.to));
        if (machine_.interface_choice != InterfaceChoice::least_busy)
            flow.resources.push_back(interface(message.from, interface_of(message, path.front())));
    }
    // A link is busy for as long as its part of the flow would take alone, spread over the time that the flow had.
    void note(const Flow& flow, Time now) {
        const Bytes wire = on_the_wire(flow.message.bytes);
        for (std::size_t i = 0; i < flow.links; ++i) {
            const int link = flow.resources[i];
            timeline_.add(link, flow.begun, std::min(now, flow.begun + passing(wire, kind(link).takes)));
        }
    }
    void remove(int number) {
        Flow& flow = flows_[at(number)];
        for (const int resource : flow.resources) std::erase(resources_[at(resource)].flows, number);
        changed_.insert(changed_.end(), flow.resources.begin(), flow.resources.end());
        ++flow.version;
        free_.push_back(number);
    }

    // A resource that all its flows together cannot fill binds nobody, and ties no flows together.
    bool may_bind(const Resource& resource) const {
        double most = 0;
        for (const int flow : resource.flows) most += flows_[at(flow)].alone;
        return most > resource.capacity * (1 + 1e-9);
    }

    // Computes the rates of all flows that what changed can reach.
    void share(Time now) {
        find_reached();
        double level = 0;
        for (std::size_t fixed = 0; fixed < reached_.size();) {
            // How far all rates that are open can rise together.
            double rise = std::numeric_limits<double>::infinity();
            for (const int flow : reached_)
                if (flows_[at(flow)].open) rise = std::min(rise, flows_[at(flow)].alone - level);
            for (const int resource : binding_)
                if (const Resource& one = resources_[at(resource)]; one.open > 0) rise = std::min(rise, one.left / one.open);
            level += rise;
            for (const int resource : binding_) resources_[at(resource)].left -= rise * resources_[at(resource)].open;
            full_.clear();
            for (const int flow : reached_)
                if (flows_[at(flow)].open && is_full(flows_[at(flow)], level)) full_.push_back(flow);
            if (full_.empty()) throw base::Error("rates of messages cannot be computed");  // cannot be: one is the least
            for (const int flow : full_) fix(flow, level, now);
            fixed += full_.size();
        }
    }
    void find_reached() {
        ++computation_;
        reached_.clear();
        binding_.clear();
        const auto see = [&](int number) {
            Flow& flow = flows_[at(number)];
            if (std::exchange(flow.seen, computation_) == computation_) return;
            flow.open = true;
            reached_.push_back(number);
        };
        for (const int resource : changed_)
            for (const int flow : resources_[at(resource)].flows) see(flow);
        for (std::size_t i = 0; i < reached_.size(); ++i)
            for (const int number : flows_[at(reached_[i])].resources) {
                Resource& resource = resources_[at(number)];
                if (std::exchange(resource.seen, computation_) == computation_) continue;
                resource.binds = may_bind(resource);
                if (!resource.binds) continue;
                resource.left = resource.capacity;
                resource.open = static_cast<int>(resource.flows.size());
                binding_.push_back(number);
                for (const int flow : resource.flows) see(flow);
            }
        std::sort(reached_.begin(), reached_.end());
    }
    bool is_full(const Flow& flow, double level) const {
        constexpr double almost = 1 - 1e-9;
        if (level >= flow.alone * almost) return true;
        return std::any_of(flow.resources.begin(), flow.resources.end(), [&](int number) {
            const Resource& resource = resources_[at(number)];
            return resource.binds && resource.left <= resource.capacity * 1e-9;
        });
    }
    void fix(int number, double rate, Time now) {
        Flow& flow = flows_[at(number)];
        flow.open = false;
        for (const int resource : flow.resources) --resources_[at(resource)].open;
        if (rate == flow.rate) return;
        flow.bytes = std::max(0.0, flow.bytes - flow.rate * (static_cast<double>(now - flow.since) / second));
        flow.since = now;
        flow.rate = rate;
        ++flow.version;
        ending_.push({now + static_cast<Time>(flow.bytes / rate * second + 0.5), number, flow.version});
    }

    std::vector<Resource> resources_;  // links, ways out of nodes, ways into them, memories and interfaces where they count
    std::vector<Flow> flows_;
    std::vector<int> free_, changed_, reached_, binding_, full_;
    std::priority_queue<Beginning> beginning_;
    std::priority_queue<End> ending_;
    Waiting waiting_;
    std::uint64_t number_ = 0, computation_ = 0;
};

}  // namespace kumihimo::simulator
