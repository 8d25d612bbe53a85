#include "collectives/trees.hpp"

#include <algorithm>

namespace kumihimo::collectives {

namespace {

// A place less than one turn before or behind the axis. (A simulator draws a tree for each message: a division would show.)
int around(int place, int extent) {
    if (place < 0) return place + extent;
    return place < extent ? place : place - extent;
}

}  // namespace

Tree::Tree(const Torus& torus, int number, int root) : torus_(torus), root_(torus.coordinates(root)) {
    std::array<int, most_axes> used;
    const int count = torus.axes(used);
    for (int i = 0; i < count; ++i) {
        axis_[i] = used[(number + i) % count];
        extent_[i] = torus.extents[axis_[i]];
    }
    sign_ = number < count ? 1 : -1;
}

Tree::Place Tree::place(int rank) const {
    const Coordinates at = torus_.coordinates(rank);
    const auto along = [&](int i) {
        return extent_[i] == 1 ? 0 : around(sign_ * (at[axis_[i]] - root_[axis_[i]]), extent_[i]);
    };
    return {along(0), along(1), along(2)};
}

int Tree::rank(const Place& place) const {
    Coordinates at = root_;
    const std::array<int, most_axes> steps{place.u, place.v, place.w};
    for (int i = 0; i < most_axes; ++i)
        if (extent_[i] > 1) at[axis_[i]] = around(at[axis_[i]] + sign_ * steps[i], extent_[i]);
    return torus_.rank(at);
}

Tree::Place Tree::parent(Place place) const {
    if (place.u == 0)
        place.u = extent_[0] - 1;
    else if (place.w > 0)
        --place.w;
    else if (place.v > 0)
        --place.v;
    else
        --place.u;
    return place;
}

int Tree::parent(int rank) const {
    const Place at = place(rank);
    return at.root() ? -1 : this->rank(parent(at));
}

Tree::Children Tree::children(int rank) const {
    const auto [u, v, w] = place(rank);
    const bool line = v == 0 && w == 0;
    Children children;
    const auto add = [&](bool exists, Place child) {
        if (exists) children.ranks[children.count++] = this->rank(child);
    };
    add(line && u + 1 < extent_[0], {u + 1, v, w});
    add(u > 0 && w == 0 && v + 1 < extent_[1], {u, v + 1, w});
    add(u > 0 && w + 1 < extent_[2], {u, v, w + 1});
    add(!line && u > 0 && u + 1 == extent_[0], {0, v, w});
    return children;
}

int Tree::subtree(const Place& at) const {
    const auto [u_extent, v_extent, w_extent] = extent_;
    const int plane = v_extent * w_extent;
    if (at.root()) return u_extent * plane;
    if (at.u == 0) return 1;
    const int closing = at.u + 1 == u_extent ? 2 : 1;  // the last along u have those with u = 0 as children
    if (at.w > 0) return (w_extent - at.w) * closing;
    if (at.v > 0) return (v_extent - at.v) * w_extent * closing;
    return (u_extent - at.u) * plane + plane - 1;
}

int Tree::subtree(const Place& at, const Share& share) const {
    if (share.of == 1) return subtree(at);
    const int u_extent = extent_[0], v_extent = extent_[1], w_extent = extent_[2];
    const int u = at.u, v = at.v, w = at.w;
    const auto here = [&](int u_first, int u_last) {  // the same lines at other places along u
        if (w > 0) return count({{u_first, v, w}, {u_last, v + 1, w_extent}}, share);
        return count({{u_first, v, 0}, {u_last, v_extent, w_extent}}, share);
    };
    if (at.root()) return count({{0, 0, 0}, {u_extent, v_extent, w_extent}}, share);
    if (u == 0) return count({at, {1, v + 1, w + 1}}, share);
    if (v == 0 && w == 0) return here(u, u_extent) + here(0, 1) - (share.number == 0);
    return here(u, u + 1) + (u + 1 == u_extent ? here(0, 1) : 0);
}

// How many sums of steps there are of each kind, axis by axis.
int Tree::count(const Box& box, const Share& share) const {
    using Counts = std::array<int, 2 * most_axes>;
    const std::array<std::pair<int, int>, most_axes> ranges{
        std::pair{box.first.u, box.last.u}, {box.first.v, box.last.v}, {box.first.w, box.last.w}};
    Counts sums{1};
    for (int i = 0; i < most_axes; ++i) {
        Counts along{}, next{};
        for (int place = ranges[i].first; place < ranges[i].second; ++place) ++along[steps(i, place) % share.of];
        for (int a = 0; a < share.of; ++a)
            for (int b = 0; b < share.of; ++b) next[(a + b) % share.of] += sums[a] * along[b];
        sums = next;
    }
    return sums[share.number];
}

bool Tree::has(const Share& share, int rank) const {
    const Place at = place(rank);
    return (steps(0, at.u) + steps(1, at.v) + steps(2, at.w)) % share.of == share.number;
}

// Children in the stack are taken last first, so the reverse is the order we want.
std::vector<int> Tree::order(const Share& share) const {
    std::vector<int> order, stack{torus_.rank(root_)};
    order.reserve(static_cast<std::size_t>(torus_.ranks()));
    while (!stack.empty()) {
        const int next = stack.back();
        stack.pop_back();
        order.push_back(next);
        for (const int child : children(next)) stack.push_back(child);
    }
    std::reverse(order.begin(), order.end());
    order.pop_back();  // the root
    std::erase_if(order, [&](int rank) { return !has(share, rank); });
    return order;
}

// A rank on the line of u is the first child of its parent; from others it is a short way to that line.
int Tree::first(int rank, const Share& share) const {
    int before = 0;
    for (Place at = place(rank); at.v > 0 || at.w > 0; at = parent(at)) {
        const int child = this->rank(at);
        for (const int sibling : children(this->rank(parent(at)))) {
            if (sibling == child) break;
            before += subtree(sibling, share);
        }
    }
    return before;
}

int Tree::depth(int rank) const {
    const Place at = place(rank);
    if (at.root()) return 0;
    return at.u == 0 ? extent_[0] + at.v + at.w : at.u + at.v + at.w;
}

}  // namespace kumihimo::collectives
