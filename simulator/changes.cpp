#include "simulator/changes.hpp"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "base/error.hpp"
#include "base/format.hpp"

namespace kumihimo::simulator {

namespace {

// All as it was.
class Changed : public Network {
public:
    explicit Changed(std::unique_ptr<Network> network) : network_(std::move(network)) {}

    int nodes() const override { return network_->nodes(); }
    int links() const override { return network_->links(); }
    void route(int from, int to, std::vector<int>& path) const override { network_->route(from, to, path); }
    std::vector<std::int64_t> each_to_each(const std::vector<int>& nodes) const override {
        return network_->each_to_each(nodes);
    }
    std::pair<int, int> ends(int link) const override { return network_->ends(link); }
    std::vector<Part> parts() const override { return network_->parts(); }
    std::string link_name(int link) const override { return network_->link_name(link); }
    std::string node_name(int node) const override { return network_->node_name(node); }
    double rate(int link) const override { return network_->rate(link); }
    Time latency(int link) const override { return network_->latency(link); }
    Time way_latency(int from, int to) const override { return network_->way_latency(from, to); }
    std::vector<int> place(const std::vector<int>& shape) const override { return network_->place(shape); }
    bool failed(int node) const override { return network_->failed(node); }

protected:
    std::unique_ptr<Network> network_;
};

class WithRates final : public Changed {
public:
    WithRates(std::unique_ptr<Network> network, std::map<int, double> rates)
        : Changed(std::move(network)), rates_(std::move(rates)) {}

    double rate(int link) const override {
        const auto found = rates_.find(link);
        return found == rates_.end() ? network_->rate(link) : found->second;
    }

private:
    std::map<int, double> rates_;
};

class WithFailures final : public Changed {
public:
    WithFailures(std::unique_ptr<Network> network, const Machine& machine, const std::vector<int>& nodes,
                 const std::vector<int>& links)
        : Changed(std::move(network)),
          machine_(machine.name),
          detours_(machine.detours),
          in_order_(machine.placement == "order" && !nodes.empty()),
          dead_nodes_(at(network_->nodes())),
          dead_links_(at(network_->links())) {
        for (const int node : nodes) dead_nodes_[at(node)] = true;
        for (const int link : links) dead_links_[at(link)] = true;
        for (int link = 0; link < network_->links(); ++link) {
            const auto [from, to] = network_->ends(link);
            if (to < 0) continue;
            if (dead(from) || dead(to)) dead_links_[at(link)] = true;
            leaving_.resize(std::max(leaving_.size(), at(std::max(from, to)) + 1));
            if (!dead_links_[at(link)]) leaving_[at(from)].push_back(link);
        }
        leaving_.resize(std::max(leaving_.size(), at(network_->nodes())));
        check_connected();
    }

    bool failed(int node) const override { return dead_nodes_[at(node)]; }

    void route(int from, int to, std::vector<int>& path) const override {
        const auto begin = static_cast<std::ptrdiff_t>(path.size());
        network_->route(from, to, path);
        const auto bad = std::find_if(path.begin() + begin, path.end(), [&](int link) { return dead_links_[at(link)]; });
        if (bad == path.end()) return;
        if (!detours_)
            throw base::Error(fmt::format("messages from {} to {} would take {}, which failed, and {} makes no detours",
                                          node_name(from), node_name(to), link_name(*bad), machine_));
        path.resize(static_cast<std::size_t>(begin));
        const std::vector<int>& detour = around(from, to);
        path.insert(path.end(), detour.begin(), detour.end());
    }
    Time way_latency(int from, int to) const override { return Network::way_latency(from, to); }
    std::vector<std::int64_t> each_to_each(const std::vector<int>& nodes) const override {
        return Network::each_to_each(nodes);
    }

    std::vector<int> place(const std::vector<int>& shape) const override {
        if (!in_order_) return network_->place(shape);
        const int ranks = std::accumulate(shape.begin(), shape.end(), 1, std::multiplies<>());
        std::vector<int> places;
        for (int node = 0; node < nodes() && static_cast<int>(places.size()) < ranks; ++node)
            if (!failed(node)) places.push_back(node);
        if (static_cast<int>(places.size()) < ranks)
            throw base::Error(fmt::format("{} are left for {}", base::counted(static_cast<std::int64_t>(places.size()), "node"),
                                          base::counted(ranks, "rank")));
        return places;
    }

private:
    bool dead(int vertex) const { return vertex < nodes() && dead_nodes_[at(vertex)]; }

    // From one vertex breadth first: the link by which each was reached; none: not at all; the first one by none either.
    static constexpr int none = -1;
    std::vector<int> reached(int from, int until = none) const {
        std::vector<int> by(leaving_.size(), none);
        std::vector<int> vertices{from};
        for (std::size_t i = 0; i < vertices.size(); ++i)
            for (const int link : leaving_[at(vertices[i])]) {
                const int next = network_->ends(link).second;
                if (next == from || by[at(next)] != none) continue;
                by[at(next)] = link;
                if (next == until) return by;
                vertices.push_back(next);
            }
        return by;
    }
    const std::vector<int>& around(int from, int to) const {
        const auto [place, is_new] = around_.try_emplace(std::pair{from, to});
        if (is_new) {
            const std::vector<int> by = reached(from, to);
            for (int vertex = to; vertex != from; vertex = network_->ends(by[at(vertex)]).first)
                place->second.push_back(by[at(vertex)]);
            std::reverse(place->second.begin(), place->second.end());
        }
        return place->second;
    }

    // Whoever is cut off from the others: not among the largest part of the nodes that reach each other.
    void check_connected() const {
        std::vector<int> left, part;
        for (int node = 0; node < nodes(); ++node)
            if (!failed(node)) left.push_back(node);
        const std::vector<std::vector<int>> entering = all_entering();
        std::set<int> tried;
        for (const int node : left) {
            if (2 * part.size() >= left.size()) break;
            if (tried.contains(node)) continue;
            std::vector<int> mutual = together(node, left, entering);
            tried.insert(mutual.begin(), mutual.end());
            if (mutual.size() > part.size()) part = std::move(mutual);
        }
        if (part.size() == left.size()) return;
        std::vector<int> off;
        std::set_difference(left.begin(), left.end(), part.begin(), part.end(), std::back_inserter(off));
        std::vector<std::string> names;
        for (std::size_t i = 0; i < std::min<std::size_t>(off.size(), 8); ++i) names.push_back(node_name(off[i]));
        throw base::Error(
            fmt::format("{} cut off from the other {}: {}{}",
                        base::counted(static_cast<std::int64_t>(off.size()), "node") + (off.size() == 1 ? " is" : " are"),
                        part.size(), fmt::join(names, ", "), off.size() > 8 ? ", ..." : ""),
            "no way leads round these failures");
    }
    // Of each vertex, those from which a link leads there.
    std::vector<std::vector<int>> all_entering() const {
        std::vector<std::vector<int>> entering(leaving_.size());
        for (std::size_t from = 0; from < leaving_.size(); ++from)
            for (const int link : leaving_[from]) entering[at(network_->ends(link).second)].push_back(static_cast<int>(from));
        return entering;
    }
    // The nodes that one reaches, and that reach it.
    std::vector<int> together(int node, const std::vector<int>& all, const std::vector<std::vector<int>>& entering) const {
        std::vector<bool> reaches(leaving_.size());
        std::vector<int> vertices{node};
        reaches[at(node)] = true;
        for (std::size_t i = 0; i < vertices.size(); ++i)
            for (const int before : entering[at(vertices[i])])
                if (!reaches[at(before)]) reaches[at(before)] = true, vertices.push_back(before);
        const std::vector<int> by = reached(node);
        std::vector<int> found;
        for (const int one : all)
            if (one == node || (reaches[at(one)] && by[at(one)] != none)) found.push_back(one);
        return found;
    }

    std::string machine_;
    bool detours_, in_order_;
    std::vector<bool> dead_nodes_, dead_links_;
    std::vector<std::vector<int>> leaving_;  // of each vertex, links that work
    mutable absl::flat_hash_map<std::pair<int, int>, std::vector<int>> around_;
};

template <typename Name>
int by_name(const std::string& name, int count, const char* what, Name&& name_of) {
    for (int i = 0; i < count; ++i)
        if (name_of(i) == name) return i;
    throw base::Error(fmt::format("there is no {} '{}'", what, name),
                      fmt::format("the first one is called '{}'", count > 0 ? name_of(0) : ""));
}

int link_named(const Network& network, const std::string& name) {
    return by_name(name, network.links(), "link", [&](int link) { return network.link_name(link); });
}

}  // namespace

int node_named(const Network& network, const std::string& name) {
    return by_name(name, network.nodes(), "node", [&](int node) { return network.node_name(node); });
}

std::unique_ptr<Network> with_failures(std::unique_ptr<Network> network, const Machine& machine, const Failures& failures) {
    if (!failures.any()) return network;
    std::vector<int> nodes, links;
    for (const std::string& name : failures.nodes) nodes.push_back(node_named(*network, name));
    for (const std::string& name : failures.links) links.push_back(link_named(*network, name));
    return std::make_unique<WithFailures>(std::move(network), machine, nodes, links);
}

std::unique_ptr<Network> with_rates(std::unique_ptr<Network> network, const std::map<std::string, double>& factors) {
    if (factors.empty()) return network;
    std::map<int, double> rates;
    for (const auto& [name, factor] : factors) {
        if (!(factor > 0) || !(factor < 1e6))
            throw base::Error(fmt::format("link {} cannot be {} times as fast", name, factor));
        const int link = link_named(*network, name);
        rates[link] = factor * network->rate(link);
    }
    return std::make_unique<WithRates>(std::move(network), std::move(rates));
}

std::unique_ptr<Network> with_background(std::unique_ptr<Network> network, const std::vector<Flow>& flows) {
    if (flows.empty()) return network;
    std::map<int, double> taken;
    for (const Flow& flow : flows) {
        std::vector<int> path;
        network->route(flow.from, flow.to, path);
        for (const int link : path) taken[link] += flow.rate;
    }
    for (auto& [link, rate] : taken) {
        const double whole = network->rate(link);
        if (rate >= whole)
            throw base::Error(fmt::format("other jobs' messages take all of {}: {:.4g} of {:.4g} GB/s",
                                          network->link_name(link), rate / 1e9, whole / 1e9));
        rate = whole - rate;
    }
    return std::make_unique<WithRates>(std::move(network), std::move(taken));
}

}  // namespace kumihimo::simulator
