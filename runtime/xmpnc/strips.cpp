#include "runtime/xmpnc/strips.hpp"

#include <cstring>

#include "sets/section_extents.hpp"

namespace kumihimo::xmpnc {

namespace {

// Strips of dimension d for the node; offsets are in elements along d here.
std::vector<Strip> strips_of(const sets::ArrayMapping& mapping, int d, const sets::Range& section,
                             const std::vector<Index>& coordinates) {
    const int onto = mapping.node_dimension(d);
    const Index coordinate = onto < 0 ? 0 : coordinates[static_cast<std::size_t>(onto)];
    std::vector<Strip> strips;
    const auto append = [&](const sets::Range& piece) {
        const Index offset = mapping.allocated_offset(d, coordinate, piece.first);
        const Index step = piece.count > 1 ? mapping.allocated_offset(d, coordinate, piece.first + piece.step) - offset : 1;
        const Index position_step = piece.count > 1 ? piece.step / section.step : 1;
        strips.push_back({(piece.first - section.first) / section.step, position_step, piece.count, offset, step});
    };
    for (const sets::Repetition& repetition : mapping.owned_in_order(d, coordinate, section))
        for (Index i = 0; i < repetition.times; ++i)
            for (const sets::Range& piece : repetition.ranges) append(piece.shifted(i * repetition.distance));
    return strips;
}

// `elements` values of `bytes` each, at different distances. Only the switch knows sizes: small ones become register moves.
template <std::size_t bytes>
void copy_each(std::byte* to, std::ptrdiff_t to_step, const std::byte* from, std::ptrdiff_t from_step, Index elements) {
    for (Index i = 0; i < elements; ++i) std::memcpy(to + i * to_step, from + i * from_step, bytes);
}

}  // namespace

void copy(std::byte* to, std::ptrdiff_t to_step, const std::byte* from, std::ptrdiff_t from_step, Index elements,
          std::size_t bytes) {
    const auto width = static_cast<std::ptrdiff_t>(bytes);
    if (elements == 1 || (to_step == width && from_step == width)) {
        std::memcpy(to, from, bytes * elements);
        return;
    }
    switch (bytes) {
        case 1:
            return copy_each<1>(to, to_step, from, from_step, elements);
        case 2:
            return copy_each<2>(to, to_step, from, from_step, elements);
        case 4:
            return copy_each<4>(to, to_step, from, from_step, elements);
        case 8:
            return copy_each<8>(to, to_step, from, from_step, elements);
        case 16:
            return copy_each<16>(to, to_step, from, from_step, elements);
        default:
            for (Index i = 0; i < elements; ++i) std::memcpy(to + i * to_step, from + i * from_step, bytes);
    }
}

std::vector<Dimension> dimensions_of(const sets::ArrayMapping& mapping, std::size_t element_bytes,
                                     const xmpio::Section& section, const std::vector<Index>& coordinates) {
    const std::vector<int> order = sets::slowest_first(mapping);
    std::vector<Dimension> dimensions(order.size());
    auto bytes = static_cast<std::ptrdiff_t>(element_bytes);
    for (std::size_t i = order.size(); i-- > 0;) {
        const int d = order[i];
        Dimension& dimension = dimensions[i];
        dimension = strips_of(mapping, d, section[static_cast<std::size_t>(d)], coordinates);
        for (Strip& strip : dimension) strip.offset *= bytes, strip.offset_step *= bytes;
        const int onto = mapping.node_dimension(d);
        bytes *= mapping.allocated_size(d, onto < 0 ? 0 : coordinates[static_cast<std::size_t>(onto)]);
    }
    return dimensions;
}

}  // namespace kumihimo::xmpnc
