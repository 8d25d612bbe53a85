// The collective subroutines (Fortran 2018, 16.9.46 to 16.9.50) on the images of the current team: where they all reach each
// other's memory by desks, else by MPI. Values are combined in the order of the images, so the result is the same everywhere
// and in every run.
#include <mpi.h>

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <unordered_map>
#include <utility>

#include "base/attribute.hpp"
#include "base/communicator.hpp"
#include "base/completion.hpp"
#include "base/error.hpp"
#include "base/format.hpp"
#include "runtime/caf/bytes.hpp"
#include "runtime/caf/combining.hpp"
#include "runtime/caf/image_control.hpp"
#include "runtime/execution/context.hpp"
#include "runtime/localview/desks.hpp"
#include "runtime/localview/failures.hpp"
#include "runtime/localview/mailbox.hpp"

namespace kumihimo::caf {

namespace {

using execution::Context;
using execution::NodeSet;
using execution::NodeSetPointer;
using localview::Absence;
using localview::Missing;
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

// ---- by MPI ----

constexpr std::size_t most_at_once = std::size_t{1} << 20;  // elements

// A communicator of the team's own, in which an image that has died is no error.
struct Forgiving {
    MPI_Comm communicator = MPI_COMM_NULL;
    explicit Forgiving(MPI_Comm team) : communicator(base::copy_of(team)) {
        MPI_Comm_set_errhandler(communicator, MPI_ERRORS_RETURN);
    }
    ~Forgiving() { MPI_Comm_free(&communicator); }
    Forgiving(const Forgiving&) = delete;
    Forgiving& operator=(const Forgiving&) = delete;
};

void must_come(Absence absence) {
    if (absence != Absence::none) throw Missing(absence);
}

// The team's first collective makes it.
MPI_Comm communicator_of(const NodeSet& team) {
    static auto& known = *new std::unordered_map<const NodeSet*, MPI_Comm>;
    if (const auto found = known.find(&team); found != known.end()) return found->second;
    must_come(localview::sync_all(team));
    const localview::InsideMpi inside("the first collective subroutine of a team", team.world_ranks());
    const MPI_Comm of_team = team.communicator();
    base::meet(of_team);
    return known[&team] = base::Attribute<Forgiving>::keep(of_team, std::make_unique<Forgiving>(of_team)).communicator;
}

// False: it is left, and MPI may still use the memory.
bool complete(MPI_Request& request, const localview::Hopeless& hopeless) {
    int done = 0;
    bool works = true;
    localview::wait_until([&] {
        works = works && MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS;
        return (works && done != 0) || hopeless();
    });
    return works && done != 0;
}

using Memory = std::unique_ptr<std::byte[]>;

// `begin` begins it. Its memory is MPI's if it is left.
template <typename Begin>
bool run_by_mpi(std::initializer_list<Memory*> memory, const localview::Hopeless& hopeless, Begin&& begin) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (begin(&request) == MPI_SUCCESS && complete(request, hopeless)) return true;
    localview::wait_until(hopeless);
    for (Memory* const one : memory) (void)one->release();
    return false;
}

// What every image has, combined here.
bool reduce_gathered(const NodeSet& team, MPI_Comm communicator, Memory& copy, std::size_t first, std::size_t count,
                     std::size_t element, const Combining& combining, const localview::Hopeless& hopeless) {
    const std::size_t bytes = count * element;
    std::byte* const data = copy.get() + first * element;
    Memory all(new std::byte[bytes * static_cast<std::size_t>(team.size())]);
    const bool done = run_by_mpi({&copy, &all}, hopeless, [&](MPI_Request* request) {
        return MPI_Iallgather(data, static_cast<int>(bytes), MPI_BYTE, all.get(), static_cast<int>(bytes), MPI_BYTE,
                              communicator, request);
    });
    if (!done) return false;
    std::memcpy(data, all.get(), bytes);
    for (std::size_t member = 1; member < static_cast<std::size_t>(team.size()); ++member)
        combining.combine(data, all.get() + member * bytes, count);
    return true;
}

void reduce_by_mpi(const NodeSet& team, const Bytes& variable, const Combining& combining, bool wanted) {
    const MPI_Comm communicator = communicator_of(team);
    const std::size_t element = variable.element_bytes();
    Memory copy(new std::byte[variable.bytes()]);
    std::memcpy(copy.get(), variable.data(), variable.bytes());
    const std::size_t most = std::max<std::size_t>(1, combining.operation != nullptr ? most_at_once : place_bytes / element);
    const auto piece = [&](std::size_t first, std::size_t count, const localview::Hopeless& hopeless) {
        if (combining.operation == nullptr)
            return reduce_gathered(team, communicator, copy, first, count, element, combining, hopeless);
        return run_by_mpi({&copy}, hopeless, [&](MPI_Request* request) {
            return MPI_Iallreduce(MPI_IN_PLACE, copy.get() + first * element, static_cast<int>(count),
                                  combining.operation->mpi_element(), combining.operation->mpi_operation(), communicator,
                                  request);
        });
    };
    must_come(localview::all_together(team, [&](const localview::Hopeless& hopeless) {
        for (std::size_t done = 0; done < variable.count(); done += most)
            if (!piece(done, std::min(most, variable.count() - done), hopeless)) return false;
        return true;
    }));
    if (wanted) std::memcpy(variable.data(), copy.get(), variable.bytes());
}

void broadcast_by_mpi(const NodeSet& team, const Bytes& variable, int root) {
    const MPI_Comm communicator = communicator_of(team);
    Memory copy(new std::byte[variable.bytes()]);
    if (team.my_number() == root) std::memcpy(copy.get(), variable.data(), variable.bytes());
    must_come(localview::all_together(team, [&](const localview::Hopeless& hopeless) {
        for (std::size_t done = 0; done < variable.bytes(); done += most_at_once) {
            const auto bytes = static_cast<int>(std::min(most_at_once, variable.bytes() - done));
            if (!run_by_mpi({&copy}, hopeless, [&](MPI_Request* request) {
                    return MPI_Ibcast(copy.get() + done, bytes, MPI_BYTE, root, communicator, request);
                }))
                return false;
        }
        return true;
    }));
    if (team.my_number() != root) std::memcpy(variable.data(), copy.get(), variable.bytes());
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
        reduce_by_mpi(*team, variable, combining, wanted);
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
        broadcast_by_mpi(*team, variable, source_image - 1);
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
