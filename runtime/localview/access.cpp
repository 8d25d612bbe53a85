// Get and put (specification 5.7.2; decisions COA-10, COA-15): a copy where the image is mapped, else the transport's business.
#include <atomic>
#include <cstring>

#include "runtime/localview/coarrays.hpp"
#include "runtime/localview/races.hpp"
#include "runtime/localview/remote.hpp"
#include "runtime/localview/sections.hpp"

namespace kumihimo::localview {

namespace {

sets::Correspondence run_of(std::size_t bytes) {
    return sets::Correspondence(static_cast<sets::Index>(bytes));
}

Place locate_run(const XMP_Coarray* coarray, long long image, const void* mine, std::size_t bytes) {
    return locate(coarray, image, mine, Extent{0, static_cast<std::ptrdiff_t>(bytes)});
}

// With --check only: its sections are long.
[[gnu::cold, gnu::noinline]] void note_run(const XMP_Site* site, const Place& place, Use there, const std::byte* here,
                                           std::size_t bytes) {
    note_remote(site, there, place, XMP_Section{}, bytes);
    note_local(site, there == Use::read ? Use::write : Use::read, XMP_Section{const_cast<std::byte*>(here), 0, {}, {}}, bytes);
}

void get_run(const XMP_Site* site, const XMP_Coarray* coarray, long long image, const void* mine, std::byte* to,
             std::size_t bytes) {
    const Place place = locate_run(coarray, image, mine, bytes);
    if (execution::checking) note_run(site, place, Use::read, to, bytes);
    if (place.direct != nullptr)
        copy_bytes(to, place.direct, bytes, place.mine());
    else
        remote_get(place, to, run_of(bytes));
}

// Programs wait for the last element of what is put to them and then set it back (figure 2 of the paper on coarrays): it
// is stored after all others, and once.
void copy_in_order(std::byte* to, const std::byte* from, std::size_t bytes) {
    constexpr std::size_t last_bytes = 8;
    const std::size_t before = bytes > last_bytes ? bytes - last_bytes : 0;
    if (before > 0) copy_bytes(to, from, before, false);
    std::atomic_thread_fence(std::memory_order_release);
    std::memcpy(to + before, from + before, bytes - before);
}

void put_run(const XMP_Site* site, const XMP_Coarray* coarray, long long image, const void* mine, const std::byte* from,
             std::size_t bytes) {
    const Place place = locate_run(coarray, image, mine, bytes);
    if (execution::checking) note_run(site, place, Use::write, from, bytes);
    if (place.direct == nullptr)
        remote_put(place, from, run_of(bytes));
    else if (place.mine())
        copy_bytes(place.direct, from, bytes, true);
    else
        copy_in_order(place.direct, from, bytes);
}

// One remote element to all of a section here.
void get_one(const Place& place, const XMP_Section& to, std::size_t element_bytes) {
    std::vector<std::byte> element(element_bytes);
    if (place.direct != nullptr)
        copy_bytes(element.data(), place.direct, element_bytes, false);
    else
        remote_get(place, element.data(), run_of(element_bytes));
    static const XMP_Section source = {};
    copy_section(static_cast<std::byte*>(to.address), to, element.data(), source, element_bytes, false);
}

void get(const XMP_Site* site, const XMP_Coarray* coarray, long long image, const XMP_Section& remote, const XMP_Section& to,
         std::size_t element_bytes) {
    check_conforming(to, remote);
    if (empty(to)) return;
    const Place place = locate(coarray, image, remote.address, extent_of(remote, element_bytes));
    note_remote(site, Use::read, place, remote, element_bytes);
    note_local(site, Use::write, to, element_bytes);
    if (remote.rank == 0)
        get_one(place, to, element_bytes);
    else if (place.direct != nullptr)
        copy_section(static_cast<std::byte*>(to.address), to, place.direct, remote, element_bytes, place.mine());
    else
        remote_get(place, static_cast<std::byte*>(to.address), paired(to, remote, element_bytes));
}

void put(const XMP_Site* site, const XMP_Coarray* coarray, long long image, const XMP_Section& remote, const XMP_Section& from,
         std::size_t element_bytes) {
    check_conforming(remote, from);
    if (empty(remote)) return;
    const Place place = locate(coarray, image, remote.address, extent_of(remote, element_bytes));
    note_remote(site, Use::write, place, remote, element_bytes);
    note_local(site, Use::read, from, element_bytes);
    const auto* const source = static_cast<const std::byte*>(from.address);
    if (place.direct != nullptr)
        copy_section(place.direct, remote, source, from, element_bytes, place.mine());
    else
        remote_put(place, source, paired(remote, from, element_bytes));
}

}  // namespace

}  // namespace kumihimo::localview

using namespace kumihimo;
using execution::guarded;

void XMP_Get_run(const XMP_Site* site, const XMP_Coarray* coarray, long long image, const void* mine, void* to, size_t bytes) {
    guarded(site, [&] { localview::get_run(site, coarray, image, mine, static_cast<std::byte*>(to), bytes); });
}

void XMP_Put_run(const XMP_Site* site, const XMP_Coarray* coarray, long long image, void* mine, const void* from,
                 size_t bytes) {
    guarded(site, [&] { localview::put_run(site, coarray, image, mine, static_cast<const std::byte*>(from), bytes); });
}

void XMP_Get(const XMP_Site* site, const XMP_Coarray* coarray, long long image, const XMP_Section* remote,
             const XMP_Section* to, size_t element_bytes) {
    guarded(site, [&] { localview::get(site, coarray, image, *remote, *to, element_bytes); });
}

void XMP_Put(const XMP_Site* site, const XMP_Coarray* coarray, long long image, const XMP_Section* remote,
             const XMP_Section* from, size_t element_bytes) {
    guarded(site, [&] { localview::put(site, coarray, image, *remote, *from, element_bytes); });
}
