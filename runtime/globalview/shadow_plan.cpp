#include "runtime/globalview/shadow_plan.hpp"

#include <algorithm>

namespace kumihimo::globalview {

namespace {

using sets::ArrayMapping;
using sets::Format;
using sets::IndexSet;

// What one dimension contributes: a span of the receiver's block and the coordinate of its source.
struct Piece {
    enum class Part {
        inner,    // the receiver's own elements
        outer,    // what is updated
        carried,  // the rest of the shadow, as a neighbour along other dimensions has it
    };
    Index receiver, source;  // coordinates along the dimension
    Part part;
    Span span;
};
using Part = Piece::Part;

class DimensionPlanner {
public:
    DimensionPlanner(const ArrayMapping& mapping, int d, const ReflectWidth& width, Corners corners)
        : mapping_(mapping), d_(d), width_(width), corners_(corners) {}

    // All that the node at `coordinate` stores and updates: its own elements, and the parts of its shadow.
    std::vector<Piece> pieces(Index coordinate) const {
        std::vector<Piece> result;
        add_inner(coordinate, result);
        if (width_.full)
            add_everything_else(coordinate, result);
        else if (mapping_.owned_size(d_, coordinate) > 0 && (width_.lower > 0 || width_.upper > 0))
            add_margins(coordinate, result);
        if (corners_ == Corners::carried && !mapping_.shadow(d_).full && mapping_.owned_size(d_, coordinate) > 0)
            add_carried(coordinate, result);
        return result;
    }

private:
    Index place(Index coordinate, Index index) const { return mapping_.allocated_offset(d_, coordinate, index); }

    void add_inner(Index coordinate, std::vector<Piece>& result) const {
        const Index size = mapping_.owned_size(d_, coordinate);
        if (size == 0) return;
        if (!mapping_.shadow(d_).full) {  // contiguous, whatever the distribution
            const Index start = mapping_.shadow(d_).lower;
            result.push_back({coordinate, coordinate, Part::inner, {start, start, size, 1, size}});
            return;
        }
        const IndexSet owned = mapping_.owned(d_, coordinate);
        for (const sets::Piece& piece : owned.pieces()) {
            const Index start = place(coordinate, piece.first);
            result.push_back({coordinate, coordinate, Part::inner, {start, start, piece.length, piece.blocks, piece.period}});
        }
    }

    // A full shadow: the block is the whole dimension on every node, so a global index has the same place everywhere.
    void add_everything_else(Index coordinate, std::vector<Piece>& result) const {
        if (mapping_.node_dimension(d_) < 0) return;
        const Index nodes = mapping_.target().grid().extents()[mapping_.node_dimension(d_)];
        for (Index other = 0; other < nodes; ++other) {
            if (other == coordinate) continue;
            const IndexSet owned = mapping_.owned(d_, other);
            for (const sets::Piece& piece : owned.pieces()) {
                const Index start = place(coordinate, piece.first);
                result.push_back({coordinate, other, Part::outer, {start, start, piece.length, piece.blocks, piece.period}});
            }
        }
    }

    void add_margins(Index coordinate, std::vector<Piece>& result) const {
        const IndexSet owned = mapping_.owned(d_, coordinate);
        add_margin(coordinate, owned.lowest() - width_.lower, owned.lowest() - 1, result);
        add_margin(coordinate, owned.highest() + 1, owned.highest() + width_.upper, result);
    }

    // The shadow elements [first, last], split at the ends of their owners' blocks and of periodic images.
    void add_margin(Index coordinate, Index first, Index last, std::vector<Piece>& result) const {
        const Index lower = mapping_.lower(d_), extent = mapping_.extent(d_);
        if (!width_.periodic) {
            first = std::max(first, lower);
            last = std::min(last, mapping_.upper(d_));
        }
        while (first <= last) {
            const Index image = ((first - lower) % extent + extent) % extent + lower;
            const Index source = owner(image);
            const Index length = std::min(last - first, mapping_.owned(d_, source).highest() - image) + 1;
            result.push_back(
                {coordinate, source, Part::outer, {place(coordinate, first), place(source, image), length, 1, length}});
            first += length;
        }
    }

    // The shadow beyond the widths. A node with the same coordinate has it at the same place.
    void add_carried(Index coordinate, std::vector<Piece>& result) const {
        const sets::Shadow& shadow = mapping_.shadow(d_);
        const Index lower = shadow.lower - width_.lower, upper = shadow.upper - width_.upper;
        const Index behind = mapping_.allocated_size(d_, coordinate) - upper;
        if (lower > 0) result.push_back({coordinate, coordinate, Part::carried, {0, 0, lower, 1, lower}});
        if (upper > 0) result.push_back({coordinate, coordinate, Part::carried, {behind, behind, upper, 1, upper}});
    }

    Index owner(Index index) const {
        if (mapping_.node_dimension(d_) < 0) return 0;
        const sets::Alignment& alignment = mapping_.alignment(d_);
        return mapping_.target().dimension(alignment.template_dimension).owner(index + alignment.offset);
    }

    const ArrayMapping& mapping_;
    int d_;
    const ReflectWidth& width_;
    Corners corners_;
};

// Multiplies out the pieces of all dimensions, as far as something is updated.
class Product {
public:
    Product(const ArrayMapping& mapping, std::vector<Index> coordinates, Corners corners,
            std::vector<std::vector<Piece>> pieces)
        : mapping_(mapping),
          receiver_(coordinates),
          source_(coordinates),
          most_outer_(corners == Corners::none ? 1 : mapping.rank()),
          pieces_(std::move(pieces)) {}

    std::vector<Transfer> transfers() {
        descend(0, 0);
        return std::move(result_);
    }

private:
    void descend(int d, int outer) {
        if (outer > most_outer_) return;
        if (d == mapping_.rank()) {
            if (outer > 0)
                result_.push_back(
                    {mapping_.target().grid().number(receiver_), mapping_.target().grid().number(source_), spans_});
            return;
        }
        const int along = mapping_.node_dimension(d);
        for (const Piece& piece : pieces_[d]) {
            if (along >=
                0) {  // dimensions of the grid that the array does not name keep this node's coordinate: the nearest replica
                receiver_[along] = piece.receiver;
                source_[along] = piece.source;
            }
            spans_.push_back(piece.span);
            descend(d + 1, outer + (piece.part == Part::outer ? 1 : 0));
            spans_.pop_back();
        }
    }

    const ArrayMapping& mapping_;
    std::vector<Index> receiver_, source_;
    int most_outer_;
    std::vector<std::vector<Piece>> pieces_;
    std::vector<Span> spans_;
    std::vector<Transfer> result_;
};

}  // namespace

Index Transfer::elements() const {
    Index count = 1;
    for (const Span& span : spans) count *= span.length * span.blocks;
    return count;
}

ShadowPlan plan_reflect(const ArrayMapping& mapping, const std::vector<Index>& coordinates,
                        const std::vector<ReflectWidth>& widths, Corners corners) {
    std::vector<std::vector<Piece>> incoming, outgoing;
    for (int d = 0; d < mapping.rank(); ++d) {
        const DimensionPlanner planner(mapping, d, widths[d], corners);
        const int along = mapping.node_dimension(d);
        const Index mine = along < 0 ? 0 : coordinates[along];
        incoming.push_back(planner.pieces(mine));
        std::vector<Piece> from_me;
        for (Index other = 0; other < (along < 0 ? 1 : mapping.target().grid().extents()[along]); ++other)
            for (const Piece& piece : planner.pieces(other))
                if (piece.source == mine) from_me.push_back(piece);
        outgoing.push_back(std::move(from_me));
    }
    return {Product(mapping, coordinates, corners, std::move(incoming)).transfers(),
            Product(mapping, coordinates, corners, std::move(outgoing)).transfers()};
}

ShadowPlan plan_reduce_shadow(const ArrayMapping& mapping, const std::vector<Index>& coordinates,
                              const std::vector<ReflectWidth>& widths, bool orthogonal) {
    ShadowPlan plan = plan_reflect(mapping, coordinates, widths, orthogonal ? Corners::none : Corners::own);
    std::swap(plan.incoming, plan.outgoing);
    for (std::vector<Transfer>* const transfers : {&plan.incoming, &plan.outgoing})
        for (Transfer& transfer : *transfers) {
            std::swap(transfer.receiver, transfer.source);
            for (Span& span : transfer.spans) std::swap(span.to, span.from);
        }
    return plan;
}

std::vector<std::ptrdiff_t> strides_of(const ArrayMapping& mapping, const std::vector<Index>& coordinates,
                                       std::size_t element_bytes) {
    std::vector<std::ptrdiff_t> strides(mapping.rank());
    for_each_stride(mapping, coordinates, element_bytes, [&](int d, std::ptrdiff_t stride) { strides[d] = stride; });
    return strides;
}

}  // namespace kumihimo::globalview
