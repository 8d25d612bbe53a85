// Coindexed objects that are more than a section of a coarray (reference.hpp): get_by_ref, send_by_ref, sendget_by_ref and what
// of them is allocated.
#include <cstdlib>
#include <utility>

#include "base/format.hpp"
#include "runtime/caf/plain.hpp"
#include "runtime/caf/reference.hpp"
#include "runtime/caf/remote_memory.hpp"

namespace kumihimo::caf {

namespace {

// Of one element that lies in the block itself: its place there and its bytes.
struct InBlock {
    std::size_t offset, bytes;
};

inline bool lies_in_block(const Reference* reference, InBlock& element) {
    element.offset = 0;
    for (; reference != nullptr; reference = reference->next) {
        if (reference->kind == ReferenceKind::component) {
            if (reference->component.token_offset != 0) return false;
            element.offset += static_cast<std::size_t>(reference->component.offset);
        } else if (reference->kind == ReferenceKind::static_array) {
            for (int d = 0; d < most_rank && reference->array.mode[d] != SubscriptMode::none; ++d) {
                if (reference->array.mode[d] != SubscriptMode::single) return false;
                element.offset += static_cast<std::size_t>(reference->array.dimension[d].range.start) * reference->item_bytes;
            }
        } else {
            return false;
        }
        element.bytes = reference->item_bytes;
    }
    return true;
}

// Where that element is mapped, if nothing is to be converted; else null.
inline char* mapped_element(const Token& token, int image, const Reference* reference, int kind, int type,
                            const Descriptor& here, int here_kind) {
    InBlock element{0, 0};
    if (here.type.rank != 0 || kind != here_kind || here.type.type != type || !lies_in_block(reference, element))
        return nullptr;
    return element.bytes == here.type.element_bytes ? mapped(token, element.offset, image, element.bytes) : nullptr;
}

bool has_shape(const Descriptor& descriptor, const std::vector<std::int64_t>& shape) {
    for (std::size_t d = 0; d < shape.size(); ++d)
        if (descriptor.dimension[d].upper - descriptor.dimension[d].lower + 1 != shape[d]) return false;
    return descriptor.base != nullptr;
}

// Bounds from 1 on, without gaps. Returns the elements.
std::size_t set_shape(Descriptor& descriptor, const std::vector<std::int64_t>& shape, std::size_t element_bytes) {
    std::int64_t elements = 1;
    descriptor.offset = 0;
    for (std::size_t d = 0; d < shape.size(); ++d) {
        descriptor.dimension[d] = {elements, 1, shape[d]};
        descriptor.offset -= elements;
        elements *= shape[d];
    }
    descriptor.type.element_bytes = element_bytes;
    descriptor.span = static_cast<std::ptrdiff_t>(element_bytes);
    return static_cast<std::size_t>(elements);
}

// An allocatable variable, or gfortran's place for a value, gets the shape of what is assigned to it.
void reallocate(Descriptor& to, const Part& from) {
    const bool fits = static_cast<std::size_t>(to.type.rank) == from.shape.size();
    if (!fits || (to.type.rank == 0 ? to.base != nullptr : has_shape(to, from.shape))) return;
    const std::size_t bytes = to.type.element_bytes != 0 ? to.type.element_bytes : from.side.elements.type().bytes;
    const std::size_t all = bytes * set_shape(to, from.shape, bytes);
    void* const memory = std::realloc(to.base, all > 0 ? all : 1);
    if (memory == nullptr) throw base::Error(fmt::format("no memory for a value of {}", base::bytes_text(all)));
    to.base = memory;
}

void get_by_reference(const Token& token, int image, Descriptor& to, const Reference* reference, int to_kind, int from_kind,
                      bool reallocatable, int from_type) {
    Part from = follow(token, image, reference, static_cast<BasicType>(from_type), from_kind);
    if (reallocatable || to.base == nullptr) reallocate(to, from);
    assign(side_here(to, to_kind), from.side);
}

std::vector<std::int64_t> shape_of(const Descriptor& descriptor) {
    std::vector<std::int64_t> shape;
    for (int d = 0; d < descriptor.type.rank; ++d)
        shape.push_back(std::max<std::int64_t>(descriptor.dimension[d].upper - descriptor.dimension[d].lower + 1, 0));
    return shape;
}

// An allocatable component of this image gets the shape of what is assigned to it.
void reallocate_here(const Whole& whole, const Descriptor& from) {
    const auto renew = [&](void* old, std::size_t bytes) {
        if (old != nullptr) free_component(old);
        return *whole.token = allocate_component(bytes);
    };
    if (!whole.array) {
        void** const address = static_cast<void**>(whole.holder);
        if (*address == nullptr) *address = renew(nullptr, from.type.element_bytes);
        return;
    }
    Descriptor& to = *static_cast<Descriptor*>(whole.holder);
    const std::vector<std::int64_t> shape = shape_of(from);
    if (from.type.rank == 0 || shape.size() != static_cast<std::size_t>(to.type.rank) || has_shape(to, shape)) return;
    const std::size_t bytes = to.type.element_bytes != 0 ? to.type.element_bytes : from.type.element_bytes;
    to.base = renew(to.base, bytes * set_shape(to, shape, bytes));
}

void send_by_reference(const Token& token, int image, const Descriptor& from, const Reference* reference, int to_kind,
                       int from_kind, bool reallocatable, int to_type) {
    if (reallocatable)
        if (const auto whole = whole_here(token, image, reference)) reallocate_here(*whole, from);
    const Part to = follow(token, image, reference, static_cast<BasicType>(to_type), to_kind);
    assign(to.side, side_here(from, from_kind));
}

}  // namespace

}  // namespace kumihimo::caf

using namespace kumihimo;
using namespace kumihimo::caf;

extern "C" void _gfortran_caf_get_by_ref(const Token* token, int image, Descriptor* to, const Reference* references,
                                         int to_kind, int from_kind, bool /*may_require_tmp*/, bool to_reallocatable, int* stat,
                                         int from_type) {
    if (to->base != nullptr)
        if (const char* const source = mapped_element(*token, image, references, from_kind, from_type, *to, to_kind)) {
            copy_plain(to->base, source, to->type.element_bytes);
            return succeed(stat, image);
        }
    static const XMP_Site site = {nullptr, 0, "a reference to a part of a coarray of another image"};
    statement(site, stat, image,
              [&] { get_by_reference(*token, image, *to, references, to_kind, from_kind, to_reallocatable, from_type); });
}

extern "C" void _gfortran_caf_send_by_ref(const Token* token, int image, const Descriptor* from, const Reference* references,
                                          int to_kind, int from_kind, bool /*may_require_tmp*/, bool to_reallocatable,
                                          int* stat, int to_type) {
    if (char* const target = mapped_element(*token, image, references, to_kind, to_type, *from, from_kind)) {
        copy_plain(target, from->base, from->type.element_bytes);
        return succeed(stat, image);
    }
    static const XMP_Site site = {nullptr, 0, "an assignment to a part of a coarray of another image"};
    assignment(site, stat, image,
               [&] { send_by_reference(*token, image, *from, references, to_kind, from_kind, to_reallocatable, to_type); });
}

extern "C" void _gfortran_caf_sendget_by_ref(const Token* to_token, int to_image, const Reference* to_references,
                                             const Token* from_token, int from_image, const Reference* from_references,
                                             int to_kind, int from_kind, bool /*may_require_tmp*/, int* to_stat, int* from_stat,
                                             int to_type, int from_type) {
    static const XMP_Site site = {nullptr, 0, "an assignment of parts of coarrays from image to image"};
    succeed(to_stat, to_image);
    statement(site, from_stat, from_image, [&] {
        const Part from = follow(*from_token, from_image, from_references, static_cast<BasicType>(from_type), from_kind);
        statement(site, to_stat, to_image, [&] {
            assign(follow(*to_token, to_image, to_references, static_cast<BasicType>(to_type), to_kind).side, from.side);
        });
    });
}

extern "C" int _gfortran_caf_is_present(const Token* token, int image, const Reference* references) {
    static const XMP_Site site = {nullptr, 0, "an inquiry about a component of another image"};
    return execution::guarded(&site, [&] { return is_present(*token, image, references) ? 1 : 0; });
}
