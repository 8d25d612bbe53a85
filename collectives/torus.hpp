// The network as the algorithms see it: a torus or mesh of up to three axes with one rank on each node, the first axis fastest
// (as the paper numbers them: "8x6x8"). Also which links a message takes, for proofs and for the simulator.
#pragma once

#include <array>
#include <string>

namespace kumihimo::collectives {

constexpr int most_axes = 3;
using Coordinates = std::array<int, most_axes>;

constexpr int modulo(int a, int n) {
    const int rest = a % n;
    return rest < 0 ? rest + n : rest;
}

struct Torus {
    Coordinates extents{1, 1, 1};
    std::array<bool, most_axes> wraps{true, true, true};

    static Torus line(int ranks) { return {{ranks, 1, 1}}; }
    // "8x6x8" (torus), "8x6mx8" (the second axis is a mesh). Throws base::Error on other text.
    static Torus parse(const std::string& text);
    std::string text() const;  // that parse() reads back

    bool operator==(const Torus&) const = default;
    int ranks() const { return extents[0] * extents[1] * extents[2]; }
    Coordinates coordinates(int rank) const;
    int rank(const Coordinates& at) const { return at[0] + extents[0] * (at[1] + extents[1] * at[2]); }
    // The rank `distance` further along an axis, around the end.
    int neighbour(int rank, int axis, int distance) const;
    // The axes with more than one node, in order; the rest of the array is unused.
    int axes(std::array<int, most_axes>& list) const;
    int axes() const;
    // Messages one after the other from one end to the other.
    int way() const { return extents[0] + extents[1] + extents[2]; }
    // Whether + and - neighbours of every node are different links all around.
    bool both_ways() const;

    // Dimension-order routing: first along the first axis, the shorter way round (+ of equal ones). visit(node, link) for each
    // link; links of a node are numbered 2 * axis for + and 2 * axis + 1 for -.
    template <typename Visit>
    void route(int from, int to, Visit&& visit) const;

private:
    // Signed number of hops along an axis.
    int hops(int axis, int from, int to) const;
};

template <typename Visit>
void Torus::route(int from, int to, Visit&& visit) const {
    Coordinates at = coordinates(from);
    const Coordinates end = coordinates(to);
    for (int axis = 0; axis < most_axes; ++axis)
        for (int left = hops(axis, at[axis], end[axis]); left != 0; left += left > 0 ? -1 : 1) {
            visit(rank(at), 2 * axis + (left < 0));
            at[axis] = modulo(at[axis] + (left > 0 ? 1 : -1), extents[axis]);
        }
}

}  // namespace kumihimo::collectives
