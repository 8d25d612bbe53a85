#include "sets/extents.hpp"

#include <algorithm>

#include "sets/arithmetic.hpp"
#include "sets/pattern_builder.hpp"

namespace kumihimo::sets {

Extents::Extents(PlacedPattern placed) : pattern_(std::move(placed.pattern)), at_(placed.offset) {
    lower_ = true_lower();
    upper_ = true_upper();
}

Extents Extents::contiguous(Index bytes) {
    if (bytes == 0) return {};
    return PlacedPattern{0, make_blocks({0, bytes, 1, 0})};
}

Extents Extents::repeated(Index count, Index stride) const {
    if (count == 0 || !has_bounds()) return {};
    Extents result = *this;
    if (pattern_) result.pattern_ = make_repetition(pattern_, {count, stride});
    const Index span = (count - 1) * stride;
    result.lower_ += std::min<Index>(span, 0);
    result.upper_ += std::max<Index>(span, 0);
    return result;
}

Extents Extents::shifted(Index offset) const {
    if (!has_bounds()) return {};
    Extents result = *this;
    result.at_ += offset;
    result.lower_ += offset;
    result.upper_ += offset;
    return result;
}

Extents Extents::resized(Index lower, Index extent) const {
    Extents result = *this;
    result.lower_ = lower;
    result.upper_ = lower + extent;
    result.marked_ = true;
    return result;
}

Extents Extents::sequence(const std::vector<std::pair<Index, Extents>>& parts) {
    PatternBuilder builder;
    bool marked = false;
    for (const auto& [offset, part] : parts) {
        if (part.pattern_) builder.append(PlacedPattern{offset + part.at_, part.pattern_});
        marked = marked || part.marked_;
    }
    Extents result(builder.finish());
    result.marked_ = marked;
    bool first = true;
    for (const auto& [offset, part] : parts) {
        if (!part.has_bounds() || part.marked_ != marked) continue;
        result.lower_ = first ? offset + part.lower_ : std::min(result.lower_, offset + part.lower_);
        result.upper_ = first ? offset + part.upper_ : std::max(result.upper_, offset + part.upper_);
        first = false;
    }
    return result;
}

Extents Extents::blocks(const std::vector<std::pair<Index, Index>>& offsets_and_lengths) {
    PatternBuilder builder;
    for (const auto& [offset, length] : offsets_and_lengths) builder.append(Blocks{offset, length, 1, 0});
    return builder.finish();
}

Extents Extents::blocks(std::span<const Blocks> parts) {
    PatternBuilder builder;
    for (const Blocks& part : parts) builder.append(part);
    return builder.finish();
}

Index Extents::below(Index offset) const {
    return pattern_ ? pattern_->below(offset - at_) : 0;
}

bool Extents::contiguous_within(Index begin, Index end) const {
    const Index first = below(begin), last = below(end) - 1;
    return first <= last && offset(last) - offset(first) == last - first;
}

Extents tiles(const Extents& pattern, Index period, Index first, Index count) {
    return pattern.repeated(count, period).shifted(first * period);
}

Extents tiled_part(const Extents& pattern, Index period, Index displacement, Index begin, Index end) {
    PatternBuilder builder;
    for_each_tiled_nest(pattern, period, displacement, begin, end, [&](const Nest& nest) { builder.append(nest); });
    return builder.finish();
}

Index tiled_offset(const Extents& pattern, Index period, Index position) {
    const Index tile = position / pattern.size();
    return tile * period + pattern.offset(position - tile * pattern.size());
}

Index tiled_below(const Extents& pattern, Index period, Index offset) {
    if (pattern.size() == 0) return 0;
    const Index tile = std::max<Index>(floor_divide(offset - pattern.true_lower(), period), 0);
    return tile * pattern.size() + pattern.below(offset - tile * period);
}

bool tiled_ascending(const Extents& pattern, Index period) {
    return pattern.ascending() && period >= pattern.true_upper() - pattern.true_lower();
}

}  // namespace kumihimo::sets
