#include "runtime/xmpio/section.hpp"

#include <cstring>
#include <string>

#include "base/error.hpp"

namespace kumihimo::xmpio {

namespace {

std::string text_of(const Range& range) {
    return std::to_string(range.first) + ":" + std::to_string(range.last()) + ":" + std::to_string(range.step);
}

// Strips of dimension d for the node; offsets are in elements along d here.
std::vector<Strip> strips_of(const sets::ArrayMapping& mapping, int d, const Range& section,
                             const std::vector<Index>& coordinates) {
    const int node_dimension = mapping.node_dimension(d);
    const Index coordinate = node_dimension < 0 ? 0 : coordinates[node_dimension];
    const sets::Alignment& alignment = mapping.alignment(d);
    std::vector<Range> owned;
    if (section.empty()) return {};
    if (alignment.template_dimension < 0)
        owned = {section};
    else
        owned = mapping.target()
                    .dimension(alignment.template_dimension)
                    .owned_in_order(coordinate, section.shifted(alignment.offset));
    std::vector<Strip> strips;
    for (const Range& piece : owned) {
        if (piece.empty()) continue;
        const Index first = alignment.template_dimension < 0 ? piece.first : piece.first - alignment.offset;
        const Index offset = mapping.allocated_offset(d, coordinate, first);
        const Index step = piece.count > 1 ? mapping.allocated_offset(d, coordinate, first + piece.step) - offset : 1;
        const Index position_step = piece.count > 1 ? piece.step / section.step : 1;
        strips.push_back({(first - section.first) / section.step, position_step, piece.count, offset, step});
    }
    return strips;
}

// Joins a dimension with the next faster one where both file and memory run on without a gap.
void join(std::vector<Part::Dimension>& dimensions, const std::vector<Index>& extents) {
    std::vector<Part::Dimension> joined{dimensions.back()};
    Index extent = extents.back();  // of the fastest joined dimension so far
    for (int d = static_cast<int>(dimensions.size()) - 2; d >= 0; --d) {
        Part::Dimension& fast = joined.back();
        bool whole = fast.strips.size() == 1 && fast.strips[0].count == extent;
        const std::ptrdiff_t step = whole ? fast.strips[0].offset_step : 0;
        for (const Strip& strip : dimensions[d].strips)
            whole =
                whole && (extent == 1 || strip.count == 1 || (strip.position_step == 1 && strip.offset_step == extent * step));
        if (!whole) {
            joined.push_back(dimensions[d]);
            extent = extents[d];
            continue;
        }
        std::vector<Strip> strips;
        for (const Strip& strip : dimensions[d].strips)
            strips.push_back({strip.position * extent, extent == 1 ? strip.position_step : 1, strip.count * extent,
                              strip.offset + fast.strips[0].offset, extent == 1 ? strip.offset_step : step});
        fast.strips = strips;
        extent *= extents[d];
    }
    std::reverse(joined.begin(), joined.end());
    dimensions = std::move(joined);
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

Section section_of(const execution::Array& array, const xmp_range_t* rp) {
    const sets::ArrayMapping& mapping = *array.mapping;
    Section section;
    for (int d = 0; d < mapping.rank(); ++d) section.push_back({mapping.lower(d), mapping.extent(d), 1});
    if (rp == nullptr) return section;
    if (!rp->valid) throw base::Error("the range was set wrongly (an earlier message of xmp_set_range says how)");
    if (static_cast<int>(rp->dimensions.size()) != mapping.rank())
        throw base::Error("the range has " + std::to_string(rp->dimensions.size()) + " dimensions, array '" + array.name +
                              "' has " + std::to_string(mapping.rank()),
                          "allocate it with xmp_allocate_range(" + std::to_string(mapping.rank()) + ")");
    for (int d = 0; d < mapping.rank(); ++d) {
        if (!rp->dimensions[d].set) continue;
        const Range& range = rp->dimensions[d].range;
        const auto [low, high] = std::minmax({range.first, range.last()});  // by value: last() is a temporary
        if (!range.empty() && (low < mapping.lower(d) || high > mapping.upper(d)))
            throw base::Error("section " + text_of(range) + " leaves dimension " + std::to_string(d + 1) + " of array '" +
                              array.name + "', whose indices are " + std::to_string(mapping.lower(d)) + " to " +
                              std::to_string(mapping.upper(d)));
        section[d] = range;
    }
    return section;
}

Index elements(const Section& section) {
    Index product = 1;
    for (const Range& range : section) product *= range.count;
    return product;
}

std::vector<int> file_order(const sets::ArrayMapping& mapping) {
    std::vector<int> order(mapping.rank());
    for (int d = 0; d < mapping.rank(); ++d) order[d] = mapping.order() == sets::Order::row_major ? d : mapping.rank() - 1 - d;
    return order;
}

Index mean_run_bytes(const sets::ArrayMapping& mapping, std::size_t element_bytes, const Section& section) {
    const std::vector<int> order = file_order(mapping);
    auto run = static_cast<Index>(element_bytes);
    for (auto d = order.rbegin(); d != order.rend(); ++d) {
        const Index count = section[*d].count;
        if (mapping.node_dimension(*d) < 0) {
            run *= count;
            continue;
        }
        Index pieces = 0;
        std::vector<Index> coordinates(mapping.target().grid().rank());
        for (Index& coordinate = coordinates[mapping.node_dimension(*d)];
             coordinate < mapping.target().grid().extents()[mapping.node_dimension(*d)]; ++coordinate)
            for (const Strip& strip : strips_of(mapping, *d, section[*d], coordinates))
                pieces += strip.position_step == 1 ? 1 : strip.count;
        if (pieces > 1) return run * count / pieces;
        run *= count;  // one node has all of it
    }
    return run;
}

std::vector<Part::Dimension> Part::unjoined(const sets::ArrayMapping& mapping, std::size_t element_bytes,
                                            const Section& section, const std::vector<Index>& coordinates) {
    const std::vector<int> order = file_order(mapping);  // memory has the same order
    std::vector<Dimension> dimensions(order.size());
    Index stride = 1;
    auto bytes = static_cast<std::ptrdiff_t>(element_bytes);
    for (int i = static_cast<int>(order.size()) - 1; i >= 0; --i) {
        const int d = order[i], node_dimension = mapping.node_dimension(d);
        dimensions[i] = {stride, strips_of(mapping, d, section[d], coordinates)};
        for (Strip& strip : dimensions[i].strips) strip.offset *= bytes, strip.offset_step *= bytes;
        stride *= section[d].count;
        bytes *= mapping.allocated_size(d, node_dimension < 0 ? 0 : coordinates[node_dimension]);
    }
    return dimensions;
}

Part::Part(const sets::ArrayMapping& mapping, std::size_t element_bytes, const Section& section,
           const std::vector<Index>& coordinates)
    : element_bytes_(element_bytes), dimensions_(unjoined(mapping, element_bytes, section, coordinates)) {
    if (std::any_of(dimensions_.begin(), dimensions_.end(),
                    [](const Dimension& dimension) { return dimension.strips.empty(); })) {
        dimensions_ = {{1, {}}};
        return;
    }
    std::vector<Index> extents;
    for (const int d : file_order(mapping)) extents.push_back(section[d].count);
    join(dimensions_, extents);
}

Index Part::elements() const {
    Index product = 1;
    for (const Dimension& dimension : dimensions_) {
        Index sum = 0;
        for (const Strip& strip : dimension.strips) sum += strip.count;
        product *= sum;
    }
    return product;
}

Index Part::elements(Index begin, Index end) const {
    Index sum = 0;
    for_each_run(begin, end, [&](const Run& run) { sum += run.count; });
    return sum;
}

void gather(const Part& part, Index begin, Index end, const std::byte* block, std::byte* whole) {
    const auto bytes = static_cast<std::ptrdiff_t>(part.element_bytes());
    part.for_each_run(begin, end, [&](const Run& run) {
        copy(whole + (run.position - begin) * bytes, run.position_step * bytes, block + run.offset, run.offset_step, run.count,
             bytes);
    });
}

void scatter(const Part& part, Index begin, Index end, const std::byte* whole, std::byte* block) {
    const auto bytes = static_cast<std::ptrdiff_t>(part.element_bytes());
    part.for_each_run(begin, end, [&](const Run& run) {
        copy(block + run.offset, run.offset_step, whole + (run.position - begin) * bytes, run.position_step * bytes, run.count,
             bytes);
    });
}

std::size_t pack(const Part& part, Index begin, Index end, const std::byte* block, std::byte* packed) {
    const auto bytes = static_cast<std::ptrdiff_t>(part.element_bytes());
    std::size_t filled = 0;
    part.for_each_run(begin, end, [&](const Run& run) {
        copy(packed + filled, bytes, block + run.offset, run.offset_step, run.count, bytes);
        filled += run.count * bytes;
    });
    return filled;
}

std::size_t unpack(const Part& part, Index begin, Index end, const std::byte* packed, std::byte* block) {
    const auto bytes = static_cast<std::ptrdiff_t>(part.element_bytes());
    std::size_t taken = 0;
    part.for_each_run(begin, end, [&](const Run& run) {
        copy(block + run.offset, run.offset_step, packed + taken, bytes, run.count, bytes);
        taken += run.count * bytes;
    });
    return taken;
}

std::size_t pack_whole(const Part& part, Index begin, Index end, const std::byte* whole, std::byte* packed) {
    const auto bytes = static_cast<std::ptrdiff_t>(part.element_bytes());
    std::size_t filled = 0;
    part.for_each_run(begin, end, [&](const Run& run) {
        copy(packed + filled, bytes, whole + (run.position - begin) * bytes, run.position_step * bytes, run.count, bytes);
        filled += run.count * bytes;
    });
    return filled;
}

std::size_t unpack_whole(const Part& part, Index begin, Index end, const std::byte* packed, std::byte* whole) {
    const auto bytes = static_cast<std::ptrdiff_t>(part.element_bytes());
    std::size_t taken = 0;
    part.for_each_run(begin, end, [&](const Run& run) {
        copy(whole + (run.position - begin) * bytes, run.position_step * bytes, packed + taken, bytes, run.count, bytes);
        taken += run.count * bytes;
    });
    return taken;
}

}  // namespace kumihimo::xmpio
