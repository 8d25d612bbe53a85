// What one node moves of a section: PnetCDF's start, count and stride, and where the elements lie in the node's block.
#pragma once

#include <vector>

#include "runtime/xmpnc/placement.hpp"
#include "sets/correspondence.hpp"

namespace kumihimo::xmpnc {

// Equal boxes of a variable at equal distances: of cyclic(n) the whole blocks are some of these, however many they are.
struct Boxes {
    std::vector<MPI_Offset> start, count, stride;  // of the first box, for each dimension of the variable
    struct Loop {
        std::size_t dimension;
        Index count, distance;
    };
    std::vector<Loop> loops;      // over the boxes, the outermost first
    sets::Correspondence memory;  // to: the elements in the order of the boxes, without gaps; from: this node's block

    // Calls visit(start) for each box.
    template <typename Visit>
    void for_each_start(Visit&& visit) const {
        std::vector<MPI_Offset> place = start;
        visit_starts(0, place, visit);
    }

private:
    template <typename Visit>
    void visit_starts(std::size_t depth, std::vector<MPI_Offset>& place, Visit& visit) const {
        if (depth == loops.size()) return visit(place);
        const auto& [dimension, count, distance] = loops[depth];
        for (Index i = 0; i < count; ++i, place[dimension] += distance) visit_starts(depth + 1, place, visit);
        place[dimension] -= count * distance;
    }
};

// Of this node, which has part of the array. At most one box unless the form is varn. records: along the variable's first
// dimension.
std::vector<Boxes> boxes_of(const execution::Array& array, const Plan& plan, bool records);

}  // namespace kumihimo::xmpnc
