// Images that failed or stopped (Fortran 2018, 5.3.6, 11.5, 16.9.77, 16.9.98, 16.9.186).
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "base/error.hpp"
#include "runtime/caf/abi.hpp"
#include "runtime/caf/teams.hpp"
#include "runtime/execution/context.hpp"
#include "runtime/localview/failures.hpp"
#include "runtime/localview/image_control.hpp"
#include "runtime/program/end.hpp"

namespace kumihimo::caf {

namespace {

constexpr int default_kind = 4;

// Numbers in the team of those images that are absent for this reason.
std::vector<int> absent_images(const execution::NodeSet& team, localview::Absence reason) {
    localview::look_for_failures();
    localview::note_failures_told();
    std::vector<int> images;
    for (int number = 0; number < team.size(); ++number)
        if (localview::absence_of(team.world_rank(number)) == reason) images.push_back(number + 1);
    return images;
}

void* integers(const std::vector<int>& numbers, int kind) {
    auto* const memory = static_cast<unsigned char*>(std::calloc(numbers.size() + 1, static_cast<std::size_t>(kind)));
    if (memory == nullptr) throw base::Error("no memory for a list of images");
    for (std::size_t i = 0; i < numbers.size(); ++i)  // little-endian, as all machines that run this
        std::memcpy(memory + i * static_cast<std::size_t>(kind), &numbers[i],
                    std::min(sizeof(int), static_cast<std::size_t>(kind)));
    return memory;
}

// gfortran frees what the descriptor of a function's result is given.
void fill(Descriptor& list, const std::vector<int>& numbers, int kind) {
    list.base = integers(numbers, kind);
    list.type = {static_cast<std::size_t>(kind), 0, 1, static_cast<signed char>(BasicType::integer), 0};
    list.span = kind;
    list.offset = 0;
    list.dimension[0] = {1, 0, static_cast<std::ptrdiff_t>(numbers.size()) - 1};
}

void list_images(const char* name, Descriptor* list, Team** team, const int* kind, localview::Absence reason) {
    const XMP_Site site = {nullptr, 0, name};
    execution::guarded(
        &site, [&] { fill(*list, absent_images(images_of(given(team)), reason), kind == nullptr ? default_kind : *kind); });
}

}  // namespace

}  // namespace kumihimo::caf

using namespace kumihimo;
using namespace kumihimo::caf;

extern "C" void _gfortran_caf_failed_images(Descriptor* list, Team** team, const int* kind) {
    list_images("failed_images", list, team, kind, localview::Absence::failed);
}

extern "C" void _gfortran_caf_stopped_images(Descriptor* list, Team** team, const int* kind) {
    list_images("stopped_images", list, team, kind, localview::Absence::stopped);
}

extern "C" int _gfortran_caf_image_status(int image, Team** team) {
    static const XMP_Site site = {nullptr, 0, "image_status"};
    return execution::guarded(&site, [&]() -> int {
        const execution::NodeSet& set = images_of(given(team));
        const int node = localview::nodes_of_images(set, &image, 1, 1).front();
        localview::look_for_failures();
        localview::note_failures_told();
        switch (localview::absence_of(node)) {
            case localview::Absence::failed:
                return stat_failed_image;
            case localview::Absence::stopped:
                return stat_stopped_image;
            case localview::Absence::none:
                break;
        }
        return stat_success;
    });
}

// The process stays until the others have ended, so that no launcher takes its end for that of the job.
extern "C" void _gfortran_caf_fail_image() {
    localview::fail();
    program::note_normal_termination();
    std::exit(EXIT_SUCCESS);
}
