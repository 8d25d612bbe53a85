// How one dimension of a template is spread over one dimension of a node array (specification 4.3.3):
// owner, local position and owned set of each format. Positions are "template-local": 0 for the first owned index.
#pragma once

#include <vector>

#include "sets/index_set.hpp"

namespace kumihimo::sets {

enum class Format { undistributed, block, cyclic, gblock };

// Progressions one after another, and then the same again `distance` further on: `times` times in all.
struct Repetition {
    std::vector<Range> ranges;
    Index times = 1, distance = 0;
};

class Distribution {
public:
    // All throw std::invalid_argument with a sentence for the user. An extent of 0 (upper = lower - 1) is allowed.
    static Distribution undistributed(Index lower, Index upper);
    static Distribution block(Index lower, Index upper, Index nodes);              // ceiling(extent / nodes)
    static Distribution block(Index lower, Index upper, Index nodes, Index size);  // throws unless size * nodes >= extent
    static Distribution cyclic(Index lower, Index upper, Index nodes, Index size = 1);
    static Distribution gblock(Index lower, std::vector<Index> sizes);               // nodes = sizes.size(); upper from the sum
    static Distribution gblock(Index lower, Index upper, std::vector<Index> sizes);  // throws unless the sum is the extent

    Format format() const { return format_; }
    Index lower() const { return lower_; }
    Index upper() const { return upper_; }
    Index extent() const { return upper_ - lower_ + 1; }
    Index nodes() const { return nodes_; }       // 1 if undistributed
    Index block_size() const { return block_; }  // of block and cyclic; 0 for gblock; extent for undistributed
    const std::vector<Index>& gblock_bounds() const { return bounds_; }  // nodes + 1 entries, gblock only

    Index owner(Index index) const;  // node coordinate, 0-based
    Index local_size(Index node) const;
    Index to_local(Index index) const;  // position on its owner
    Index to_global(Index node, Index position) const;
    Index owned_before(Index node, Index index) const;  // how many indices < index the node owns; lower <= index <= upper + 1
    IndexSet owned(Index node) const;
    IndexSet owned(Index node, const Range& section) const;  // cost: pieces
    // The owned elements of a section in the section's own order. block, gblock, undistributed, cyclic(1), one node: at most
    // one range; cyclic(n): the ranges of least common multiple of step and round, repeated, with what is left before and
    // behind. Cost: the ranges.
    std::vector<Repetition> owned_in_order(Index node, const Range& section) const;
    // Coordinates of the nodes that own part of a section. Cost: 1 where the step is at most the block size, else the smaller
    // of nodes and section elements; gblock: the nodes between the ends.
    IndexSet owners(const Range& section) const;
    bool operator==(const Distribution&) const = default;
    // Whether the index i + shift of `other` has the owner and the local order of index i here, wherever both have one.
    bool same_up_to_shift(const Distribution& other, Index shift) const;

private:
    Distribution(Format format, Index lower, Index upper, Index nodes, Index block, std::vector<Index> bounds = {});
    Index round() const;  // distance of a node's cyclic blocks
    std::vector<Range> owned_blocks(Index node, const Range& up) const;
    std::vector<Repetition> owned_rounds(Index node, const Range& up) const;

    Format format_ = Format::undistributed;
    Index lower_ = 0, upper_ = -1, nodes_ = 1, block_ = 0;
    std::vector<Index> bounds_;
};

}  // namespace kumihimo::sets
