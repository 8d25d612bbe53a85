// A fat tree: every switch has half of its ports below, and a `taper`-th as many above. The way up is chosen by the destination
// (D-mod-k), so that messages to one node share links, and those to different ones do not where they can.
#include "base/error.hpp"
#include "base/format.hpp"
#include "simulator/network.hpp"

namespace kumihimo::simulator {

namespace {

class FatTree final : public Network {
public:
    FatTree(const Machine& machine, int nodes)
        : nodes_(nodes),
          below_(machine.count("radix") / 2),
          above_(below_ / machine.count("taper")),
          levels_(machine.count("levels")),
          rate_(machine["link_rate"]),
          latency_(machine.time("hop_latency")) {
        if (below_ < 1 || above_ < 1) throw base::Error("a switch of this radix and taper has no ports above");
        // Links upwards, level by level; those downwards follow in the same order.
        std::int64_t subtree = 1, parallel = 1, first = 0, before = 0;
        for (int level = 0; level < levels_; ++level) {
            firsts_.push_back(static_cast<int>(first)), subtrees_.push_back(static_cast<int>(subtree)),
                parallel_.push_back(static_cast<int>(parallel));
            const std::int64_t trees = (nodes_ + subtree - 1) / subtree, ports = level == 0 ? 1 : above_;
            switches_.push_back(static_cast<int>(before));
            before += trees * parallel;
            first += trees * parallel * ports;
            subtree *= below_;
            if (level > 0) parallel *= above_;
            if (first > 100'000'000 || subtree > 100'000'000) break;
        }
        switches_.push_back(static_cast<int>(before)), parallel_.push_back(static_cast<int>(parallel));
        upwards_ = static_cast<int>(first);
        if (subtree < nodes_)
            throw base::Error(
                fmt::format("{} levels of switches of {} ports have {} nodes, not {}", levels_, 2 * below_, subtree, nodes_));
    }

    int nodes() const override { return nodes_; }
    int links() const override { return 2 * upwards_; }
    double rate(int) const override { return rate_; }
    Time latency(int) const override { return latency_; }

    void route(int from, int to, std::vector<int>& path) const override {
        if (from == to) return;
        std::vector<int> down;
        int index = 0;  // of the switch among the parallel ones of its subtree: the same on the way up and down
        for (std::size_t level = 0; level < firsts_.size(); ++level) {
            const int port = level == 0 ? 0 : to / subtrees_[level - 1] % above_;
            path.push_back(link(level, from, index, port));
            down.push_back(upwards_ + link(level, to, index, port));
            if (level > 0) index = index * above_ + port;
            if (from / subtrees_[level] / below_ == to / subtrees_[level] / below_) break;
        }
        path.insert(path.end(), down.rbegin(), down.rend());
    }

    std::pair<int, int> ends(int link) const override {
        const Place place = place_of(link);
        const int low = vertex(place.level, place.subtree, place.index),
                  high =
                      vertex(place.level + 1, place.subtree / below_, place.level == 0 ? 0 : place.index * above_ + place.port);
        return link < upwards_ ? std::pair{low, high} : std::pair{high, low};
    }
    // "up 1 3.0.2": level, subtree, switch and port; "down" the same link backwards.
    std::string link_name(int link) const override {
        const Place place = place_of(link);
        return fmt::format("{} {} {}.{}.{}", link < upwards_ ? "up" : "down", place.level, place.subtree, place.index,
                           place.port);
    }

private:
    // Where the lower end of a link is.
    struct Place {
        std::size_t level;
        int subtree, index, port;
    };
    Place place_of(int link) const {
        const int up = link % upwards_;
        std::size_t level = firsts_.size() - 1;
        while (firsts_[level] > up) --level;
        const int ports = level == 0 ? 1 : above_, place = up - firsts_[level];
        return {level, place / ports / parallel_[level], place / ports % parallel_[level], place % ports};
    }
    // Nodes are those of level 0.
    int vertex(std::size_t level, int subtree, int index) const {
        return switches_[level] + subtree * parallel_[level] + index;
    }
    int link(std::size_t level, int node, int index, int port) const {
        return firsts_[level] + (node / subtrees_[level] * parallel_[level] + index) * (level == 0 ? 1 : above_) + port;
    }

    int nodes_, below_, above_, levels_;
    double rate_;
    Time latency_;
    std::vector<int> firsts_, subtrees_, parallel_, switches_;
    int upwards_ = 0;
};

}  // namespace

std::unique_ptr<Network> fat_tree(const Machine& machine, int nodes) {
    return std::make_unique<FatTree>(machine, nodes);
}

}  // namespace kumihimo::simulator
