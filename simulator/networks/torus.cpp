// A torus or mesh of any axes. Messages go along one axis after the other, in the machine's order of routing.
#include <numeric>

#include "base/error.hpp"
#include "base/format.hpp"
#include "simulator/network.hpp"

namespace kumihimo::simulator {

namespace {

using Place = std::vector<int>;  // a coordinate for each axis

// A closed way through a line of `length` times a ring of `width`: neighbours on it are neighbours in the network. It ends one
// step along the ring from where it began, where the length is even or 1.
std::vector<std::pair<int, int>> cycle(int length, int width) {
    std::vector<std::pair<int, int>> way;
    if (length == 1) {
        for (int j = 0; j < width; ++j) way.emplace_back(0, j == 0 ? 0 : width - j);
        return way;
    }
    for (int i = 0; i < length; ++i) way.emplace_back(i, 0);
    for (int i = length - 1, forward = 1; i >= 0; --i, forward = 1 - forward)
        for (int j = 1; j < width; ++j) way.emplace_back(i, forward ? j : width - j);
    return way;
}

base::Error missing(const Machine& machine, const Axis& missing) {
    std::string names, example;
    for (const Axis& axis : machine.axes)
        if (axis.extent == 0) {
            names += (names.empty() ? "" : " ") + axis.name;
            example += example.empty() ? "4" : "x2";
        }
    return base::Error(fmt::format("the length of axis {} is missing", missing.name),
                       fmt::format("the job decides those of {}: --nodes {}", names, example));
}

class Torus final : public Network {
public:
    Torus(const Machine& machine, const std::vector<int>& extents)
        : name_(machine.name),
          placement_(machine.placement),
          axes_(machine.axes),
          sides_(2 * static_cast<int>(axes_.size())),
          rate_(machine["link_rate"]),
          latency_(machine.time("hop_latency")) {
        std::size_t given = 0;
        for (Axis& axis : axes_) {
            if (axis.extent == 0 && given < extents.size()) axis.extent = extents[given++];
            if (axis.extent == 0) throw missing(machine, axis);
        }
        if (given < extents.size())
            throw base::Error(fmt::format("the job decides {} axes of {}, not {}", given, name_, extents.size()));
        double links = 2.0 * static_cast<double>(axes_.size());
        for (const Axis& axis : axes_) links *= axis.extent;
        checked_size(links, "links");
        for (const Axis& axis : axes_) {
            strides_.push_back(nodes_);
            nodes_ *= axis.extent;
        }
        for (const char axis : machine.routing)
            for (std::size_t i = 0; i < axes_.size(); ++i)
                if (axes_[i].name[0] == axis) lines_.push_back(line(i));
        for (int node = 0; node < nodes_; ++node)
            for (std::size_t axis = 0; axis < axes_.size(); ++axis)
                coordinates_.push_back(node / strides_[axis] % axes_[axis].extent);
    }

    int nodes() const override { return nodes_; }
    int links() const override { return nodes_ * sides_; }
    double rate(int) const override { return rate_; }
    Time latency(int) const override { return latency_; }
    Time way_latency(int from, int to) const override {
        const int *const begin = place_of(from), *const end = place_of(to);
        int hops = 0;
        for (const Line& line : lines_) hops += line.hops(begin[line.axis], end[line.axis]);
        return hops * latency_;
    }

    // Links are numbered by node and side.
    void route(int from, int to, std::vector<int>& path) const override {
        const int *const begin = place_of(from), *const end = place_of(to);
        int node = from;
        for (const Line& line : lines_) {
            int here = begin[line.axis];
            if (here == end[line.axis]) continue;
            const bool up = line.upwards(here, end[line.axis]);
            const int step = up ? line.stride : -line.stride, last = line.extent - 1, edge = up ? last : 0;
            for (int hops = line.hops(here, end[line.axis]); hops > 0; --hops) {
                path.push_back(node * sides_ + 2 * line.axis + !up);
                node += here == edge ? -step * last : step;
                here = here == edge ? last - edge : here + (up ? 1 : -1);
            }
        }
    }

    // A message goes along an axis with its receiver's place on the axes before, and its sender's on those behind: so a link
    // carries what its place on the axis tells, as often as all other axes have places.
    std::vector<std::int64_t> each_to_each(const std::vector<int>& nodes) const override {
        if (static_cast<int>(nodes.size()) != nodes_) return Network::each_to_each(nodes);
        std::vector<std::int64_t> messages(static_cast<std::size_t>(links()));
        for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
            const int extent = axes_[axis].extent, side = 2 * static_cast<int>(axis);
            std::vector<std::int64_t> up(static_cast<std::size_t>(extent)), down = up;
            for (int from = 0; from < extent; ++from)
                for (int end = 0; end < extent; ++end) {
                    const bool upward = from != end && line(axis).upwards(from, end);
                    for (int here = from; here != end; here = beside(axis, here, upward))
                        ++(upward ? up : down)[static_cast<std::size_t>(here)];
                }
            for (int node = 0; node < nodes_; ++node) {
                const auto here = static_cast<std::size_t>(coordinate(node, axis));
                messages[simulator::at(node * sides_ + side)] = up[here] * (nodes_ / extent);
                messages[simulator::at(node * sides_ + side + 1)] = down[here] * (nodes_ / extent);
            }
        }
        return messages;
    }
    std::pair<int, int> ends(int link) const override {
        const int from = link / sides_;
        const auto axis = static_cast<std::size_t>(link % sides_ / 2);
        const int extent = axes_[axis].extent, here = coordinate(from, axis), step = link % 2 ? -1 : 1;
        if (extent == 1 || (!axes_[axis].ring && (here + step < 0 || here + step == extent))) return {from, -1};
        return {from, from + ((here + step + extent) % extent - here) * strides_[axis]};
    }
    // Half of each axis.
    std::vector<Part> parts() const override {
        std::vector<Part> found;
        for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
            if (axes_[axis].extent == 1) continue;
            found.push_back({"through the middle of axis " + axes_[axis].name, {}});
            for (int node = 0; node < nodes_; ++node)
                if (coordinate(node, axis) < axes_[axis].extent / 2) found.back().nodes.push_back(node);
        }
        return found;
    }
    // "x3y2z5a0b1c1+y": the node where the link begins, and its direction.
    std::string link_name(int link) const override {
        return node_name(link / sides_) + (link % 2 ? "-" : "+") + axes_[static_cast<std::size_t>(link % sides_ / 2)].name;
    }
    std::string node_name(int node) const override {
        std::string text;
        for (std::size_t i = 0; i < axes_.size(); ++i) text += axes_[i].name + std::to_string(coordinate(node, i));
        return text;
    }

    std::vector<int> place(const std::vector<int>& shape) const override {
        const int ranks = std::accumulate(shape.begin(), shape.end(), 1, std::multiplies<>());
        if (ranks != nodes_)
            throw base::Error(fmt::format("a shape of {} ranks does not fill {} nodes of {}", ranks, nodes_, name_),
                              nearest(shape));
        return placement_ == "order" ? Network::place(shape) : along_cycles(shape);
    }

private:
    // What messages go along, one after the other.
    struct Line {
        int axis, extent, stride;
        bool ring;

        int hops(int here, int end) const {
            const int apart = end < here ? here - end : end - here;
            return ring ? std::min(apart, extent - apart) : apart;
        }
        // The shorter way round; of equal ones + from even nodes and - from odd ones, so that both directions have as much.
        bool upwards(int here, int end) const {
            const int forward = end - here + (end < here ? extent : 0);
            if (!ring) return end > here;
            return 2 * forward < extent || (2 * forward == extent && here % 2 == 0);
        }
    };
    Line line(std::size_t axis) const { return {static_cast<int>(axis), axes_[axis].extent, strides_[axis], axes_[axis].ring}; }
    const int* place_of(int node) const { return &coordinates_[simulator::at(node) * axes_.size()]; }
    int coordinate(int node, std::size_t axis) const { return coordinates_[simulator::at(node) * axes_.size() + axis]; }
    int beside(std::size_t axis, int here, bool up) const {
        const int last = axes_[axis].extent - 1;
        if (up) return here == last ? 0 : here + 1;
        return here == 0 ? last : here - 1;
    }
    int node(const Place& at) const {
        int number = 0;
        for (std::size_t i = 0; i < axes_.size(); ++i) number += at[i] * strides_[i];
        return number;
    }

    // Six axes x y z a b c, as the K computer's: a rank's neighbours are a node's. Three axes: (x, a), (y, b), (z, c). Two: (x,
    // a, b) and (y, z, c). One: all of them.
    std::vector<int> along_cycles(const std::vector<int>& shape) const {
        if (axes_.size() != 6)
            throw base::Error("ranks are placed along cycles on six axes only", "take placement = \"order\"");
        std::vector<Place> first{Place(6)}, second{Place(6)}, third{Place(6)};
        if (shape.size() == 3) {
            first = pairs(0, 3), second = pairs(1, 4), third = pairs(2, 5);
        } else {
            first = row_of_two(0, 3, 4);
            second = row_of_lines(1, pairs(2, 5));
            if (shape.size() == 1) {
                first = joined(second, first);
                second = {Place(6)};
            }
        }
        const std::vector<int> lengths{static_cast<int>(first.size()), static_cast<int>(second.size()),
                                       static_cast<int>(third.size())};
        for (std::size_t i = 0; i < shape.size(); ++i)
            if (shape[i] != lengths[i]) no_placement(shape, lengths);
        std::vector<int> nodes;
        nodes.reserve(static_cast<std::size_t>(nodes_));
        for (const Place& c : third)
            for (const Place& b : second)
                for (const Place& a : first) nodes.push_back(node(sum(sum(a, b), c)));
        return nodes;
    }
    // The shapes that these nodes take.
    std::string nearest(const std::vector<int>& shape) const {
        if (placement_ == "order") return fmt::format("any shape of {} ranks does", nodes_);
        try {
            along_cycles(std::vector<int>(shape.size(), 0));
        } catch (const base::Error& error) {
            return error.advice();
        }
        return "";
    }
    [[noreturn]] void no_placement(const std::vector<int>& shape, const std::vector<int>& lengths) const {
        const std::vector<int> there(lengths.begin(), lengths.begin() + static_cast<std::ptrdiff_t>(shape.size()));
        throw base::Error(fmt::format("the shape {} has no placement on these nodes", fmt::join(shape, "x")),
                          fmt::format("they take {}", fmt::join(there, "x")));
    }

    static Place sum(Place a, const Place& b) {
        for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
        return a;
    }
    int extent(std::size_t axis) const { return axes_[axis].extent; }
    std::vector<Place> pairs(std::size_t line, std::size_t ring) const {
        std::vector<Place> way;
        for (const auto& [i, j] : cycle(extent(line), extent(ring))) {
            way.emplace_back(6);
            way.back()[line] = i, way.back()[ring] = j;
        }
        return way;
    }
    // A line along one axis, times the ring through a plane of 2 nodes times a ring. It begins with the step along the 2 nodes,
    // which is so the one that closes the way. On the K computer this step comes between others in the order of routing, which
    // halves Sendrecv as the paper measured (docs/explanation/k-computer.md).
    std::vector<Place> row_of_two(std::size_t line, std::size_t two, std::size_t ring) const {
        std::vector<Place> plane;
        const auto add = [&](int side, int j) {
            plane.emplace_back(6);
            plane.back()[two] = side, plane.back()[ring] = j;
        };
        add(0, 0);
        for (int side = 1; side < extent(two); ++side)
            for (int j = 0; j < extent(ring); ++j) add(side, j);
        for (int j = extent(ring) - 1; j > 0; --j) add(0, j);
        return row_of_lines(line, plane);
    }
    std::vector<Place> row_of_lines(std::size_t line, const std::vector<Place>& ring) const {
        std::vector<Place> row;
        for (int i = 0; i < extent(line); ++i) {
            row.emplace_back(6);
            row.back()[line] = i;
        }
        return joined(row, ring);
    }
    static std::vector<Place> joined(const std::vector<Place>& line, const std::vector<Place>& ring) {
        std::vector<Place> way;
        for (const auto& [i, j] : cycle(static_cast<int>(line.size()), static_cast<int>(ring.size())))
            way.push_back(sum(line[static_cast<std::size_t>(i)], ring[static_cast<std::size_t>(j)]));
        return way;
    }

    std::string name_, placement_;
    std::vector<Axis> axes_;
    int sides_;                // links of a node
    std::vector<Line> lines_;  // in the order of routing
    std::vector<int> strides_;
    std::vector<int> coordinates_;  // of each node in turn, since a division takes longer than all else of a route
    int nodes_ = 1;
    double rate_;
    Time latency_;
};

}  // namespace

std::unique_ptr<Network> torus(const Machine& machine, const std::vector<int>& extents) {
    return std::make_unique<Torus>(machine, extents);
}

}  // namespace kumihimo::simulator
