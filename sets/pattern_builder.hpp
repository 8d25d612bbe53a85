// Joins parts into one pattern (pattern.hpp): adjacent blocks merge, equal parts at equal distances become repetitions.
// Internal to sets/.
#pragma once

#include "sets/pattern.hpp"

namespace kumihimo::sets {

class PatternBuilder {
public:
    // Parts in the order of the stream, at any offset.
    void append(const Blocks& blocks);
    void append(const Nest& nest);
    void append(const PlacedPattern& part);
    PlacedPattern finish();  // no pattern if nothing was appended

private:
    void append_nested(const PlacedPattern& part);
    void group(const Blocks& blocks);
    void close_open_block();
    void close_groups();
    void add_list(std::size_t begin, std::size_t end);
    bool fold();

    Blocks open_;                       // the last block so far, which the next one may prolong; none if its length is 0
    std::vector<Blocks> groups_;        // blocks before it, behind the parts
    std::vector<PlacedPattern> parts_;  // what precedes them
};

}  // namespace kumihimo::sets
