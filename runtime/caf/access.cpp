// Coindexed objects as sections of coarrays: get, send and sendget (Fortran 2018, 9.6). What is simply memory of this process,
// of one type on both sides, is copied at once; everything else by the rules of an assignment.
#include <cstring>

#include "runtime/caf/assignment.hpp"
#include "runtime/execution/guard.hpp"
#include "runtime/globalview/strided_copy.hpp"

namespace kumihimo::caf {

namespace {

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

// From here on globalview::copy_run may know better than memcpy.
constexpr std::size_t long_run = 4096;

inline void copy_plain(void* to, const void* from, std::size_t bytes) {
    if (bytes == 8) {
        std::memcpy(to, from, 8);
    } else if (bytes == 4) {
        std::memcpy(to, from, 4);
    } else {
        const auto distance = reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(from);
        if (bytes < long_run || distance + bytes < 2 * bytes)
            std::memmove(to, from, bytes);
        else
            globalview::copy_run(static_cast<std::byte*>(to), static_cast<const std::byte*>(from), bytes);
    }
}

inline void succeed(int* stat) {
    if (stat != nullptr) *stat = stat_success;
}

template <typename Body>
void statement(const XMP_Site& site, int* stat, Body&& body) {
    execution::guarded(&site, [&] {
        const Outcome outcome{stat, nullptr, 0};
        outcome.of([&] {
            body();
            outcome.success();
        });
    });
}

Side side_on_image(const Token& token, std::size_t offset, int image, const Descriptor& descriptor, int kind,
                   const VectorSubscript* subscripts) {
    Elements elements = elements_of(descriptor, kind, subscripts);
    const Place place = locate(token, offset, image, elements);
    return {place, std::move(elements)};
}

Side side_here(const Descriptor& descriptor, int kind) {
    return {memory_here(descriptor.base), elements_of(descriptor, kind, nullptr)};
}

// In functions of their own, so that the fast way needs no stack.
[[gnu::noinline, gnu::cold]] void get(const Token* token, std::size_t offset, int image, const Descriptor* from,
                                      const VectorSubscript* subscripts, const Descriptor* to, int from_kind, int to_kind,
                                      int* stat) {
    static const XMP_Site site = {nullptr, 0, "a reference to a coarray of another image"};
    statement(site, stat,
              [&] { assign(side_here(*to, to_kind), side_on_image(*token, offset, image, *from, from_kind, subscripts)); });
}

[[gnu::noinline, gnu::cold]] void send(const Token* token, std::size_t offset, int image, const Descriptor* to,
                                       const VectorSubscript* subscripts, const Descriptor* from, int to_kind, int from_kind,
                                       int* stat) {
    static const XMP_Site site = {nullptr, 0, "an assignment to a coarray of another image"};
    statement(site, stat,
              [&] { assign(side_on_image(*token, offset, image, *to, to_kind, subscripts), side_here(*from, from_kind)); });
}

}  // namespace

}  // namespace kumihimo::caf

using namespace kumihimo;
using namespace kumihimo::caf;

extern "C" void _gfortran_caf_get(const Token* token, std::size_t offset, int image, const Descriptor* from,
                                  const VectorSubscript* subscripts, const Descriptor* to, int from_kind, int to_kind,
                                  bool /*may_require_tmp*/, int* stat) {
    if (subscripts == nullptr)
        if (const std::size_t bytes = plain_run(*to, to_kind, *from, from_kind))
            if (const char* const source = mapped(*token, offset, image, bytes)) {
                copy_plain(to->base, source, bytes);
                return succeed(stat);
            }
    get(token, offset, image, from, subscripts, to, from_kind, to_kind, stat);
}

extern "C" void _gfortran_caf_send(const Token* token, std::size_t offset, int image, const Descriptor* to,
                                   const VectorSubscript* subscripts, const Descriptor* from, int to_kind, int from_kind,
                                   bool /*may_require_tmp*/, int* stat) {
    if (subscripts == nullptr)
        if (const std::size_t bytes = plain_run(*to, to_kind, *from, from_kind))
            if (char* const target = mapped(*token, offset, image, bytes)) {
                copy_plain(target, from->base, bytes);
                return succeed(stat);
            }
    send(token, offset, image, to, subscripts, from, to_kind, from_kind, stat);
}

extern "C" void _gfortran_caf_sendget(const Token* to_token, std::size_t to_offset, int to_image, const Descriptor* to,
                                      const VectorSubscript* to_subscripts, const Token* from_token, std::size_t from_offset,
                                      int from_image, const Descriptor* from, const VectorSubscript* from_subscripts,
                                      int to_kind, int from_kind, bool /*may_require_tmp*/, int* stat) {
    static const XMP_Site site = {nullptr, 0, "an assignment from image to image"};
    statement(site, stat, [&] {
        assign(side_on_image(*to_token, to_offset, to_image, *to, to_kind, to_subscripts),
               side_on_image(*from_token, from_offset, from_image, *from, from_kind, from_subscripts));
    });
}
