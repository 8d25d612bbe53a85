#include "simulator/network.hpp"

#include <functional>
#include <numeric>

#include "base/error.hpp"
#include "base/format.hpp"

namespace kumihimo::simulator {

namespace {

class WithRates final : public Network {
public:
    WithRates(std::unique_ptr<Network> network, const std::map<std::string, double>& factors) : network_(std::move(network)) {
        std::map<std::string, double> left = factors;
        for (int link = 0; link < network_->links() && !left.empty(); ++link)
            if (const auto found = left.find(network_->link_name(link)); found != left.end())
                rates_[link] = left.extract(found).mapped() * network_->rate(link);
        if (!left.empty())
            throw base::Error("there is no link '" + left.begin()->first + "'",
                              "the first one is called '" + network_->link_name(0) + "'");
    }

    int nodes() const override { return network_->nodes(); }
    int links() const override { return network_->links(); }
    void route(int from, int to, std::vector<int>& path) const override { network_->route(from, to, path); }
    std::vector<std::int64_t> each_to_each(const std::vector<int>& nodes) const override {
        return network_->each_to_each(nodes);
    }
    std::string link_name(int link) const override { return network_->link_name(link); }
    double rate(int link) const override {
        const auto found = rates_.find(link);
        return found == rates_.end() ? network_->rate(link) : found->second;
    }
    Time latency(int link) const override { return network_->latency(link); }
    std::vector<int> place(const std::vector<int>& shape) const override { return network_->place(shape); }

private:
    std::unique_ptr<Network> network_;
    std::map<int, double> rates_;
};

}  // namespace

std::unique_ptr<Network> with_rates(std::unique_ptr<Network> network, const std::map<std::string, double>& factors) {
    for (const auto& [name, factor] : factors)
        if (!(factor > 0) || !(factor < 1e6))
            throw base::Error(fmt::format("link {} cannot be {} times as fast", name, factor));
    if (factors.empty()) return network;
    return std::make_unique<WithRates>(std::move(network), factors);
}

std::vector<int> Network::place(const std::vector<int>& shape) const {
    std::vector<int> nodes(static_cast<std::size_t>(std::accumulate(shape.begin(), shape.end(), 1, std::multiplies<>())));
    std::iota(nodes.begin(), nodes.end(), 0);
    return nodes;
}

std::vector<std::int64_t> Network::each_to_each(const std::vector<int>& nodes) const {
    std::vector<std::int64_t> messages(static_cast<std::size_t>(links()));
    std::vector<int> path;
    for (const int from : nodes)
        for (const int to : nodes) {
            path.clear();
            route(from, to, path);
            for (const int link : path) ++messages[static_cast<std::size_t>(link)];
        }
    return messages;
}

std::unique_ptr<Network> make_network(const Machine& machine, int ranks, const std::vector<int>& extents) {
    if (machine.network == "torus") return torus(machine, extents);
    if (!extents.empty()) throw base::Error("only a torus has axes whose length the job decides: leave --nodes out");
    std::unique_ptr<Network> made = machine.network == "fat-tree" ? fat_tree(machine, ranks) : dragonfly(machine, ranks);
    if (made->nodes() < ranks)
        throw base::Error(fmt::format("{} has {} nodes, too few for {} ranks", machine.name, made->nodes(), ranks));
    return made;
}

}  // namespace kumihimo::simulator
