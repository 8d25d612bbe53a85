// What the tests of sets/ compare with: ownership dealt out index by index as the specification says it, and sets as plain
// lists of elements. Nothing here uses a formula of the code under test.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "sets/distribution.hpp"

namespace oracle {

using namespace kumihimo::sets;

// Small sets of positions 0..63 as bits.
using Bits = std::uint64_t;
inline Bits bit(Index position) {
    return Bits{1} << position;
}

inline std::vector<Index> elements(const Range& range) {
    std::vector<Index> result;
    for (Index i = 0, index = range.first; i < range.count; ++i, index += range.step) result.push_back(index);
    return result;
}

inline std::vector<Index> elements(const std::vector<Range>& ranges) {
    std::vector<Index> result;
    for (const Range& range : ranges) {
        for (const Index index : elements(range)) result.push_back(index);
    }
    return result;
}

// Every range that repetitions stand for.
inline std::vector<Range> expanded(const std::vector<Repetition>& repetitions) {
    std::vector<Range> result;
    for (const Repetition& repetition : repetitions) {
        for (Index i = 0; i < repetition.times; ++i) {
            for (const Range& range : repetition.ranges) result.push_back(range.shifted(i * repetition.distance));
        }
    }
    return result;
}

inline Bits bits(const std::vector<Index>& indices, Index lower) {
    Bits result = 0;
    for (const Index index : indices) {
        if (index >= lower && index < lower + 64) result |= bit(index - lower);
    }
    return result;
}

// Elements of a set within [lower, lower + 64), from its pieces. `sound` turns false if an element stands in two pieces or
// outside the window, or if the pieces are not in ascending order.
inline Bits bits(const IndexSet& set, Index lower, bool& sound) {
    Bits result = 0;
    Index previous = lower;
    for (const Piece& piece : set.pieces()) {
        sound = sound && piece.first >= previous && piece.length >= 1 && piece.blocks >= 1 && piece.period >= piece.length;
        sound = sound && piece.last() < lower + 64;
        if (!sound) return result;
        previous = piece.first;
        for (Index block = 0; block < piece.blocks; ++block) {
            for (Index i = 0; i < piece.length; ++i) {
                const Bits element = bit(piece.first + block * piece.period + i - lower);
                sound = sound && !(result & element);
                result |= element;
            }
        }
    }
    return result;
}

// The set through its runs; `sound` turns false unless they are ascending with a gap between any two.
inline Bits bits_of_runs(const IndexSet& set, Index lower, bool& sound) {
    Bits result = 0;
    Index end = lower - 1;
    RunCursor cursor(set);
    for (Run run; cursor.next(run);) {
        sound = sound && run.length >= 1 && run.first > end && run.first + run.length <= lower + 64;
        if (!sound) return result;
        end = run.first + run.length;
        for (Index i = run.first; i < end; ++i) result |= bit(i - lower);
    }
    return result;
}

// Who owns each index, in order: blocks of the given sizes are dealt to the nodes one after another, and again if `rounds`.
inline std::vector<Index> deal(Index extent, const std::vector<Index>& sizes, bool rounds) {
    std::vector<Index> owner;
    do {
        for (std::size_t node = 0; node < sizes.size(); ++node) {
            for (Index i = 0; i < sizes[node] && std::ssize(owner) < extent; ++i) owner.push_back(static_cast<Index>(node));
        }
    } while (rounds && std::ssize(owner) < extent);
    return owner;
}

struct Case {
    Distribution distribution;
    std::vector<Index> owner;  // of lower, lower + 1, ...
    std::string name;
};

inline Case undistributed(Index lower, Index extent) {
    return {Distribution::undistributed(lower, lower + extent - 1), std::vector<Index>(extent, 0), "*"};
}
inline Case block(Index lower, Index extent, Index nodes, Index size) {
    return {Distribution::block(lower, lower + extent - 1, nodes, size), deal(extent, std::vector<Index>(nodes, size), false),
            "block(" + std::to_string(size) + ")"};
}
inline Case cyclic(Index lower, Index extent, Index nodes, Index size) {
    return {Distribution::cyclic(lower, lower + extent - 1, nodes, size), deal(extent, std::vector<Index>(nodes, size), true),
            "cyclic(" + std::to_string(size) + ")"};
}
inline Case gblock(Index lower, const std::vector<Index>& sizes) {
    Index extent = 0;
    for (const Index size : sizes) extent += size;
    return {Distribution::gblock(lower, sizes), deal(extent, sizes, false), "gblock"};
}

// gblock sizes of a few shapes: even, everything on one node, triangular with empty nodes.
inline std::vector<std::vector<Index>> gblock_sizes(Index extent, Index nodes) {
    std::vector<std::vector<Index>> result;
    std::vector<Index> even(nodes, extent / nodes), triangle(nodes, 0);
    for (Index i = 0; i < extent % nodes; ++i) ++even[nodes - 1 - i];
    result.push_back(even);
    for (Index left = extent, node = 0; left > 0; node = (node + 2) % nodes) {
        const Index share = node % 3 == 0 ? left : (left + 1) / 2;
        triangle[node] += share;
        left -= share;
        if (node == nodes - 2) ++node;
    }
    result.push_back(triangle);
    for (const Index node : {Index{0}, nodes / 2, nodes - 1}) {
        std::vector<Index> one(nodes, 0);
        one[node] = extent;
        result.push_back(one);
    }
    return result;
}

// Every distribution of `extent` indices on `nodes` nodes, all block sizes up to one beyond the extent.
inline std::vector<Case> all_distributions(Index lower, Index extent, Index nodes) {
    std::vector<Case> result;
    for (Index size = 1; size <= extent + 1; ++size) {
        if (size * nodes >= extent) result.push_back(block(lower, extent, nodes, size));
        result.push_back(cyclic(lower, extent, nodes, size));
    }
    for (const auto& sizes : gblock_sizes(extent, nodes)) result.push_back(gblock(lower, sizes));
    if (nodes == 1) result.push_back(undistributed(lower, extent));
    return result;
}

inline std::string describe(const Case& c) {
    const Distribution& d = c.distribution;
    return c.name + " of " + std::to_string(d.lower()) + ":" + std::to_string(d.upper()) + " on " + std::to_string(d.nodes());
}
inline std::string describe(const Range& r) {
    return std::to_string(r.first) + " count " + std::to_string(r.count) + " step " + std::to_string(r.step);
}

}  // namespace oracle
