#include "sets/section_extents.hpp"

#include <algorithm>
#include <numeric>

namespace kumihimo::sets {

namespace {

// Copies of `inner`, which is all that faster dimensions select, one for each index. offset: of an index, in bytes; linear
// within a range, and alike for each time that ranges repeat.
template <typename Offset>
Extents along(const Extents& inner, const std::vector<Repetition>& owned, Offset&& offset) {
    std::vector<std::pair<Index, Extents>> parts;
    for (const Repetition& repetition : owned) {
        std::vector<std::pair<Index, Extents>> ranges;
        for (const Range& range : repetition.ranges) {
            const Index at = offset(range.first), stride = range.count > 1 ? offset(range.first + range.step) - at : 0;
            ranges.emplace_back(at, inner.repeated(range.count, stride));
        }
        const Index first = repetition.ranges.front().first;
        const Index stride = repetition.times > 1 ? offset(first + repetition.distance) - offset(first) : 0;
        parts.emplace_back(0, Extents::sequence(ranges).repeated(repetition.times, stride));
    }
    return Extents::sequence(parts);
}

}  // namespace

std::vector<int> slowest_first(const ArrayMapping& mapping) {
    std::vector<int> order(static_cast<std::size_t>(mapping.rank()));
    std::iota(order.begin(), order.end(), 0);
    if (mapping.order() == Order::column_major) std::reverse(order.begin(), order.end());
    return order;
}

SectionExtents section_extents(const ArrayMapping& mapping, Index element_bytes, const std::vector<Range>& section,
                               const std::vector<Index>& coordinates) {
    SectionExtents extents{Extents::contiguous(element_bytes), Extents::contiguous(element_bytes)};
    Index in_section = element_bytes, in_block = element_bytes;  // bytes from an index to the next one
    const std::vector<int> order = slowest_first(mapping);
    for (auto dimension = order.rbegin(); dimension != order.rend(); ++dimension) {
        const int d = *dimension;
        const Range& range = section[static_cast<std::size_t>(d)];
        const int onto = mapping.node_dimension(d);
        const Index coordinate = onto < 0 ? 0 : coordinates[static_cast<std::size_t>(onto)];
        const std::vector<Repetition> owned = mapping.owned_in_order(d, coordinate, range);
        if (owned.empty()) return {};
        extents.section =
            along(extents.section, owned, [&](Index index) { return (index - range.first) / range.step * in_section; });
        extents.block =
            along(extents.block, owned, [&](Index index) { return mapping.allocated_offset(d, coordinate, index) * in_block; });
        in_section *= range.count;
        in_block *= mapping.allocated_size(d, coordinate);
    }
    return extents;
}

}  // namespace kumihimo::sets
