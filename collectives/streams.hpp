// Blocks of all ranks as streams through edge-disjoint trees: what Scatter sends down them, and Gather up. A tree's stream has
// blocks one behind the other, a subtree before its own root, and is cut into segments; a rank has the stretch of it that its
// subtree needs. Work space is a ring of segments for each stream.
//
// Long blocks are divided among the trees. Shorter ones go whole, each tree having its share of the ranks: a message costs its
// sender the same however short it is. Where a block, or its part, is as long as a segment, segments do not reach over several
// of them, so that nobody has to copy them together or apart.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "collectives/call.hpp"
#include "collectives/trees.hpp"

namespace kumihimo::collectives {

// Bytes of a stream, or of a block.
struct Range {
    Bytes first, last;
    Bytes bytes() const { return last - first; }
    bool within(const Range& other) const { return first >= other.first && last <= other.last; }
};

inline Range common(const Range& a, const Range& b) {
    const Bytes first = std::max(a.first, b.first);
    return {first, std::max(first, std::min(a.last, b.last))};
}

// How streams are cut, and the segments of each that have work space at the same time.
struct Ring {
    bool divided;   // each block among all trees
    Bytes block;    // what a tree carries of one at most
    Bytes segment;  // at most
    int pieces;     // segments of a block; 0: segments are of one length, whatever blocks there are
    int slots;
    Bytes shortest, share;  // a segment is no shorter, and else no longer than such a share of what is left of its stream

    Ring(const Call& call, int parts);
    // Of the segment that begins where so much is left.
    Bytes length(Bytes left) const { return std::min({segment, std::max(shortest, left / share), left}); }
    Bytes work_bytes(int parts) const { return parts * slots * segment; }
    // The most that a rank takes for one segment.
    Bytes steps(const Call& call) const;

private:
    int count(Bytes stream) const;  // of segments
};

// One tree's stream as a rank sees it, at one of its segments.
class Stream {
public:
    Stream(const Call& call, int parts, int number, const Ring& ring);

    int channel() const { return number_; }
    int parent() const { return parent_; }
    const Tree::Children& children() const { return children_; }
    const Range& child_range(int i) const { return child_ranges_[static_cast<std::size_t>(i)]; }

    // What this rank has of the segment, and where it lies in work space.
    Range segment() const;
    Span slot() const {
        return {Buffer::work, (number_ * Bytes{ring_.slots} + place_ % ring_.slots) * ring_.segment, segment().bytes()};
    }
    Span in_slot(const Range& range) const { return slot().part(range.first - segment().first, range.bytes()); }
    Interval& last_use() { return last_use_[static_cast<std::size_t>(place_ % ring_.slots)]; }

    // What the stream has of the own block, and what of that is in the segment, as bytes of that block in a buffer.
    Range own() const { return {here_.last - (has_own_ ? part_.bytes() : 0), here_.last}; }
    Span own_piece(Buffer buffer) const;

    // At the root: the blocks of which the segment has something, numbered as they follow each other; that something, in the
    // stream and as bytes of the block in a buffer.
    Bytes first_block() const { return segment().first / part_.bytes(); }
    Bytes last_block() const { return (segment().last - 1) / part_.bytes(); }
    Range of_block(Bytes number) const { return common(segment(), {number * part_.bytes(), (number + 1) * part_.bytes()}); }
    Span piece(Bytes number, const Blocks& blocks, Buffer buffer) const;

private:
    friend class Streams;
    void cut_into_segments(Bytes stream);

    int number_, parent_;
    Range part_, here_;  // of each block; of the stream
    bool has_own_;
    Ring ring_;
    StepIndex first_ = 0, last_ = 0, place_ = 0;  // segments of which this rank has something
    std::vector<Bytes> edges_;                    // where they begin, and the last one ends; none where pieces tell
    Tree::Children children_;
    std::array<Range, Tree::most_children> child_ranges_;
    std::vector<int> order_;  // of blocks, at the root
    std::vector<Interval> last_use_;
};

enum class Towards { leaves, root };

// All ranks take the segments of all streams in the same order, by their place in the streams, so that nobody can wait for a
// later one.
class Streams {
public:
    Streams(const Call& call, int parts, Towards towards);

    // At its next segment; null at the end.
    Stream* next();

private:
    int step_;  // through the places
    std::vector<Stream> streams_;
    Stream* current_ = nullptr;
};

}  // namespace kumihimo::collectives
