#include "sets/distribution.hpp"

#include <algorithm>
#include <stdexcept>

#include "sets/arithmetic.hpp"
#include "sets/wording.hpp"

namespace kumihimo::sets {

namespace {

void require_bounds(Index lower, Index upper) {
    require(lower >= -index_limit && lower <= index_limit && upper >= -index_limit - 1 && upper <= index_limit,
            "the bounds " + text(lower) + ":" + text(upper) +
                " of a template's dimension are too large; they must lie within +-2^62");
    const Wide extent = Wide(upper) - lower + 1;
    require(extent >= 0, "the template's dimension " + text(lower) + ":" + text(upper) +
                             " has a negative extent; the upper bound must be at least the lower bound - 1");
    require(extent <= index_limit,
            "the template's dimension " + text(lower) + ":" + text(upper) + " has more than 2^62 indices");
}

void require_nodes(Index nodes) {
    require(nodes >= 1, "a dimension is distributed onto " + text(nodes) + " nodes; it needs at least 1");
}

}  // namespace

Distribution::Distribution(Format format, Index lower, Index upper, Index nodes, Index block, std::vector<Index> bounds)
    : format_(format), lower_(lower), upper_(upper), nodes_(nodes), block_(block), bounds_(std::move(bounds)) {}

Distribution Distribution::undistributed(Index lower, Index upper) {
    require_bounds(lower, upper);
    return {Format::undistributed, lower, upper, 1, upper - lower + 1};
}

Distribution Distribution::block(Index lower, Index upper, Index nodes) {
    require_bounds(lower, upper);
    require_nodes(nodes);
    return block(lower, upper, nodes, std::max<Index>(1, ceiling_divide(upper - lower + 1, nodes)));
}

Distribution Distribution::block(Index lower, Index upper, Index nodes, Index size) {
    require_bounds(lower, upper);
    require_nodes(nodes);
    require(size >= 1, "block(" + text(size) + "): the size of a block must be at least 1");
    const Index extent = upper - lower + 1;
    if (Wide(size) * nodes < extent) {
        throw std::invalid_argument("block(" + text(size) + ") on " + text(nodes) + " nodes holds " + text(size * nodes) +
                                    " indices, but the template's dimension " + text(lower) + ":" + text(upper) + " has " +
                                    text(extent) + "; it needs blocks of at least " + text(ceiling_divide(extent, nodes)));
    }
    return {Format::block, lower, upper, nodes, size};
}

Distribution Distribution::cyclic(Index lower, Index upper, Index nodes, Index size) {
    require_bounds(lower, upper);
    require_nodes(nodes);
    require(size >= 1, "cyclic(" + text(size) + "): the size of a block must be at least 1");
    return {Format::cyclic, lower, upper, nodes, size};
}

Distribution Distribution::gblock(Index lower, std::vector<Index> sizes) {
    require_bounds(lower, lower - 1);
    require_nodes(static_cast<Index>(sizes.size()));
    std::vector<Index> bounds = {lower};
    for (std::size_t node = 0; node < sizes.size(); ++node) {
        require(sizes[node] >= 0, "gblock: entry " + text(static_cast<Index>(node) + 1) + " of the mapping array is " +
                                      text(sizes[node]) + "; sizes must not be negative");
        require(Wide(bounds.back()) + sizes[node] - 1 <= index_limit,
                "gblock: the sizes in the mapping array add up beyond 2^62");
        bounds.push_back(bounds.back() + sizes[node]);
    }
    require_bounds(lower, bounds.back() - 1);
    const Index upper = bounds.back() - 1;
    return {Format::gblock, lower, upper, static_cast<Index>(sizes.size()), 0, std::move(bounds)};
}

Distribution Distribution::gblock(Index lower, Index upper, std::vector<Index> sizes) {
    require_bounds(lower, upper);
    Distribution result = gblock(lower, std::move(sizes));
    require(result.upper_ == upper, "gblock: the " + text(result.nodes_) + " sizes in the mapping array add up to " +
                                        text(result.extent()) + ", but the template's dimension " + text(lower) + ":" +
                                        text(upper) + " has " + text(upper - lower + 1) + " indices");
    return result;
}

// Capped where it exceeds every extent: then each node has at most one block and the distance does not matter.
Index Distribution::round() const {
    return static_cast<Index>(std::min<Wide>(Wide(block_) * nodes_, index_limit + Wide(1)));
}

Index Distribution::owner(Index index) const {
    const Index position = index - lower_;
    switch (format_) {
        case Format::undistributed:
            return 0;
        case Format::block:
            return position / block_;
        case Format::cyclic:
            return position / block_ % nodes_;
        case Format::gblock:
            break;
    }
    return std::upper_bound(bounds_.begin(), bounds_.end(), index) - bounds_.begin() - 1;
}

Index Distribution::owned_before(Index node, Index index) const {
    const Index position = index - lower_;
    const auto within_block = [&](Index before) {  // of the node's block, when `before` indices of all nodes precede
        return static_cast<Index>(std::clamp<Wide>(before - Wide(node) * block_, 0, block_));
    };
    switch (format_) {
        case Format::undistributed:
            return position;
        case Format::block:
            return within_block(position);
        case Format::cyclic:
            return position / round() * block_ + within_block(position % round());
        case Format::gblock:
            break;
    }
    return std::clamp(index, bounds_[node], bounds_[node + 1]) - bounds_[node];
}

Index Distribution::local_size(Index node) const {
    return owned_before(node, upper_ + 1);
}

Index Distribution::to_local(Index index) const {
    const Index position = index - lower_;
    switch (format_) {
        case Format::undistributed:
            return position;
        case Format::block:
            return position % block_;
        case Format::cyclic:
            return position / round() * block_ + position % block_;
        case Format::gblock:
            break;
    }
    return index - bounds_[owner(index)];
}

Index Distribution::to_global(Index node, Index position) const {
    switch (format_) {
        case Format::undistributed:
            return lower_ + position;
        case Format::block:
            return lower_ + node * block_ + position;
        case Format::cyclic:
            return lower_ + position / block_ * round() + node * block_ + position % block_;
        case Format::gblock:
            break;
    }
    return bounds_[node] + position;
}

IndexSet Distribution::owned(Index node) const {
    const Index size = local_size(node);
    if (size == 0) return {};
    if (format_ != Format::cyclic) return IndexSet::interval(to_global(node, 0), to_global(node, size - 1));
    const Index first = to_global(node, 0), whole = size / block_, rest = size % block_;
    return IndexSet({{first, block_, round(), whole}, {first + whole * round(), rest, rest, rest > 0 ? Index{1} : Index{0}}});
}

IndexSet Distribution::owned(Index node, const Range& section) const {
    return owned(node).intersect(IndexSet::of(section));
}

namespace {

// The same elements from the last one to the first.
void reverse(std::vector<Repetition>& repetitions) {
    std::reverse(repetitions.begin(), repetitions.end());
    for (Repetition& repetition : repetitions) {
        std::reverse(repetition.ranges.begin(), repetition.ranges.end());
        for (Range& range : repetition.ranges)
            range = {range.last() + (repetition.times - 1) * repetition.distance, range.count, -range.step};
        repetition.distance = -repetition.distance;
    }
}

// The elements of an ascending section up to `index`, which are taken from it.
Range cut_before(Range& up, Index index) {
    const Index count = std::clamp<Index>(ceiling_divide(index - up.first, up.step), 0, up.count);
    const Range before{up.first, count, up.step};
    up = {up.first + count * up.step, up.count - count, up.step};
    return before;
}

}  // namespace

std::vector<Repetition> Distribution::owned_in_order(Index node, const Range& section) const {
    const Index size = local_size(node);
    if (size == 0) return {};
    if (format_ != Format::cyclic || block_ == 1 || nodes_ == 1) {
        const Index step = format_ == Format::cyclic && nodes_ > 1 ? round() : 1;
        const Range result = intersect(section, Range{to_global(node, 0), size, step});
        return result.empty() ? std::vector<Repetition>() : std::vector<Repetition>{{{result}}};
    }
    const Range clipped = intersect(section, Range{lower_, extent(), 1});
    if (clipped.empty()) return {};
    std::vector<Repetition> result = owned_rounds(node, clipped.ascending());
    if (clipped.step < 0) reverse(result);
    return result;
}

// What is owned of a section repeats with the least common multiple of the step and the round. Repetitions begin where a round
// does, so that no block is cut in two.
std::vector<Repetition> Distribution::owned_rounds(Index node, const Range& up) const {
    std::vector<Repetition> result;
    const auto append = [&](const Range& part, Index times, Index distance) {
        std::vector<Range> ranges = part.empty() ? std::vector<Range>() : owned_blocks(node, part);
        if (!ranges.empty()) result.push_back({std::move(ranges), times, distance});
    };
    const Wide distance = Wide{up.step} / extended_gcd(up.step, round()).gcd * round();
    Range rest = up;
    if (distance <= (up.last() - up.first) / 2) {
        append(cut_before(rest, lower_ + ceiling_divide(up.first - lower_, round()) * round()), 1, 0);
        const auto step = static_cast<Index>(distance);
        const Index each = step / up.step, times = rest.count / each;
        append({rest.first, each, up.step}, times, step);
        rest = {rest.first + times * step, rest.count - times * each, up.step};
    }
    append(rest, 1, 0);
    return result;
}

// Steps shorter than a block touch every block between the section's ends, longer ones at most one element of each: both
// ways of walking cost what they find.
std::vector<Range> Distribution::owned_blocks(Index node, const Range& up) const {
    std::vector<Range> result;
    if (up.step < block_) {
        const Index end = owned_before(node, up.last() + 1);
        for (Index position = owned_before(node, up.first); position < end;) {
            const Index length = std::min(block_ - position % block_, end - position);
            const Range part = intersect(up, Range{to_global(node, position), length, 1});
            if (!part.empty()) result.push_back({part.first, part.count, up.step});
            position += length;
        }
    } else {
        owned(node, up).for_each_run([&](Index first, Index) { result.push_back({first, 1, up.step}); });
    }
    return result;
}

IndexSet Distribution::owners(const Range& section) const {
    const Range part = intersect(section, Range{lower_, extent(), 1}).ascending();
    if (part.empty()) return {};
    if (format_ == Format::undistributed) return IndexSet::interval(0, 0);
    const Index first = owner(part.first), last = owner(part.last());
    if (part.count == 1) return IndexSet::interval(first, first);
    const bool touches_every_block = part.step <= block_;  // between the section's ends
    if (touches_every_block && format_ == Format::block) return IndexSet::interval(first, last);
    if (touches_every_block && format_ == Format::cyclic) {
        const Index blocks = (part.last() - lower_) / block_ - (part.first - lower_) / block_ + 1;
        if (blocks >= nodes_) return IndexSet::interval(0, nodes_ - 1);
        if (first <= last) return IndexSet::interval(first, last);
        return IndexSet({{0, last + 1, 1, 1}, {first, nodes_ - first, 1, 1}});
    }
    std::vector<Piece> coordinates;
    const auto append = [&](Index node) { coordinates.push_back({node, 1, 1, 1}); };
    if (part.count < nodes_ && format_ != Format::gblock) {
        std::vector<Index> found;
        for (Index i = 0; i < part.count; ++i) found.push_back(owner(part.first + i * part.step));
        std::sort(found.begin(), found.end());
        found.erase(std::unique(found.begin(), found.end()), found.end());
        for (const Index node : found) append(node);
    } else {
        const bool ordered = format_ != Format::cyclic;
        for (Index node = ordered ? first : 0; node <= (ordered ? last : nodes_ - 1); ++node) {
            if (!owned(node, part).empty()) append(node);
        }
    }
    return IndexSet(std::move(coordinates));
}

bool Distribution::same_up_to_shift(const Distribution& other, Index shift) const {
    if (format_ != other.format_ || nodes_ != other.nodes_ || lower_ + shift != other.lower_) return false;
    if (format_ != Format::gblock) return format_ == Format::undistributed || block_ == other.block_;
    return std::equal(bounds_.begin(), bounds_.end(), other.bounds_.begin(),
                      [&](Index mine, Index theirs) { return mine + shift == theirs; });
}

}  // namespace kumihimo::sets
