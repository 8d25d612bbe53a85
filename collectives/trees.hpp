// Edge-disjoint spanning trees of a torus: what pipelines send their parts along, so that all of a node's links carry different
// data at the same time (Bcast, Reduce and Allreduce of the paper's Tofu algorithms; the construction is ours).
//
// Tree t of a torus with k axes is drawn with the root at (0, 0, 0) and the axes in the order u = t, v = t + 1, w = t + 2
// (modulo k). It grows from the root along u, from there along v, from there along w, always by + links; nodes with u = 0 come
// last, over the link that closes the ring of u. Along u it uses only the line v = w = 0 and the closing links of other lines;
// along v only w = 0 and u > 0; along w only u > 0. In the other trees these conditions exclude each other. Trees k to 2k-1 are
// the mirror images, on
// - links. On an axis that does not close, a closing edge is a message back through the line's - links, which no tree below k
// uses in that line otherwise. The tests count the links of all of this.
#pragma once

#include <array>
#include <vector>

#include "collectives/torus.hpp"

namespace kumihimo::collectives {

// A p-th of all ranks, for data that each go down one of p trees: those whose steps from the root along + links sum to `number`
// modulo p. The same ranks in all trees, and on every axis whose extent p divides as many as in every other share.
struct Share {
    int of = 1, number = 0;
};

class Tree {
public:
    static constexpr int most_children = 3;
    struct Children {
        std::array<int, most_children> ranks;
        int count = 0;
        const int* begin() const { return ranks.data(); }
        const int* end() const { return ranks.data() + count; }
    };

    // How many edge-disjoint trees there are.
    static int most(const Torus& torus) { return torus.both_ways() ? 2 * torus.axes() : torus.axes(); }

    Tree(const Torus& torus, int number, int root);

    int parent(int rank) const;  // -1 for the root
    Children children(int rank) const;
    // Ranks in the subtree of a rank, itself included. Depends only on the rank's place: nothing is counted.
    int subtree(int rank, const Share& share = {}) const { return subtree(place(rank), share); }
    bool has(const Share& share, int rank) const;
    // All ranks but the root in the order in which Scatter sends their blocks into the tree: children's subtrees before a rank.
    // The subtree of a rank is then [first(rank), first(rank) + subtree(rank)), the rank being its last. So with those of a
    // share, the rank being the last if it is among them.
    std::vector<int> order(const Share& share = {}) const;
    int first(int rank, const Share& share = {}) const;
    int depth(int rank) const;  // edges between the root and a rank

private:
    struct Place {
        int u = 0, v = 0, w = 0;
        bool root() const { return u == 0 && v == 0 && w == 0; }
    };
    Place place(int rank) const;
    int rank(const Place& place) const;
    Place parent(Place place) const;
    int subtree(const Place& place) const;
    int subtree(const Place& place, const Share& share) const;
    // Places [first, last) along u, v, w.
    struct Box {
        Place first, last;
    };
    int count(const Box& box, const Share& share) const;
    int steps(int i, int place) const { return sign_ > 0 || place == 0 ? place : extent_[i] - place; }  // along + links

    Torus torus_;
    Coordinates root_;
    std::array<int, most_axes> axis_{0, 1, 2};    // of u, v, w
    std::array<int, most_axes> extent_{1, 1, 1};  // along them
    int sign_ = 1;
};

}  // namespace kumihimo::collectives
