#include "runtime/xmpnc/boxes.hpp"

namespace kumihimo::xmpnc {

namespace {

// What this node owns along one dimension: `elements`, and the same as often as `rounds` says. to: indices of the variable;
// from: bytes of the block.
// One factor of a product, made of the algebra's levels: PnetCDF wants start, count and stride of each dimension, which a
// Correspondence has merged.
struct Strip {
    Index to = 0, from = 0;
    sets::PairedLevel rounds{1, 0, 0}, elements{1, 1, 0};
};

std::vector<Strip> strips_of(const execution::Array& array, const Along& along) {
    if (along.dimension < 0) return {{.to = along.start}};
    const Index coordinate = array.coordinate(along.dimension), bytes = array.stride_bytes(along.dimension);
    const sets::Range& section = along.range;
    const auto to = [&](Index index) { return along.start + (index - section.first) / section.step * along.stride; };
    const auto from = [&](Index index) { return array.mapping->allocated_offset(along.dimension, coordinate, index) * bytes; };
    const auto level = [&](Index first, Index count, Index step) {
        if (count == 1) return sets::PairedLevel{1, 1, 0};
        return sets::PairedLevel{count, to(first + step) - to(first), from(first + step) - from(first)};
    };
    std::vector<Strip> strips;
    for (const sets::Repetition& repetition : array.mapping->owned_in_order(along.dimension, coordinate, section))
        for (const sets::Range& range : repetition.ranges)
            strips.push_back({to(range.first), from(range.first), level(range.first, repetition.times, repetition.distance),
                              level(range.first, range.count, range.step)});
    return strips;
}

// The loops over the boxes of a strip. varn has no strides, and PnetCDF 1.12 takes several records in one piece for as many
// times their elements.
std::vector<sets::PairedLevel> loops_of(Strip& strip, bool record) {
    std::vector<sets::PairedLevel> loops{strip.rounds};
    if (record || strip.elements.to != 1) loops.push_back(std::exchange(strip.elements, {1, 1, 0}));
    return loops;
}

// The product of one strip of each dimension of the variable.
Boxes product(std::vector<Strip> strips, Form form, bool records, Index element_bytes) {
    Boxes boxes;
    std::vector<sets::PairedLevel> levels;
    Index from = 0;
    for (std::size_t v = 0; form == Form::varn && v < strips.size(); ++v)
        for (const sets::PairedLevel& loop : loops_of(strips[v], records && v == 0)) {
            boxes.loops.push_back({v, loop.count, loop.to});
            levels.push_back(loop);
        }
    for (const Strip& strip : strips) {
        boxes.start.push_back(strip.to);
        boxes.count.push_back(strip.elements.count);
        boxes.stride.push_back(strip.elements.to);
        levels.push_back(strip.elements);
        from += strip.from;
    }
    boxes.memory = sets::Correspondence(element_bytes, levels, 0, from).dense(sets::End::to);
    return boxes;
}

}  // namespace

std::vector<Boxes> boxes_of(const execution::Array& array, const Plan& plan, bool records) {
    std::vector<Boxes> boxes;
    for (const Placement& placement : plan.sections) {
        std::vector<std::vector<Strip>> products{{}};
        for (const Along& along : placement) {
            std::vector<std::vector<Strip>> longer;
            for (const Strip& strip : strips_of(array, along))
                for (const std::vector<Strip>& strips : products) {
                    longer.push_back(strips);
                    longer.back().push_back(strip);
                }
            products = std::move(longer);
        }
        for (std::vector<Strip>& strips : products)
            boxes.push_back(product(std::move(strips), plan.form, records, static_cast<Index>(array.element_bytes)));
    }
    return boxes;
}

}  // namespace kumihimo::xmpnc
