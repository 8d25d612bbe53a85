#include <algorithm>

#include "sets/arithmetic.hpp"
#include "sets/mapping.hpp"
#include "sets/wording.hpp"

namespace kumihimo::sets {

namespace {

void check_bounds(int d, Index lower, Index upper) {
    const std::string what = dimension_text(d) + " of the array, " + bounds_text(lower, upper) + ",";
    require(lower >= -index_limit && lower <= index_limit && upper >= -index_limit - 1 && upper <= index_limit &&
                Wide(upper) - lower + 1 <= index_limit,
            what + " is too large; bounds must lie within +-2^62 and enclose at most 2^62 indices");
    require(Wide(upper) - lower + 1 >= 0, what + " has a negative extent");
}

void check_alignment(int d, Index lower, Index upper, const Alignment& alignment, const TemplateMapping& target) {
    const int onto = alignment.template_dimension;
    if (onto < 0) return;
    require(onto < target.rank(), dimension_text(d) + " of the array is aligned with " + dimension_text(onto) +
                                      " of a template that has only " + text(target.rank()));
    if (upper < lower) return;
    const Distribution& dimension = target.dimension(onto);
    const Wide first = Wide(lower) + alignment.offset, last = Wide(upper) + alignment.offset;
    require(first >= dimension.lower() && last <= dimension.upper(),
            dimension_text(d) + " of the array, " + bounds_text(lower, upper) + ", aligned with offset " +
                text(alignment.offset) + ", reaches outside " + dimension_text(onto) + " of the template, " +
                bounds_text(dimension.lower(), dimension.upper()) + "; the template must enclose all elements of the array");
}

void check_shadow(int d, const Shadow& shadow, Format format) {
    if (shadow.full) return;
    require(shadow.lower >= 0 && shadow.upper >= 0,
            "the shadow " + bounds_text(shadow.lower, shadow.upper) + " of " + dimension_text(d) + " of the array is negative");
    require(
        shadow.lower <= index_limit / 2 && shadow.upper <= index_limit / 2,
        "the shadow " + bounds_text(shadow.lower, shadow.upper) + " of " + dimension_text(d) + " of the array is too large");
    require(
        format != Format::cyclic || (shadow.lower == 0 && shadow.upper == 0),
        "the shadow " + bounds_text(shadow.lower, shadow.upper) + " of " + dimension_text(d) +
            " of the array has no meaning on a cyclic distribution, where neighbours lie on other nodes anyway; use block or "
            "gblock, or the full shadow *");
}

}  // namespace

ArrayMapping::ArrayMapping(TemplateMapping target, std::vector<Index> lower, std::vector<Index> upper,
                           std::vector<Alignment> alignment, std::vector<Shadow> shadow, Order order)
    : target_(std::move(target)),
      lower_(std::move(lower)),
      upper_(std::move(upper)),
      alignment_(std::move(alignment)),
      shadow_(std::move(shadow)),
      order_(order) {
    require(rank() >= 1 && rank() <= max_rank, "an array has " + text(rank()) + " dimensions; 1 to 7 are allowed");
    if (shadow_.empty()) shadow_.resize(lower_.size());
    require(upper_.size() == lower_.size(),
            "an array of rank " + text(rank()) + " has " + text(upper_.size()) + " upper bounds");
    require(alignment_.size() == lower_.size(),
            "an array of rank " + text(rank()) + " has " + text(alignment_.size()) + " align subscripts");
    require(shadow_.size() == lower_.size(),
            "an array of rank " + text(rank()) + " has " + text(shadow_.size()) + " shadow widths");
    std::vector<bool> used(target_.rank(), false);
    for (int d = 0; d < rank(); ++d) {
        check_bounds(d, lower_[d], upper_[d]);
        check_alignment(d, lower_[d], upper_[d], alignment_[d], target_);
        if (const int onto = alignment_[d].template_dimension; onto >= 0) {
            require(!used[onto], "two dimensions of the array are aligned with " + dimension_text(onto) + " of the template");
            used[onto] = true;
        }
        check_shadow(d, shadow_[d], format(d));
    }
}

Format ArrayMapping::format(int d) const {
    const int onto = alignment_[d].template_dimension;
    return onto < 0 ? Format::undistributed : target_.dimension(onto).format();
}

int ArrayMapping::node_dimension(int d) const {
    const int onto = alignment_[d].template_dimension;
    return onto < 0 ? -1 : target_.node_dimension(onto);
}

std::vector<int> ArrayMapping::replicated_node_dimensions() const {
    std::vector<bool> used(target_.grid().extents().size(), false);
    for (int d = 0; d < rank(); ++d) {
        if (const int onto = node_dimension(d); onto >= 0) used[onto] = true;
    }
    std::vector<int> result;
    for (int g = 0; g < target_.grid().rank(); ++g) {
        if (!used[g]) result.push_back(g);
    }
    return result;
}

bool ArrayMapping::first_replica(const std::vector<Index>& coordinates) const {
    const std::vector<int> replicated = replicated_node_dimensions();
    return std::all_of(replicated.begin(), replicated.end(),
                       [&](int g) { return coordinates[static_cast<std::size_t>(g)] == 0; });
}

IndexSet ArrayMapping::owned(int d, Index coordinate) const {
    return owned(d, coordinate, Range{lower_[d], extent(d), 1});
}

IndexSet ArrayMapping::owned(int d, Index coordinate, const Range& section) const {
    const Range part = intersect(section, Range{lower_[d], extent(d), 1});
    if (node_dimension(d) < 0) return IndexSet::of(part);
    const Index offset = alignment_[d].offset;
    return target_.dimension(alignment_[d].template_dimension).owned(coordinate, part.shifted(offset)).shifted(-offset);
}

std::vector<Repetition> ArrayMapping::owned_in_order(int d, Index coordinate, const Range& section) const {
    if (section.empty()) return {};
    if (node_dimension(d) < 0) return {{{section}}};
    const Index offset = alignment_[d].offset;
    auto found = target_.dimension(alignment_[d].template_dimension).owned_in_order(coordinate, section.shifted(offset));
    for (Repetition& repetition : found)
        for (Range& range : repetition.ranges) range = range.shifted(-offset);
    return found;
}

Index ArrayMapping::owned_size(int d, Index coordinate) const {
    if (node_dimension(d) < 0 || extent(d) == 0) return extent(d);
    const Distribution& dimension = target_.dimension(alignment_[d].template_dimension);
    const Index offset = alignment_[d].offset;
    return dimension.owned_before(coordinate, upper_[d] + offset + 1) - dimension.owned_before(coordinate, lower_[d] + offset);
}

Index ArrayMapping::allocated_size(int d, Index coordinate) const {
    if (shadow_[d].full) return extent(d);
    const Index owned = owned_size(d, coordinate);
    return owned == 0 ? 0 : owned + shadow_[d].lower + shadow_[d].upper;
}

Index ArrayMapping::view_subscript(int d, Index index) const {
    if (shadow_[d].full || format(d) != Format::cyclic) return index;
    return target_.dimension(alignment_[d].template_dimension).to_local(index + alignment_[d].offset);
}

Index ArrayMapping::view_origin(int d, Index coordinate) const {
    if (shadow_[d].full) return lower_[d];
    const Index before_first = lower_[d] - shadow_[d].lower;
    if (node_dimension(d) < 0 || owned_size(d, coordinate) == 0) return before_first;
    const Distribution& dimension = target_.dimension(alignment_[d].template_dimension);
    const Index position = dimension.owned_before(coordinate, lower_[d] + alignment_[d].offset);  // of the first owned element
    if (format(d) == Format::cyclic) return position;
    return dimension.to_global(coordinate, position) - alignment_[d].offset - shadow_[d].lower;
}

bool ArrayMapping::same_layout(const ArrayMapping& other) const {
    return lower_ == other.lower_ && same_blocks(other);
}

bool ArrayMapping::same_blocks(const ArrayMapping& other) const {
    if (rank() != other.rank() || shadow_ != other.shadow_ || order_ != other.order_) return false;
    if (target_.grid() != other.target_.grid()) return false;
    for (int d = 0; d < rank(); ++d) {
        const Index moved = other.lower_[d] - lower_[d];
        if (upper_[d] + moved != other.upper_[d]) return false;
        if (node_dimension(d) != other.node_dimension(d)) return false;
        if (node_dimension(d) < 0) continue;
        // The templates may differ where the array does not lie, and by a shift that the offsets undo.
        const Distribution& mine = target_.dimension(alignment_[d].template_dimension);
        const Distribution& theirs = other.target_.dimension(other.alignment_[d].template_dimension);
        if (!mine.same_up_to_shift(theirs, other.alignment_[d].offset + moved - alignment_[d].offset)) return false;
    }
    return true;
}

}  // namespace kumihimo::sets
