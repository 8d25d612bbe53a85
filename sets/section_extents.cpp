#include "sets/section_extents.hpp"

#include <algorithm>
#include <numeric>

namespace kumihimo::sets {

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
            extents_along(extents.section, owned, [&](Index index) { return (index - range.first) / range.step * in_section; });
        extents.block = extents_along(extents.block, owned,
                                      [&](Index index) { return mapping.allocated_offset(d, coordinate, index) * in_block; });
        in_section *= range.count;
        in_block *= mapping.allocated_size(d, coordinate);
    }
    return extents;
}

}  // namespace kumihimo::sets
