#include "runtime/localview/sections.hpp"

#include <cstring>

#include "base/error.hpp"
#include "base/format.hpp"
#include "copying/execute.hpp"
#include "copying/run.hpp"
#include "runtime/localview/coarrays.hpp"

namespace kumihimo::localview {

namespace {

// Whether bytes of both sections may be the same.
bool meet(const std::byte* a, const Extent& extent_a, const std::byte* b, const Extent& extent_b) {
    const auto at_a = reinterpret_cast<std::intptr_t>(a), at_b = reinterpret_cast<std::intptr_t>(b);
    return at_a + extent_a.before < at_b + extent_b.behind && at_b + extent_b.before < at_a + extent_a.behind;
}

void copy_apart(std::byte* to, const XMP_Section& to_shape, const std::byte* from, const XMP_Section& from_shape,
                std::size_t element_bytes) {
    copying::execute(paired(to_shape, from_shape, element_bytes).ascending(sets::End::from), to, from);
}

}  // namespace

bool empty(const XMP_Section& section) {
    for (int d = 0; d < section.rank; ++d)
        if (section.count[d] <= 0) return true;
    return false;
}

std::size_t elements(const XMP_Section& shape) {
    std::size_t count = 1;
    for (int d = 0; d < shape.rank; ++d) count *= static_cast<std::size_t>(shape.count[d]);
    return count;
}

void check_conforming(const XMP_Section& left, const XMP_Section& right) {
    if (right.rank == 0) return;
    if (left.rank != right.rank)
        throw base::Error(fmt::format("a section of {} is assigned to one of {}", base::counted(right.rank, "dimension"),
                                      base::counted(left.rank, "dimension")));
    for (int d = 0; d < left.rank; ++d)
        if (left.count[d] != right.count[d])
            throw base::Error(fmt::format("the sections differ in dimension {}: {} elements on the left, {} on the right",
                                          d + 1, left.count[d], right.count[d]),
                              "Sections are written base:length:step.");
}

void copy_bytes(std::byte* to, const std::byte* from, std::size_t bytes, bool may_overlap) {
    if (may_overlap)
        std::memmove(to, from, bytes);
    else
        copying::copy_run(to, from, bytes);
}

void copy_section(std::byte* to, const XMP_Section& to_shape, const std::byte* from, const XMP_Section& from_shape,
                  std::size_t element_bytes, bool may_overlap) {
    if (may_overlap && meet(to, extent_of(to_shape, element_bytes), from, extent_of(from_shape, element_bytes))) {
        std::vector<std::byte> copy(elements(from_shape) * element_bytes);
        XMP_Section between = dense(from_shape, copy.data(), element_bytes);
        copy_apart(copy.data(), between, from, from_shape, element_bytes);
        copy_apart(to, to_shape, copy.data(), between, element_bytes);
    } else {
        copy_apart(to, to_shape, from, from_shape, element_bytes);
    }
}

sets::Correspondence paired(const XMP_Section& to, const XMP_Section& from, std::size_t element_bytes) {
    const XMP_Section& shape = to.rank == 0 ? from : to;
    sets::PairedLevel levels[XMP_MAX_RANK];
    for (int d = 0; d < shape.rank; ++d)
        levels[d] = {shape.count[d], to.rank == 0 ? 0 : to.stride[d], from.rank == 0 ? 0 : from.stride[d]};
    return sets::Correspondence(static_cast<sets::Index>(element_bytes), {levels, static_cast<std::size_t>(shape.rank)});
}

XMP_Section dense(const XMP_Section& shape, std::byte* address, std::size_t element_bytes) {
    XMP_Section section = shape;
    section.address = address;
    auto stride = static_cast<XMP_Index>(element_bytes);
    for (int d = shape.rank - 1; d >= 0; --d) {
        section.stride[d] = stride;
        stride *= shape.count[d];
    }
    return section;
}

}  // namespace kumihimo::localview
