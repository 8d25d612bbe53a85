#include "runtime/globalview/gmove_sides.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/format.hpp"

namespace kumihimo::globalview {

namespace {

XMP_Bounds bounds_of(const XMP_Side& side, const execution::Array* array, int d) {
    if (array != nullptr) return (*array->bounds)[static_cast<std::size_t>(d)];
    return {0, side.extents[d] == XMP_OPEN ? XMP_OPEN : side.extents[d] - 1};
}

[[noreturn]] void refuse_index(const Side& side, Index index, int d, const XMP_Bounds& bounds) {
    throw base::Error(fmt::format("subscript {} of dimension {} of {} is outside {}:{}", index, d + 1, side.text(),
                                  bounds.lower, bounds.upper),
                      "Dimensions count from the left, starting at 1.");
}

void check_index(const Side& side, Index index, int d, const XMP_Bounds& bounds) {
    if (index < bounds.lower || (bounds.upper != XMP_OPEN && index > bounds.upper)) refuse_index(side, index, d, bounds);
}

// How many elements of the dimension follow from `first` in steps of `step`.
Index remaining(const Side& side, Index first, Index step, int d, const XMP_Bounds& bounds) {
    if (step < 0) return first < bounds.lower ? 0 : (first - bounds.lower) / -step + 1;
    if (bounds.upper == XMP_OPEN)
        throw base::Error(fmt::format("the length of dimension {} of {} is not known", d + 1, side.text()),
                          "Write the length of the section.");
    return first > bounds.upper ? 0 : (bounds.upper - first) / step + 1;
}

GmoveSide::Subscript resolve_subscript(const Side& side, int d) {
    const XMP_Triplet& triplet = side.given->subscripts[d];
    const XMP_Bounds bounds = bounds_of(*side.given, side.array, d);
    if (triplet.section == 0) {
        check_index(side, triplet.first, d, bounds);
        return {false, {triplet.first, 1, 1}};
    }
    if (triplet.step == 0)
        throw base::Error(fmt::format("the step of dimension {} of {} is 0", d + 1, side.text()), "Give another step.");
    const Index first = triplet.first == XMP_OPEN ? bounds.lower : triplet.first;
    const Index length = triplet.length == XMP_OPEN ? remaining(side, first, triplet.step, d, bounds) : triplet.length;
    if (length < 0)
        throw base::Error(fmt::format("the length of dimension {} of {} is {}", d + 1, side.text(), length),
                          "Lengths are not negative.");
    const sets::Range range{first, length, length > 1 ? triplet.step : 1};
    if (length > 0) {
        check_index(side, range.first, d, bounds);
        check_index(side, range.last(), d, bounds);
    }
    return {true, range};
}

}  // namespace

void check_rank(const XMP_Side& given) {
    if (given.rank > sets::max_rank)
        throw base::Error(fmt::format("{} has {} subscripts behind its first section", given.text, given.rank),
                          fmt::format("At most {} are possible.", sets::max_rank));
}

void resolve(const XMP_Side& given, Side& side) {
    side.given = &given;
    side.array = given.array == nullptr ? nullptr : &execution::array_of(given.array);
    side.type = given.type;
    GmoveSide& geometry = side.geometry;
    geometry.element_bytes = given.element_bytes;
    geometry.mapping = nullptr;
    geometry.pitch = 0;
    geometry.subscripts.clear();
    geometry.strides.clear();
    if (side.array != nullptr) {
        if (!side.array->allocated())
            throw base::Error(fmt::format("array {} is not allocated", side.array->name),
                              "Allocate it, or execute template_fix, before this.");
        if (given.rank != side.array->rank)
            throw base::Error(fmt::format("{} has {}, but array {} has {}", given.text, base::counted(given.rank, "subscript"),
                                          side.array->name, base::counted(side.array->rank, "dimension")));
        geometry.mapping = &*side.array->mapping;
        geometry.pitch = side.array->element_bytes;
        if (given.element_bytes == 0) {  // else a member of the elements
            side.type = side.array->type;
            geometry.element_bytes = geometry.pitch;
        }
    } else {
        geometry.strides.assign(given.strides, given.strides + given.rank);
    }
    geometry.subscripts.reserve(static_cast<std::size_t>(given.rank));
    for (int d = 0; d < given.rank; ++d) geometry.subscripts.push_back(resolve_subscript(side, d));
}

// ---- shapes ----

namespace {

std::string shape_text(const Side& side) {
    std::string text;
    for (const int d : side.geometry.sections())
        text +=
            fmt::format("{}{}", text.empty() ? "" : " x ", side.geometry.subscripts[static_cast<std::size_t>(d)].range.count);
    return text.empty() ? "one element" : text + " elements";
}

bool conform(const GmoveSide& left, const GmoveSide& right) {
    auto to = left.subscripts.begin();
    bool any = false;
    for (const GmoveSide::Subscript& from : right.subscripts) {
        if (!from.section) continue;
        any = true;
        while (to != left.subscripts.end() && !to->section) ++to;
        if (to == left.subscripts.end() || to->range.count != from.range.count) return false;
        ++to;
    }
    return !any || std::none_of(to, left.subscripts.end(), [](const GmoveSide::Subscript& rest) { return rest.section; });
}

}  // namespace

void check_conformance(const Side& left, const Side& right) {
    if (!conform(left.geometry, right.geometry))
        throw base::Error(
            fmt::format("{} has {}, but {} has {}", left.text(), shape_text(left), right.text(), shape_text(right)),
            "The sections of both sides, from the left, need the same lengths.");
}

Convert conversion_of(const Side& left, const Side& right) {
    const std::size_t to = left.geometry.element_bytes, from = right.geometry.element_bytes;
    if (left.type == right.type && to == from) return nullptr;
    const Convert convert = conversion(left.type, right.type);
    if (convert == nullptr)
        throw base::Error(fmt::format("the elements of {} ({}) and {} ({}) have types that cannot be converted", left.text(),
                                      base::counted(static_cast<long long>(to), "byte"), right.text(),
                                      base::counted(static_cast<long long>(from), "byte")));
    return convert;
}

// ---- overlap ----

namespace {

struct Bytes {
    const std::byte *begin = nullptr, *end = nullptr;
    bool meets(const Bytes& other) const { return begin < other.end && other.begin < end; }
};

// What of this node's memory a side may touch.
Bytes extent_of(const Side& side) {
    if (side.array != nullptr)
        return side.base() == nullptr ? Bytes{}
                                      : Bytes{side.base(), side.base() - side.given->member + side.array->allocated_bytes()};
    std::ptrdiff_t low = 0, high = 0;
    for (std::size_t d = 0; d < side.geometry.subscripts.size(); ++d) {
        const sets::Range& range = side.geometry.subscripts[d].range;
        if (range.empty()) return {};
        const auto [least, most] = std::minmax({range.first, range.last()});
        low += least * side.geometry.strides[d];
        high += most * side.geometry.strides[d];
    }
    return {side.base() + low, side.base() + high + side.geometry.element_bytes};
}

// Of the same array, or of memory.
bool subscripts_meet(const Side& left, const Side& right) {
    for (std::size_t d = 0; left.array != nullptr && d < left.geometry.subscripts.size(); ++d)
        if (sets::intersect(left.geometry.subscripts[d].range, right.geometry.subscripts[d].range).empty()) return false;
    return true;
}

}  // namespace

bool may_overlap(const Side& left, const Side& right) {
    return extent_of(left).meets(extent_of(right)) && (left.array != right.array || subscripts_meet(left, right));
}

bool overlap_everywhere(const Side& left, const Side& right) {
    if (left.array == nullptr || right.array == nullptr) return false;
    if (left.array == right.array) return subscripts_meet(left, right);
    return left.array->segment != nullptr && left.array->segment == right.array->segment;
}

}  // namespace kumihimo::globalview
