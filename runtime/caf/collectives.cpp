// The collective subroutines (Fortran 2018, 16.9.46 to 16.9.50) on the images of the current team: where they all reach each
// other's memory by desks, else by messages. Values are combined in the order of the images, so the result is the same
// everywhere and in every run.
#include <algorithm>
#include <cstring>
#include <utility>

#include "base/error.hpp"
#include "base/format.hpp"
#include "runtime/caf/bytes.hpp"
#include "runtime/caf/combining.hpp"
#include "runtime/caf/image_control.hpp"
#include "runtime/execution/context.hpp"
#include "runtime/localview/desks.hpp"
#include "runtime/localview/far_collectives.hpp"

namespace kumihimo::caf {

namespace {

using execution::Context;
using execution::NodeSet;
using execution::NodeSetPointer;
using localview::place_bytes;
using localview::Steps;

// ---- through desks ----

constexpr std::size_t most_for_all = 4096;  // bytes that everybody combines; of longer ones each combines a share
constexpr int everybody = -1;               // who gets the result

void combine_members(Steps& steps, std::byte* into, const Combining& combining, int members, std::size_t first,
                     std::size_t count, std::size_t element_bytes) {
    std::memcpy(into, steps.await(0) + first * element_bytes, count * element_bytes);
    for (int member = 1; member < members; ++member)
        combining.combine(into, steps.await(member) + first * element_bytes, count);
}

void reduce_at_once(const NodeSet& team, const Bytes& variable, const Combining& combining, bool wanted) {
    Steps steps(team, 1, variable.bytes());
    std::memcpy(steps.mine(), variable.data(), variable.bytes());
    steps.enter();
    if (wanted) {
        steps.await_all();
        combine_members(steps, variable.data(), combining, team.size(), 0, variable.count(), variable.element_bytes());
    }
    steps.leave();
}

// Everybody shows a piece, combines its share of all, shows that, and takes the shares of all.
void reduce_by_shares(const NodeSet& team, const Bytes& variable, const Combining& combining, bool wanted) {
    const std::size_t element = variable.element_bytes(), most = place_bytes / element;
    if (most == 0)
        throw base::Error(fmt::format("a collective subroutine on elements of {}", base::bytes_text(element)),
                          fmt::format("At most {} are possible.", base::bytes_text(place_bytes)));
    const auto members = static_cast<std::size_t>(team.size()), me = static_cast<std::size_t>(team.my_number());
    Steps steps(team, static_cast<std::int64_t>(2 * ((variable.count() + most - 1) / most)), place_bytes);
    for (std::size_t done = 0; done < variable.count(); done += most) {
        const std::size_t count = std::min(most, variable.count() - done);
        std::byte* const piece = variable.data() + done * element;
        const auto begin = [&](std::size_t member) { return count * member / members; };
        const std::size_t first = begin(me), share = begin(me + 1) - first;
        std::memcpy(steps.mine(), piece, count * element);
        steps.enter();
        steps.await_all();
        // The share is combined in memory of this image's own, which the others' reads do not take away.
        combine_members(steps, piece + first * element, combining, team.size(), first, share, element);
        steps.leave();
        std::memcpy(steps.mine() + first * element, piece + first * element, share * element);
        steps.enter();
        steps.await_all();
        for (std::size_t member = 0; member < members && wanted; ++member)
            if (member != me)
                std::memcpy(piece + begin(member) * element, steps.await(static_cast<int>(member)) + begin(member) * element,
                            (begin(member + 1) - begin(member)) * element);
        steps.leave();
    }
}

void broadcast_by_desks(const NodeSet& team, const Bytes& variable, int root) {
    Steps steps(team, static_cast<std::int64_t>((variable.bytes() + place_bytes - 1) / place_bytes),
                std::min(variable.bytes(), place_bytes));
    for (std::size_t done = 0; done < variable.bytes(); done += place_bytes) {
        const std::size_t bytes = std::min(place_bytes, variable.bytes() - done);
        if (team.my_number() == root) {
            std::memcpy(steps.mine(), variable.data() + done, bytes);
            steps.enter();
        } else {
            steps.enter();
            std::memcpy(variable.data() + done, steps.await(root), bytes);
        }
        steps.leave();
    }
}

// ---- both ----

void reduce(const Descriptor& descriptor, const Combining& combining, int result_image) {
    const NodeSetPointer team = Context::get().executing();
    const int root = result_image > 0 ? localview::nodes_of_images(*team, &result_image, 1, 1).front() : everybody;
    if (team->size() == 1) return;
    const Bytes variable(descriptor);
    const bool wanted = root == everybody || root == Context::get().world_rank();
    if (variable.bytes() == 0) return;
    if (!combining.any_kind) check_kind(descriptor, variable.data(), variable.count());
    if (!localview::share_desks(*team))
        localview::reduce_by_messages(*team, {variable.data(), variable.bytes()}, variable.element_bytes(), combining.combine,
                                      wanted);
    else if (variable.bytes() <= most_for_all)
        reduce_at_once(*team, variable, combining, wanted);
    else
        reduce_by_shares(*team, variable, combining, wanted);
    if (wanted) variable.store();
}

void broadcast(const Descriptor& descriptor, int source_image) {
    const NodeSetPointer team = Context::get().executing();
    localview::nodes_of_images(*team, &source_image, 1, 1);
    if (team->size() == 1) return;
    const Bytes variable(descriptor);
    if (variable.bytes() == 0) return;
    if (localview::share_desks(*team))
        broadcast_by_desks(*team, variable, source_image - 1);
    else
        localview::broadcast_by_messages(*team, {variable.data(), variable.bytes()}, source_image - 1);
    if (team->my_number() != source_image - 1) variable.store();
}

Storing* reduce_next_by = nullptr;

template <typename Body>
void collective(const char* name, const Outcome& outcome, Body&& body) {
    const XMP_Site site = {nullptr, 0, name};
    execution::guarded(&site, [&] {
        outcome.of([&] {
            body();
            outcome.success();
        });
    });
}

}  // namespace

}  // namespace kumihimo::caf

using namespace kumihimo;
using namespace kumihimo::caf;

extern "C" void _gfortran_caf_co_sum(const Descriptor* variable, int result_image, int* stat, char* message,
                                     std::size_t length) {
    collective("co_sum", {stat, message, length},
               [&] { reduce(*variable, combining(Intrinsic::sum, *variable, 0), result_image); });
}

extern "C" void _gfortran_caf_co_min(const Descriptor* variable, int result_image, int* stat, char* message, int characters,
                                     std::size_t length) {
    collective("co_min", {stat, message, length},
               [&] { reduce(*variable, combining(Intrinsic::least, *variable, characters), result_image); });
}

extern "C" void _gfortran_caf_co_max(const Descriptor* variable, int result_image, int* stat, char* message, int characters,
                                     std::size_t length) {
    collective("co_max", {stat, message, length},
               [&] { reduce(*variable, combining(Intrinsic::greatest, *variable, characters), result_image); });
}

extern "C" void XMP_Fortran_reduce_by(Storing* function) {
    reduce_next_by = function;
}

extern "C" void _gfortran_caf_co_reduce(const Descriptor* variable, void* function, int flags, int result_image, int* stat,
                                        char* message, int characters, std::size_t length) {
    collective("co_reduce", {stat, message, length}, [&] {
        Storing* const storing = std::exchange(reduce_next_by, nullptr);
        const Combining how =
            storing != nullptr ? combining(storing, *variable) : combining(Function{function, flags}, *variable, characters);
        reduce(*variable, how, result_image);
    });
}

extern "C" void _gfortran_caf_co_broadcast(const Descriptor* variable, int source_image, int* stat, char* message,
                                           std::size_t length) {
    collective("co_broadcast", {stat, message, length}, [&] { broadcast(*variable, source_image); });
}
