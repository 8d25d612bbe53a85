// Who sends what to whom in a reflect, and the other way round in a reduce_shadow: for each shadow element of a node the owner
// of the element that it mirrors, found dimension by dimension and multiplied out. Reaches as many neighbours as the width asks
// for, any number of periodic images, and full shadows. Pure: knows the mapping of an array, not its memory.
#pragma once

#include <vector>

#include "sets/mapping.hpp"

namespace kumihimo::globalview {

using sets::Index;

struct ReflectWidth {
    Index lower = 0, upper = 0;
    bool full = false;  // the rest of the dimension (full shadow)
    bool periodic = false;
    bool operator==(const ReflectWidth&) const = default;
};

// `blocks` runs of `length` elements, `period` apart, along one dimension; offsets count elements in the allocated blocks.
// One factor of the product that becomes a sets::Correspondence (halo_channel.cpp): bytes between elements differ from node to
// node, and a plan knows no memory.
struct Span {
    Index to, from;  // in the receiver's block, in the source's
    Index length, blocks, period;
};

// A box of elements from one node to another (possibly the same: periodic images).
struct Transfer {
    Index receiver, source;   // numbers in the node grid
    std::vector<Span> spans;  // one for each dimension
    Index elements() const;
};

struct ShadowPlan {
    std::vector<Transfer> incoming;  // receiver: this node
    std::vector<Transfer> outgoing;  // source: this node; transfers between two nodes stand in the same order on both
};

// How far the exchange reaches beyond the faces of a block.
enum class Corners {
    none,     // only shadow elements that lie beyond one face (orthogonal)
    own,      // also those within the widths of several dimensions
    carried,  // also those in parts of the shadow of other dimensions that the widths leave out: as the neighbour has them. So
              // reflects of one dimension after the other fill the corners (decision COM-20).
};

// For the node at `coordinates` of the array's grid.
ShadowPlan plan_reflect(const sets::ArrayMapping& mapping, const std::vector<Index>& coordinates,
                        const std::vector<ReflectWidth>& widths, Corners corners);

// From the shadows back to the elements that they mirror. Every shadow element goes once.
ShadowPlan plan_reduce_shadow(const sets::ArrayMapping& mapping, const std::vector<Index>& coordinates,
                              const std::vector<ReflectWidth>& widths, bool orthogonal);

// Bytes between neighbours along each dimension of the allocated block of the node at `coordinates`.
template <typename Visit>  // visit(d, bytes), the fastest dimension first
void for_each_stride(const sets::ArrayMapping& mapping, const std::vector<Index>& coordinates, std::size_t element_bytes,
                     Visit&& visit) {
    auto stride = static_cast<std::ptrdiff_t>(element_bytes);
    for (int place = 0; place < mapping.rank(); ++place) {
        const int d = mapping.order() == sets::Order::column_major ? place : mapping.rank() - 1 - place;
        visit(d, stride);
        const int along = mapping.node_dimension(d);
        if (place + 1 < mapping.rank()) stride *= mapping.allocated_size(d, along < 0 ? 0 : coordinates[along]);
    }
}
std::vector<std::ptrdiff_t> strides_of(const sets::ArrayMapping& mapping, const std::vector<Index>& coordinates,
                                       std::size_t element_bytes);

}  // namespace kumihimo::globalview
