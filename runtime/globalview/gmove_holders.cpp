#include "runtime/globalview/gmove_holders.hpp"

#include <algorithm>

#include "runtime/globalview/shadow_plan.hpp"

namespace kumihimo::globalview {

Holder::Holder(const GmoveSide& side) : side_(side), sections_(side.sections()), held_(sections_.size()) {
    if (side.mapping == nullptr) return;
    for (std::size_t d = 0; d < side.subscripts.size(); ++d)
        if (!side.subscripts[d].section) owners_.push_back(owner_of(static_cast<int>(d)));
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

Holder::Owner Holder::owner_of(int d) const {
    const sets::ArrayMapping& mapping = *side_.mapping;
    if (mapping.node_dimension(d) < 0) return {-1, 0};
    const sets::Alignment& alignment = mapping.alignment(d);
    const Index index = side_.subscripts[d].range.first + alignment.offset;
    return {mapping.node_dimension(d), mapping.target().dimension(alignment.template_dimension).owner(index)};
}

Block::Block(const Holder& holder, const Coordinates& coordinates)
    : holder_(holder),
      coordinates_(coordinates),
      strides_(holder.is_memory() ? holder.side().strides
                                  : strides_of(*holder.side().mapping, coordinates, holder.side().pitch)) {
    for (std::size_t d = 0; d < holder.side().subscripts.size(); ++d)
        if (!holder.side().subscripts[d].section)
            indices_ += place(static_cast<int>(d), holder.side().subscripts[d].range.first);
}

Strand Block::strand(int section, const sets::Piece& piece) const {
    const std::ptrdiff_t first = of_position(section, piece.first);
    return {first, piece.blocks > 1 ? of_position(section, piece.first + piece.period) - first : 0,
            piece.length > 1 ? of_position(section, piece.first + 1) - first : 0};
}

std::ptrdiff_t Block::of_position(int section, Index position) const {
    const int d = holder_.dimension(section);
    const sets::Range& range = holder_.side().subscripts[d].range;
    return place(d, range.first + position * range.step);
}

std::ptrdiff_t Block::place(int d, Index index) const {
    if (holder_.is_memory()) return index * strides_[d];
    const sets::ArrayMapping& mapping = *holder_.side().mapping;
    const int along = mapping.node_dimension(d);
    return mapping.allocated_offset(d, along < 0 ? 0 : coordinates_[along], index) * strides_[d];
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
