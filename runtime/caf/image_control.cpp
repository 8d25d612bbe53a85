// Image control (Fortran 2018, 11.6): all images, some of them, or this one's memory only.
#include "runtime/caf/image_control.hpp"

#include <cstdint>
#include <cstring>
#include <utility>

#include "runtime/execution/context.hpp"
#include "runtime/localview/failures.hpp"

namespace kumihimo::caf {

void report(const Outcome& outcome, localview::Absence absence) {
    if (absence == localview::Absence::none) return outcome.success();
    outcome.report(localview::Missing(absence));
}

namespace {

bool forgives = false;

// gfortran (12 and others) gives the SYNC statements not the address of errmsg=, but that of a pointer to it. No text has an
// address's two zero bytes at its end.
char* message_of(char* given) {
    std::uintptr_t value = 0;
    if (given == nullptr || reinterpret_cast<std::uintptr_t>(given) % alignof(char*) != 0) return given;
    std::memcpy(&value, given, sizeof value);
    constexpr std::uintptr_t first_page_end = 4096, address_bits = 48;
    return value >= first_page_end && value >> address_bits == 0 ? reinterpret_cast<char*>(value) : given;
}

constexpr int all_images = -1;  // gfortran's count of `sync images (*)`

std::vector<int> nodes_named(int count, const int* images) {
    const execution::NodeSetPointer team = localview::take_image_set();
    return count == all_images ? team->world_ranks() : localview::nodes_of_images(*team, images, count, 1);
}

}  // namespace

void forgive_next_sync_all() {
    forgives = true;
}

}  // namespace kumihimo::caf

using namespace kumihimo;
using namespace kumihimo::caf;

extern "C" void _gfortran_caf_sync_all(int* stat, char* message, std::size_t length) {
    static const XMP_Site site = {nullptr, 0, "sync all"};
    const bool forgiven = std::exchange(forgives, false) && stat == nullptr;
    execution::guarded(&site, [&] {
        const localview::Absence absence = localview::sync_all(*localview::take_image_set());
        if (!forgiven) report(Outcome{stat, message_of(message), length}, absence);
    });
}

extern "C" void _gfortran_caf_sync_images(int count, int* images, int* stat, char* message, std::size_t length) {
    static const XMP_Site site = {nullptr, 0, "sync images"};
    execution::guarded(&site, [&] {
        const Outcome outcome{stat, message_of(message), length};
        outcome.of([&] {
            try {
                report(outcome, localview::sync_images(nodes_named(count, images)));
            } catch (const localview::DuplicateImage& error) {
                outcome.report(stat_duplicate_image, error);
            }
        });
    });
}

extern "C" void _gfortran_caf_sync_memory(int* stat, char* message, std::size_t length) {
    if (stat == nullptr && localview::sync_memory_by_fence()) return;
    static const XMP_Site site = {nullptr, 0, "sync memory"};
    execution::guarded(&site, [&] {
        localview::sync_memory();
        Outcome{stat, message_of(message), length}.success();
    });
}
