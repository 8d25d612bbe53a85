#include "runtime/caf/teams.hpp"

#include <mpi.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "base/error.hpp"
#include "base/format.hpp"
#include "kumihimo/localview.h"
#include "runtime/localview/image_control.hpp"

namespace kumihimo::caf {

namespace {

using execution::Context;
using execution::NodeSet;

constexpr int initial_team_number = -1;

// Those that CHANGE TEAM has entered, the innermost last.
std::vector<Team*>& entered() {
    static auto& teams = *new std::vector<Team*>;
    return teams;
}

// What FORM TEAM tells of an image: its team's number and its own index there, 0 where the program gives none.
std::int64_t packed(int team, int index) {
    return static_cast<std::int64_t>(team) << 32 | index;
}

int team_in(std::int64_t packed) {
    return static_cast<int>(packed >> 32);
}

int index_in(std::int64_t packed) {
    return static_cast<int>(packed & 0xffffffff);
}

// Images with the same number; those with an index stand at it, the others in their order where there is room (11.6.9).
std::vector<int> members(const NodeSet& parent, const std::vector<std::optional<std::int64_t>>& told, int number) {
    std::vector<std::pair<int, int>> indexed;
    std::vector<int> others;
    for (int image = 0; image < parent.size(); ++image) {
        const auto& one = told[static_cast<std::size_t>(image)];
        if (!one || team_in(*one) != number) continue;
        if (index_in(*one) > 0)
            indexed.emplace_back(index_in(*one), parent.world_rank(image));
        else
            others.push_back(parent.world_rank(image));
    }
    std::sort(indexed.begin(), indexed.end());
    const std::size_t count = indexed.size() + others.size();
    for (std::size_t i = 0; i < indexed.size(); ++i)
        if (static_cast<std::size_t>(indexed[i].first) > count || (i > 0 && indexed[i].first == indexed[i - 1].first))
            throw base::Error(fmt::format("the new index {} in team {}, which gets {}", indexed[i].first, number,
                                          base::counted(count, "image")),
                              "New indices are different from each other, and at most as many as the team has images.");
    for (const auto& [index, node] : indexed) others.insert(others.begin() + (index - 1), node);
    return others;
}

Team* form(int number, int index) {
    if (number <= 0) throw base::Error(fmt::format("a team with the number {}", number), "Numbers of teams are positive.");
    const NodeSet& parent = *Context::get().executing_now();
    const auto told = localview::exchange(parent, packed(number, index));
    return new Team{Context::get().intern(members(parent, told, number)), number};
}

// Without a status: gfortran gives none to CHANGE TEAM, END TEAM and SYNC TEAM. Failed images are passed over.
void synchronise(const NodeSet& images) {
    if (localview::sync_all(images) == localview::Absence::stopped)
        throw base::Error("an image of the team has stopped", "Stop images where no other image waits for them.");
}

void change(Team* team) {
    if (team == nullptr) throw base::Error("a team variable that FORM TEAM has not defined");
    Context::get().push(team->images);
    entered().push_back(team);
    synchronise(*team->images);
}

void end() {
    if (entered().empty()) throw base::Error("END TEAM without CHANGE TEAM");
    Team& team = *entered().back();
    while (!team.allocated.empty()) deallocate_of_team(team.allocated.front());
    synchronise(*team.images);
    entered().pop_back();
    Context::get().pop();
}

}  // namespace

const NodeSet& images_of(const Team* team) {
    return team == nullptr ? *Context::get().executing_now() : *team->images;
}

int selected_in(const Team* team, int image) {
    const NodeSet& images = images_of(team);
    if (image < 1 || image > images.size())
        throw base::Error(
            fmt::format("there is no image {} in that team, which has {}", image, base::counted(images.size(), "image")));
    const int node = images.world_rank(image - 1);
    const int current = Context::get().executing_now()->number_of(node);
    return current < 0 ? XMP_FIRST_OTHER_IMAGE + node : current + 1;
}

void note_allocation(Token* token) {
    if (!entered().empty()) entered().back()->allocated.push_front(token);
}

void note_deallocation(Token* token) {
    for (Team* const team : entered()) team->allocated.remove(token);
}

}  // namespace kumihimo::caf

using namespace kumihimo;
using namespace kumihimo::caf;
using execution::guarded;

extern "C" void _gfortran_caf_form_team(int number, Team** team, int index) {
    static const XMP_Site site = {nullptr, 0, "form team"};
    guarded(&site, [&] { *team = form(number, index); });
}

extern "C" void _gfortran_caf_change_team(Team** team, int /*coselector*/) {
    static const XMP_Site site = {nullptr, 0, "change team"};
    guarded(&site, [&] { change(*team); });
}

extern "C" void _gfortran_caf_end_team(Team** /*team*/) {
    static const XMP_Site site = {nullptr, 0, "end team"};
    guarded(&site, [&] { end(); });
}

extern "C" void _gfortran_caf_sync_team(Team** team, int /*unused*/) {
    static const XMP_Site site = {nullptr, 0, "sync team"};
    guarded(&site, [&] { synchronise(images_of(*team)); });
}

extern "C" int _gfortran_caf_team_number(const Team* team) {
    if (team != nullptr) return team->number;
    return entered().empty() ? initial_team_number : entered().back()->number;
}

// For image selectors with TEAM=, which gfortran 12 does not pass on when it gets.
extern "C" int XMP_Image_in_team(Team** team, int image) {
    static const XMP_Site site = {nullptr, 0, "an image selector with TEAM"};
    return guarded(&site, [&] { return selected_in(*team, image); });
}

// For programs that call MPI by themselves: the current team's, in Fortran's form.
extern "C" int _gfortran_caf_get_communicator(Team** team) {
    static const XMP_Site site = {nullptr, 0, "the communicator of a team"};
    return guarded(&site, [&]() -> int { return MPI_Comm_c2f(images_of(given(team)).communicator()); });
}
