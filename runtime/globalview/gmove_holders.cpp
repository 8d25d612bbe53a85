#include "runtime/globalview/gmove_holders.hpp"

#include <algorithm>

#include "runtime/globalview/shadow_plan.hpp"

namespace kumihimo::globalview {

Holder::Holder(const GmoveSide& side) : side_(side), sections_(side.sections()), held_(sections_.size()) {
    if (side.mapping == nullptr) return;
    for (std::size_t d = 0; d < side.subscripts.size(); ++d)
        if (!side.subscripts[d].section)
            owners_.push_back({side.mapping->node_dimension(static_cast<int>(d)), owner_of_index(side, d)});
}

Coordinates Holder::coordinates(Index number) const {
    return is_memory() ? Coordinates() : side_.mapping->target().grid().coordinates(number);
}

bool Holder::owns_indices(const Coordinates& coordinates) const {
    return std::all_of(owners_.begin(), owners_.end(),
                       [&](const Owner& owner) { return owner.along < 0 || coordinates[owner.along] == owner.coordinate; });
}

Index Holder::coordinate(int section, const Coordinates& coordinates) const {
    const int along = is_memory() ? -1 : side_.mapping->node_dimension(sections_[section]);
    return along < 0 ? 0 : coordinates[along];
}

Index Holder::coordinates_along(int section) const {
    const int along = is_memory() ? -1 : side_.mapping->node_dimension(sections_[section]);
    return along < 0 ? 1 : side_.mapping->target().grid().extents()[along];
}

const IndexSet& Holder::held(int section, Index coordinate) {
    std::optional<IndexSet>& known = at(held_[section], coordinate);
    if (!known) {
        const int d = sections_[section];
        const sets::Range& range = side_.subscripts[d].range;
        known = is_memory() ? IndexSet::interval(0, range.count - 1)
                            : sets::positions(side_.mapping->owned(d, coordinate, range), range);
    }
    return *known;
}

bool Holder::holds_something(const Coordinates& coordinates) {
    if (!owns_indices(coordinates)) return false;
    for (int k = 0; k < sections(); ++k)
        if (held(k, coordinate(k, coordinates)).empty()) return false;
    return true;
}

std::optional<IndexSet>& Holder::at(std::vector<std::optional<IndexSet>>& list, Index place) {
    if (static_cast<std::size_t>(place) >= list.size()) list.resize(static_cast<std::size_t>(place) + 1);
    return list[static_cast<std::size_t>(place)];
}

Index owner_of_index(const GmoveSide& side, std::size_t d) {
    const int dimension = static_cast<int>(d);
    if (side.mapping == nullptr || side.mapping->node_dimension(dimension) < 0) return 0;
    const sets::Alignment& alignment = side.mapping->alignment(dimension);
    return side.mapping->target()
        .dimension(alignment.template_dimension)
        .owner(side.subscripts[d].range.first + alignment.offset);
}

namespace {

Index place_in_block(const sets::ArrayMapping& mapping, const Coordinates& coordinates, int d, Index index) {
    const int along = mapping.node_dimension(d);
    return mapping.allocated_offset(d, along < 0 ? 0 : coordinates[along], index);
}

}  // namespace

// Asked at each gmove of another row, so it allocates nothing.
std::ptrdiff_t offset_of_indices(const GmoveSide& side, const Coordinates& coordinates) {
    std::ptrdiff_t bytes = 0;
    const auto add = [&](int d, std::ptrdiff_t stride) {
        const auto& [section, range] = side.subscripts[d];
        if (section) return;
        bytes += (side.mapping == nullptr ? range.first : place_in_block(*side.mapping, coordinates, d, range.first)) * stride;
    };
    const auto is_section = [](const GmoveSide::Subscript& subscript) { return subscript.section; };
    if (std::all_of(side.subscripts.begin(), side.subscripts.end(), is_section)) return 0;
    if (side.mapping == nullptr)
        for (std::size_t d = 0; d < side.strides.size(); ++d) add(static_cast<int>(d), side.strides[d]);
    else
        for_each_stride(*side.mapping, coordinates, side.pitch, add);
    return bytes;
}

Block::Block(const GmoveSide& side, const Coordinates& coordinates)
    : side_(side),
      coordinates_(coordinates),
      strides_(side.mapping == nullptr ? side.strides : strides_of(*side.mapping, coordinates, side.pitch)) {}

Strand Block::strand(int d, const sets::Piece& piece) const {
    const std::ptrdiff_t first = of_position(d, piece.first);
    return {first, piece.blocks > 1 ? of_position(d, piece.first + piece.period) - first : 0,
            piece.length > 1 ? of_position(d, piece.first + 1) - first : 0};
}

std::ptrdiff_t Block::of_position(int d, Index position) const {
    const sets::Range& range = side_.subscripts[d].range;
    return place(d, range.first + position * range.step);
}

std::ptrdiff_t Block::place(int d, Index index) const {
    return (side_.mapping == nullptr ? index : place_in_block(*side_.mapping, coordinates_, d, index)) * strides_[d];
}

Replicas::Replicas(const sets::ArrayMapping& mapping, const GmoveNodes& nodes)
    : grid_(mapping.target().grid()), nodes_(nodes), dimensions_(mapping.replicated_node_dimensions()) {
    for (const int g : dimensions_) count_ *= grid_.extents()[g];
}

bool Replicas::chosen(Index candidate, const Coordinates& coordinates, int receiver) const {
    return count_ == 1 ? nodes_.right_member[candidate] >= 0 : sender(coordinates, receiver) == candidate;
}

Index Replicas::sender(const Coordinates& coordinates, int receiver) const {
    const int own = nodes_.in_right[receiver];
    Index replica = own >= 0 ? number_of(grid_.coordinates(own)) : receiver % count_;
    for (Index tried = 0; tried < count_; ++tried, replica = (replica + 1) % count_) {
        const Index number = grid_.number(with(coordinates, replica));
        if (nodes_.right_member[number] >= 0) return number;
    }
    return -1;
}

bool Replicas::any_executes(const Coordinates& coordinates, const std::vector<int>& member) const {
    for (Index replica = 0; replica < count_; ++replica)
        if (member[grid_.number(with(coordinates, replica))] >= 0) return true;
    return false;
}

Index Replicas::number_of(const Coordinates& coordinates) const {
    Index number = 0;
    for (const int g : dimensions_) number = number * grid_.extents()[g] + coordinates[g];
    return number;
}

Coordinates Replicas::with(Coordinates coordinates, Index replica) const {
    for (auto g = dimensions_.rbegin(); g != dimensions_.rend(); ++g) {
        coordinates[*g] = replica % grid_.extents()[*g];
        replica /= grid_.extents()[*g];
    }
    return coordinates;
}

}  // namespace kumihimo::globalview
