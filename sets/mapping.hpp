// Node arrays, distributed templates and aligned arrays: products of one-dimensional distributions (specification 4.2, 4.3).
// Dimensions stand in the order in which the user wrote them; `Order` says which subscript varies fastest.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "sets/distribution.hpp"

namespace kumihimo::sets {

inline constexpr int max_rank = 7;
enum class Order { row_major, column_major };  // [ ] form of C, ( ) form

// An array of nodes: coordinates (0-based) <-> linear number (0-based, in `order`).
class NodeGrid {
public:
    NodeGrid() = default;
    NodeGrid(std::vector<Index> extents, Order order);
    int rank() const { return static_cast<int>(extents_.size()); }
    const std::vector<Index>& extents() const { return extents_; }
    Order order() const { return order_; }
    Index size() const;
    Index number(const std::vector<Index>& coordinates) const;
    std::vector<Index> coordinates(Index number) const;
    // Linear numbers of the nodes in a reference (one range of coordinates for each dimension), in the grid's element order.
    std::vector<Index> members(const std::vector<Range>& reference) const;
    bool operator==(const NodeGrid&) const = default;

private:
    std::vector<Index> extents_;
    Order order_ = Order::row_major;
};

// A template distributed onto a node grid. node_dimension[d] is -1 where dimension d is not distributed.
class TemplateMapping {
public:
    TemplateMapping() = default;
    // Throws std::invalid_argument: rank, a node dimension absent, used twice or of another extent than the distribution's
    // nodes.
    TemplateMapping(NodeGrid grid, std::vector<Distribution> dimensions, std::vector<int> node_dimension);
    int rank() const { return static_cast<int>(dimensions_.size()); }
    const NodeGrid& grid() const { return grid_; }
    const Distribution& dimension(int d) const { return dimensions_[d]; }
    int node_dimension(int d) const { return node_dimension_[d]; }
    // For each dimension of the grid: the coordinates that own part of the section (one Range of indices a dimension).
    // All of a dimension that no template dimension names; no coordinates at all if the section is empty.
    std::vector<IndexSet> owners(const std::vector<Range>& section) const;
    bool operator==(const TemplateMapping&) const = default;

private:
    NodeGrid grid_;
    std::vector<Distribution> dimensions_;
    std::vector<int> node_dimension_;
};

// One dimension of an array: where it is aligned and what is stored around it.
struct Alignment {
    int template_dimension = -1;  // -1: collapsed (align-source `*`), every node holds it whole
    Index offset = 0;             // element i lies on template index i + offset
    bool operator==(const Alignment&) const = default;
};
struct Shadow {
    Index lower = 0, upper = 0;
    bool full = false;  // shadow `*`: the whole dimension is allocated on every node, local index = global index
    bool operator==(const Shadow&) const = default;
};

// A global array: extents, alignment, shadow. Template dimensions that no array dimension names replicate it.
class ArrayMapping {
public:
    ArrayMapping() = default;
    // Throws std::invalid_argument with a sentence for the user: outside the template, shadow on cyclic, rank.
    ArrayMapping(TemplateMapping target, std::vector<Index> lower, std::vector<Index> upper, std::vector<Alignment> alignment,
                 std::vector<Shadow> shadow, Order order);

    int rank() const { return static_cast<int>(lower_.size()); }
    Order order() const { return order_; }
    const TemplateMapping& target() const { return target_; }
    Index lower(int d) const { return lower_[d]; }
    Index upper(int d) const { return upper_[d]; }
    Index extent(int d) const { return upper_[d] - lower_[d] + 1; }
    const Alignment& alignment(int d) const { return alignment_[d]; }
    const Shadow& shadow(int d) const { return shadow_[d]; }
    Format format(int d) const;                           // undistributed if collapsed
    int node_dimension(int d) const;                      // of the grid; -1 if this dimension is on every node
    std::vector<int> replicated_node_dimensions() const;  // of the grid: nodes that differ only there hold the same elements
    // Of the nodes that hold the same elements, the one whose copy counts: the first.
    bool first_replica(const std::vector<Index>& coordinates) const;

    // The rest is for the node at `coordinates` of the grid.
    IndexSet owned(int d, Index coordinate) const;  // global array indices
    IndexSet owned(int d, Index coordinate, const Range& section) const;
    // In the section's own order (distribution.hpp); precondition: the section lies within the dimension.
    std::vector<Repetition> owned_in_order(int d, Index coordinate, const Range& section) const;
    Index owned_size(int d, Index coordinate) const;      // elements, no shadow
    Index allocated_size(int d, Index coordinate) const;  // with shadow
    // View subscript (what generated code writes in brackets) of a global index: the global index itself in block, gblock,
    // collapsed and fully shadowed dimensions; the template-local position in cyclic ones.
    Index view_subscript(int d, Index index) const;
    // View subscript of the first allocated element on the node (where nothing is owned: some subscript near the array's lower
    // bound).
    Index view_origin(int d, Index coordinate) const;
    // Offset, in elements, of a global index in the allocated block along d (shadow included).
    Index allocated_offset(int d, Index coordinate, Index index) const {
        return view_subscript(d, index) - view_origin(d, coordinate);
    }

    // Every node holds the same elements at the same places of its block (the templates themselves may differ).
    bool same_layout(const ArrayMapping& other) const;
    // The same, but that the subscripts may count from other lower bounds.
    bool same_blocks(const ArrayMapping& other) const;

private:
    TemplateMapping target_;
    std::vector<Index> lower_, upper_;
    std::vector<Alignment> alignment_;
    std::vector<Shadow> shadow_;
    Order order_ = Order::row_major;
};

}  // namespace kumihimo::sets
