// The fast way of an access: bytes of one type without gaps, of an image whose memory is mapped here. No call but memcpy's, no
// exceptions, nothing allocated.
#pragma once

#include <cstdint>
#include <cstring>

#include "copying/run.hpp"
#include "kumihimo/localview.h"
#include "runtime/caf/assignment.hpp"

namespace kumihimo::caf {

// The bytes of the elements of a descriptor that has no gaps; 0 for others. One of no elements counts as one with gaps.
inline std::size_t run_of(const Descriptor& descriptor) {
    std::size_t bytes = descriptor.type.element_bytes;
    if (descriptor.type.rank == 0) return bytes;
    if (descriptor.span != static_cast<std::ptrdiff_t>(bytes)) return 0;
    std::ptrdiff_t elements = 1;
    for (int d = 0; d < descriptor.type.rank; ++d) {
        const DescriptorDimension& dimension = descriptor.dimension[d];
        if (dimension.stride != elements || dimension.upper < dimension.lower) return 0;
        elements *= dimension.upper - dimension.lower + 1;
    }
    return bytes * static_cast<std::size_t>(elements);
}

// The bytes that a copy of `from` to `to` takes, if it is nothing but that; else 0.
inline std::size_t plain_run(const Descriptor& to, int to_kind, const Descriptor& from, int from_kind) {
    if (to.type.type != from.type.type || to_kind != from_kind || to.type.element_bytes != from.type.element_bytes) return 0;
    const std::size_t bytes = run_of(to);
    return run_of(from) == bytes ? bytes : 0;
}

// Where a run of bytes of an image's block is mapped, or null.
inline char* mapped(const Token& token, std::size_t offset, int image, std::size_t bytes) {
    const auto index = static_cast<unsigned>(image) - 1;
    if (index >= static_cast<unsigned>(XMP_current_images.count)) return nullptr;
    if (bytes > token.bytes || offset > token.bytes - bytes) return nullptr;
    char* const block = token.direct[XMP_current_images.node[index]];
    return block == nullptr ? nullptr : block + offset;
}

inline void copy_plain(void* to, const void* from, std::size_t bytes) {
    const auto distance = reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(from);
    if (bytes <= copying::short_run || distance + bytes < 2 * bytes)
        std::memmove(to, from, bytes);
    else
        copying::copy_run(static_cast<std::byte*>(to), static_cast<const std::byte*>(from), bytes);
}

// The bytes of a copy that one register does: of one number, of the same type on both sides; else 0.
inline std::size_t plain_word(const Descriptor& to, int to_kind, const Descriptor& from, int from_kind) {
    const std::size_t bytes = to.type.element_bytes;
    if ((to.type.rank | from.type.rank) != 0 || to.type.type != from.type.type || to_kind != from_kind) return 0;
    return bytes == from.type.element_bytes && (bytes == 8 || bytes == 4) ? bytes : 0;
}

inline void copy_word(void* to, const void* from, std::size_t bytes) {
    if (bytes == 8)
        std::memcpy(to, from, 8);
    else
        std::memcpy(to, from, 4);
}

inline void succeed(int* stat, int image) {
    if (stat != nullptr) *stat = status_of(image);
}

}  // namespace kumihimo::caf
