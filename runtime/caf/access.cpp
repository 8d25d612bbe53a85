// Coindexed objects as sections of coarrays: get, send and sendget (Fortran 2018, 9.6). What is simply memory of this process,
// of one type on both sides, is copied at once; everything else by the rules of an assignment.
#include <cstddef>
#include <cstring>

#include "runtime/caf/assignment.hpp"
#include "runtime/caf/plain.hpp"
#include "runtime/caf/teams.hpp"

namespace kumihimo::caf {

namespace {

// gfortran 11 describes a text of deferred length elsewhere by a length that it has not set; the variable here has that of all.
Descriptor with_known_length(const Descriptor& described, const Token& token) {
    Descriptor known;
    std::memcpy(&known, &described,
                offsetof(Descriptor, dimension) + static_cast<std::size_t>(described.type.rank) * sizeof(DescriptorDimension));
    const std::size_t length = described.type.element_bytes;
    const bool text = static_cast<BasicType>(described.type.type) == BasicType::character;
    if (text && (length == 0 || length > token.bytes) && token.registration == Registration::allocatable_coarray)
        known.type.element_bytes = token.descriptor->type.element_bytes;
    return known;
}

Side side_on_image(const Token& token, std::size_t offset, int image, const Descriptor& descriptor, int kind,
                   const VectorSubscript* subscripts) {
    Elements elements = elements_of(with_known_length(descriptor, token), kind, subscripts);
    const Place place = place_in(token, offset, image);
    check_inside(token, offset, image, elements);
    return {place, std::move(elements)};
}

// Three ways, each in a function of its own, so that the fastest needs little stack: a number, a run of bytes, anything.
[[gnu::noinline, gnu::cold]] void get(const Token* token, std::size_t offset, int image, const Descriptor* from,
                                      const VectorSubscript* subscripts, const Descriptor* to, int from_kind, int to_kind,
                                      int* stat) {
    static const XMP_Site site = {nullptr, 0, "a reference to a coarray of another image"};
    statement(site, stat, image,
              [&] { assign(side_here(*to, to_kind), side_on_image(*token, offset, image, *from, from_kind, subscripts)); });
}

[[gnu::noinline, gnu::cold]] void send(const Token* token, std::size_t offset, int image, const Descriptor* to,
                                       const VectorSubscript* subscripts, const Descriptor* from, int to_kind, int from_kind,
                                       int* stat) {
    static const XMP_Site site = {nullptr, 0, "an assignment to a coarray of another image"};
    assignment(site, stat, image,
               [&] { assign(side_on_image(*token, offset, image, *to, to_kind, subscripts), side_here(*from, from_kind)); });
}

[[gnu::noinline]] void get_run(const Token* token, std::size_t offset, int image, const Descriptor* from,
                               const VectorSubscript* subscripts, const Descriptor* to, int from_kind, int to_kind, int* stat) {
    if (subscripts == nullptr)
        if (const std::size_t bytes = plain_run(*to, to_kind, *from, from_kind))
            if (const char* const source = mapped(*token, offset, image, bytes)) {
                copy_plain(to->base, source, bytes);
                return succeed(stat, image);
            }
    get(token, offset, image, from, subscripts, to, from_kind, to_kind, stat);
}

[[gnu::noinline]] void send_run(const Token* token, std::size_t offset, int image, const Descriptor* to,
                                const VectorSubscript* subscripts, const Descriptor* from, int to_kind, int from_kind,
                                int* stat) {
    if (subscripts == nullptr)
        if (const std::size_t bytes = plain_run(*to, to_kind, *from, from_kind))
            if (char* const target = mapped(*token, offset, image, bytes)) {
                copy_plain(target, from->base, bytes);
                return succeed(stat, image);
            }
    send(token, offset, image, to, subscripts, from, to_kind, from_kind, stat);
}

[[gnu::noinline, gnu::cold]] int image_in(Team** team, int image) {
    static const XMP_Site site = {nullptr, 0, "an assignment to a coarray of another image"};
    return execution::guarded(&site, [&] { return selected_in(*team, image); });
}

}  // namespace

}  // namespace kumihimo::caf

using namespace kumihimo;
using namespace kumihimo::caf;

extern "C" void _gfortran_caf_get(const Token* token, std::size_t offset, int image, const Descriptor* from,
                                  const VectorSubscript* subscripts, const Descriptor* to, int from_kind, int to_kind,
                                  bool /*may_require_tmp*/, int* stat) {
    if (subscripts == nullptr)
        if (const std::size_t bytes = plain_word(*to, to_kind, *from, from_kind))
            if (const char* const source = mapped(*token, offset, image, bytes)) {
                copy_word(to->base, source, bytes);
                return succeed(stat, image);
            }
    get_run(token, offset, image, from, subscripts, to, from_kind, to_kind, stat);
}

extern "C" void _gfortran_caf_send(const Token* token, std::size_t offset, int image, const Descriptor* to,
                                   const VectorSubscript* subscripts, const Descriptor* from, int to_kind, int from_kind,
                                   bool /*may_require_tmp*/, int* stat, Team** team) {
    if (team != nullptr) image = image_in(team, image);
    if (subscripts == nullptr)
        if (const std::size_t bytes = plain_word(*to, to_kind, *from, from_kind))
            if (char* const target = mapped(*token, offset, image, bytes)) {
                copy_word(target, from->base, bytes);
                return succeed(stat, image);
            }
    send_run(token, offset, image, to, subscripts, from, to_kind, from_kind, stat);
}

extern "C" void _gfortran_caf_sendget(const Token* to_token, std::size_t to_offset, int to_image, const Descriptor* to,
                                      const VectorSubscript* to_subscripts, const Token* from_token, std::size_t from_offset,
                                      int from_image, const Descriptor* from, const VectorSubscript* from_subscripts,
                                      int to_kind, int from_kind, bool /*may_require_tmp*/, int* stat) {
    static const XMP_Site site = {nullptr, 0, "an assignment from image to image"};
    statement(site, stat, from_image, [&] {
        if (stat != nullptr && (*stat = status_of(to_image)) != stat_success) return;
        assign(side_on_image(*to_token, to_offset, to_image, *to, to_kind, to_subscripts),
               side_on_image(*from_token, from_offset, from_image, *from, from_kind, from_subscripts));
    });
}
