// Who sends what to whom in a gmove (specification 4.5.2), for any layouts of both sides. Sections of both sides are numbered
// alike, position 0, 1, ... along each: what one node must receive and another holds are sets of positions, and their
// intersection is what goes from one to the other. Cost grows with nodes and pieces, never with elements. Pure: knows mappings
// and strides, not memory.
#pragma once

#include <functional>
#include <vector>

#include "sets/correspondence.hpp"
#include "sets/mapping.hpp"

namespace kumihimo::globalview {

using sets::Index;

// One side of the assignment.
struct GmoveSide {
    struct Subscript {
        bool section;       // else an index, a range of one
        sets::Range range;  // inside the bounds
    };
    const sets::ArrayMapping* mapping = nullptr;  // null: memory of each node
    std::vector<Subscript> subscripts;
    std::vector<std::ptrdiff_t> strides;  // of memory: bytes between neighbours
    std::size_t element_bytes = 0;
    std::size_t pitch = 0;  // of an array: bytes between neighbours; more than element_bytes for a member of its elements

    std::vector<int> sections() const;  // dimensions that are sections, in order
};

// The nodes that execute the gmove. A node is known by its number here; where a side is a global array, also by its number in
// the array's node grid.
struct GmoveNodes {
    int count = 0, me = 0;
    std::vector<int> in_left, in_right;          // number here -> in the grid, -1: not there; empty: memory of each node
    std::vector<int> left_member, right_member;  // number in the grid -> here, -1: does not execute
};

// What goes between this node and one other (or itself). Copies are relative to the blocks, of the left side here and of the
// right side there, from where offset_of_indices says; and to a dense buffer that both know.
struct GmovePart {
    int number = -1;                         // of the other node
    int grid_number = -1;                    // incoming: in the right side's grid; -1: memory
    std::vector<Index> coordinates;          // of that node in the grid
    bool direct = false;                     // the receiver reads the other's memory
    Index elements = 0;                      // in the dense buffer
    bool spreads = false;                    // one element to many
    std::vector<sets::Correspondence> pull;  // from memory to memory; empty where a buffer lies between
    std::vector<sets::Correspondence> gather, scatter;
};

struct GmovePlan {
    std::vector<GmovePart> incoming, outgoing;  // outgoing: to others
    int root = -1;                              // all that anybody needs lies on this node, and everybody needs all of it
    // Elements of the largest part of any two nodes, where most nodes have one for most others; 0: else, and where that is more
    // than GmoveWays::most_together. The same on all nodes.
    Index together = 0;
};

struct GmoveWays {
    bool buffered = false;               // nothing may be copied from memory to memory: overlap or conversion
    bool may_broadcast = false;          // what all want of one node is sent to all at once
    Index most_together = 0;             // elements: parts up to here may travel in one exchange of all nodes
    std::function<bool(int)> reachable;  // number in the right side's grid: its block can be read here, and mine there
};

// Of subscripts that are no sections a plan depends on owner_of_index alone: row after row of an owner are sent by one plan.
// Both sides conform: the right one has no sections, or as many as the left one and of the same counts.
GmovePlan plan_gmove(const GmoveSide& left, const GmoveSide& right, const GmoveNodes& nodes, const GmoveWays& ways);

// The same one-sided: what this node reads from its owners (incoming) or writes to them (outgoing, all replicas), whether they
// execute or not. Nodes have their numbers in the entire set; `executing`: the numbers of those that execute. A part is copied
// by `pull` where it can be.
GmovePlan plan_gmove_in(const GmoveSide& left, const GmoveSide& right, const GmoveNodes& nodes, const GmoveWays& ways);
GmovePlan plan_gmove_out(const GmoveSide& left, const GmoveSide& right, const GmoveNodes& nodes, const GmoveWays& ways,
                         const std::vector<int>& executing);

// Of a subscript that is no section: the coordinate of those that own its index. 0: everybody.
Index owner_of_index(const GmoveSide& side, std::size_t d);
// What the subscripts that are no sections add, in bytes, to the base of an owner's block, or of memory (no coordinates).
std::ptrdiff_t offset_of_indices(const GmoveSide& side, const std::vector<Index>& coordinates);

// A side's elements on one node, to a dense buffer and back, relative to the base of its block.
struct Packing {
    std::vector<sets::Correspondence> gather, scatter;
    Index elements = 0;
    bool in_place() const { return gather.size() == 1 && gather.front().contiguous(); }  // they are one run already
};
// `coordinates`: of the node in the grid; empty for memory.
Packing plan_packing(const GmoveSide& side, const std::vector<Index>& coordinates);

// Of nodes of the grid the first that holds other elements of the side than the first one: its place in the list, or -1.
int first_different_holder(const GmoveSide& side, const std::vector<int>& numbers);

// Nodes of the grid that own part of a side and do not execute: all of them for the left side; for the right side only where no
// replica executes.
std::vector<int> absent_owners(const GmoveSide& side, const std::vector<int>& member, bool any_replica);

}  // namespace kumihimo::globalview
