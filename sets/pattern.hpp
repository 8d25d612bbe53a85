// The tree behind sets/extents.hpp: bytes in the order of a stream, the first one at offset 0. Its size does not depend on the
// counts of vectors and subarrays. Internal to sets/.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "sets/blocks.hpp"

namespace kumihimo::sets {

struct Pattern;
using SharedPattern = std::shared_ptr<const Pattern>;

struct PlacedPattern {
    Index offset = 0;  // of its first byte
    SharedPattern pattern;
};

// Never empty. A node is one of four kinds; only the members of its kind have a meaning.
struct Pattern {
    enum class Kind { blocks, repetition, list, sequence };

    Kind kind = Kind::blocks;
    bool ascending = true;       // offsets never decrease, no byte occurs twice
    int levels = 0;              // of the loop nest that this node is; -1: it is none, or has more than Nest::most_levels
    Index size = 0;              // bytes of the stream
    Index lower = 0, upper = 0;  // of the offsets
    Index runs = 0;              // blocks

    Blocks blocks;                     // blocks: at offset 0
    Level level;                       // repetition: at least 2 copies of
    SharedPattern child;               //             this one
    std::vector<Blocks> list;          // list: at least 2
    std::vector<PlacedPattern> parts;  // sequence: at least 2
    std::vector<Index> before;         // list, sequence: bytes of the stream before each entry

    Index offset(Index position) const;       // of stream byte `position`
    Index below(Index offset) const;          // stream bytes with a smaller offset; of ascending patterns
    std::size_t entry(Index position) const;  // of a list or sequence: where stream byte `position` is
};

bool equal(const SharedPattern& a, const SharedPattern& b);

// Constructors: each returns the simplest node that means the same.
SharedPattern make_blocks(const Blocks& blocks);  // the offset is ignored
SharedPattern make_repetition(const SharedPattern& child, const Level& level);
SharedPattern make_list(std::vector<Blocks> list);              // becomes relative to the first offset
SharedPattern make_sequence(std::vector<PlacedPattern> parts);  // likewise

}  // namespace kumihimo::sets
