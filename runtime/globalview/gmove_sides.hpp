// The two sides of a gmove as they were given, resolved and checked against each other; variables of clauses, too. Pure, but
// for the arrays' bounds.
#pragma once

#include "runtime/execution/objects.hpp"
#include "runtime/globalview/gmove_convert.hpp"
#include "runtime/globalview/gmove_plan.hpp"

namespace kumihimo::globalview {

// A side with its subscripts resolved.
struct Side {
    const XMP_Side* given = nullptr;
    const execution::Array* array = nullptr;  // null: memory of each node
    int type = 0;
    GmoveSide geometry;

    std::byte* base() const {
        auto* const block = static_cast<std::byte*>(array != nullptr ? array->base : given->address);
        return block == nullptr ? nullptr : block + given->member;
    }
    const char* text() const { return given->text; }
};

// Throw base::Error for too many subscripts, subscripts outside the bounds, sides of different shapes, types that cannot be
// converted.
void check_rank(const XMP_Side& given);
void resolve(const XMP_Side& given, Side& side);  // into one whose memory is used again
inline Side resolve(const XMP_Side& given) {
    Side side;
    resolve(given, side);
    return side;
}
void check_conformance(const Side& left, const Side& right);
Convert conversion_of(const Side& left, const Side& right);  // null: the same type

// Whether bytes of this node's memory may be in both (decision COM-01).
bool may_overlap(const Side& left, const Side& right);

// The same answer on all nodes: both are parts of one global array's memory.
bool overlap_everywhere(const Side& left, const Side& right);

}  // namespace kumihimo::globalview
