// A dragonfly: the routers of a group are all connected, and any two groups by one link. Valiant's routing goes by a third
// group, which is drawn from the two ends, always the same for them.
#include "base/error.hpp"
#include "base/format.hpp"
#include "simulator/network.hpp"

namespace kumihimo::simulator {

namespace {

class Dragonfly final : public Network {
public:
    Dragonfly(const Machine& machine, int nodes)
        : a_(machine.count("routers_of_group")),
          p_(machine.count("nodes_of_router")),
          h_(machine.count("global_links_of_router")),
          groups_((nodes + checked_size(1.0 * a_ * p_, "nodes of a group") - 1) / (a_ * p_)),
          valiant_(machine.routing == "valiant"),
          local_rate_(machine["link_rate"]),
          global_rate_(machine["global_rate"]),
          local_latency_(machine.time("hop_latency")),
          global_latency_(machine.time("global_latency")) {
        checked_size(1.0 * groups_ * (2.0 * a_ * p_ + 1.0 * a_ * a_ + groups_), "links");
        if (groups_ - 1 > checked_size(1.0 * a_ * h_, "links of a group"))
            throw base::Error(
                fmt::format("{} groups are needed; {} routers with {} links each connect {}", groups_, a_, h_, a_ * h_ + 1));
    }

    int nodes() const override { return groups_ * a_ * p_; }
    // Of each node one up and one down, of each router one to every other in the group, of each group one to every other.
    int links() const override { return 2 * nodes() + groups_ * a_ * a_ + groups_ * groups_; }
    double rate(int link) const override { return global(link) ? global_rate_ : local_rate_; }
    Time latency(int link) const override { return global(link) ? global_latency_ : local_latency_; }

    void route(int from, int to, std::vector<int>& path) const override {
        if (from == to) return;
        path.push_back(from);
        int router = from / p_;
        const int end = to / p_, group = router / a_, last = end / a_;
        if (valiant_ && group != last && groups_ > 2) {
            int between =
                static_cast<int>((static_cast<std::uint64_t>(from) * 2654435761U + static_cast<std::uint64_t>(to) * 40503U) %
                                 static_cast<std::uint64_t>(groups_));
            while (between == group || between == last) between = (between + 1) % groups_;
            router = to_group(router, between, path);
        }
        if (router / a_ != last) router = to_group(router, last, path);
        to_router(router, end, path);
        path.push_back(nodes() + to);
    }

    std::pair<int, int> ends(int link) const override {
        const auto router = [&](int number) { return nodes() + number; };
        if (link < nodes()) return {link, router(link / p_)};
        if (link < 2 * nodes()) return {router((link - nodes()) / p_), link - nodes()};
        if (!global(link)) {
            const int local = link - 2 * nodes(), from = local / a_;
            return {router(from), from % a_ == local % a_ ? -1 : router(from / a_ * a_ + local % a_)};
        }
        const int from = (link - first_global()) / groups_, to = (link - first_global()) % groups_;
        return {router(gate(from, to)), from == to ? -1 : router(gate(to, from))};
    }
    std::string link_name(int link) const override {
        if (link < nodes()) return fmt::format("node {} up", link);
        if (link < 2 * nodes()) return fmt::format("node {} down", link - nodes());
        if (!global(link)) {
            const int local = link - 2 * nodes();
            return fmt::format("group {}: router {} to {}", local / a_ / a_, local / a_ % a_, local % a_);
        }
        const int between = link - first_global();
        return fmt::format("group {} to {}", between / groups_, between % groups_);
    }

private:
    int first_global() const { return 2 * nodes() + groups_ * a_ * a_; }
    bool global(int link) const { return link >= first_global(); }
    // The router of a group that has the link to another one.
    int gate(int group, int other) const { return group * a_ + ((other - group - 1 + groups_) % groups_) / h_; }
    void to_router(int from, int to, std::vector<int>& path) const {
        if (from != to) path.push_back(2 * nodes() + from * a_ + to % a_);
    }
    int to_group(int router, int group, std::vector<int>& path) const {
        const int here = router / a_;
        to_router(router, gate(here, group), path);
        path.push_back(first_global() + here * groups_ + group);
        return gate(group, here);
    }

    int a_, p_, h_, groups_;
    bool valiant_;
    double local_rate_, global_rate_;
    Time local_latency_, global_latency_;
};

}  // namespace

std::unique_ptr<Network> dragonfly(const Machine& machine, int nodes) {
    return std::make_unique<Dragonfly>(machine, nodes);
}

}  // namespace kumihimo::simulator
