// reduction, bcast and barrier (specification 4.5.3 to 4.5.5) and the reduction clause of loops (4.4.3). Every node of the
// executing set encounters them; nodes outside the on clause return at once (decision COM-07).
#include <cstring>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/format.hpp"
#include "base/node_number.hpp"
#include "runtime/execution/objects.hpp"
#include "runtime/globalview/async.hpp"
#include "runtime/globalview/collective_checks.hpp"
#include "runtime/globalview/on_clause.hpp"
#include "runtime/globalview/packed_variable.hpp"
#include "runtime/localview/races.hpp"
#include "runtime/localview/remote.hpp"
#include "runtime/teams/operation.hpp"
#include "runtime/teams/team.hpp"

namespace kumihimo::globalview {

using teams::Located;
using teams::located_operation;
using teams::Operation;
using teams::operation_of;
using teams::replaces;
using teams::Team;

namespace {

using execution::Context;
using execution::NodeSet;

void check_communication() {
    if (!Context::get().may_communicate())
        throw base::Error("communication inside a task with the nocomm clause", "Remove nocomm from the task.");
}

// The set of an on clause, checked; null if this node is not in it.
NodeSetPointer members_of(const XMP_On* on) {
    const Context& context = Context::get();
    check_communication();
    NodeSetPointer set = context.resolve(on);
    if (on == nullptr) return set;
    if (!set->member()) return nullptr;
    const NodeSetPointer executing = context.executing();
    if (set != executing && !set->subset_of(*executing))
        throw base::Error(fmt::format("the on clause names {}, some of which do not execute now (the executing set has {})",
                                      base::counted(set->size(), "node"), base::counted(executing->size(), "node")),
                          "Name only nodes of the executing set.");
    return set;
}

int count_for_mpi(std::size_t count, const char* directive) {
    if (count > (1u << 30))
        throw base::Error(
            fmt::format("{} of {} elements with an async clause; at most {} are possible", directive, count, 1u << 30),
            "Split it, or leave out async.");
    return static_cast<int>(count);
}

void reduce_loop(const XMP_Site* site, const XMP_On& on, unsigned index_dimensions, int operation, int type, size_t count,
                 const void* partial, void* value) {
    const Operation& combine = operation_of(operation, type);
    check_communication();
    const NodeSetPointer set = reduction_set(on, index_dimensions);
    if (!set) return;
    expect_same(set, site, [&] { return "loop with " + reduction_words(operation, type, count); });
    alignas(16) std::byte small[64];
    std::vector<std::byte> large;
    const std::size_t bytes = count * combine.bytes;
    if (bytes > sizeof small) large.resize(bytes);
    std::byte* const sum = bytes > sizeof small ? large.data() : small;
    std::memcpy(sum, partial, bytes);
    Team::of(set).allreduce(combine, sum, count);
    combine.combine(value, sum, count);
}

// What the winner's location variables hold, one after the other. Every member must call it.
std::vector<std::byte> winning_locations(Team& team, int winner, bool mine, int locations, const XMP_Location* location) {
    std::size_t bytes = 0;
    for (int i = 0; i < locations; ++i) bytes += location[i].bytes;
    std::vector<std::byte> packed(bytes);
    std::byte* place = packed.data();
    if (mine)
        for (int i = 0; i < locations; place += location[i++].bytes) std::memcpy(place, location[i].partial, location[i].bytes);
    team.broadcast(packed.data(), bytes, winner);
    return packed;
}

void reduce_located(const XMP_Site* site, const XMP_On& on, unsigned index_dimensions, int operation, int type,
                    const void* partial, void* value, XMP_Index iteration, int locations, const XMP_Location* location) {
    const Operation& combine = located_operation(operation, type);
    const std::size_t bytes = operation_of(operation, type).bytes;
    check_communication();
    const NodeSetPointer set = reduction_set(on, index_dimensions);
    if (!set) return;
    expect_same(set, site, [&] { return "loop with " + reduction_words(operation, type, 1); });
    Located best{};
    std::memcpy(best.value, partial, bytes);
    best.iteration = iteration;
    best.node = set->my_number();
    Team& team = Team::of(set);
    team.allreduce(combine, &best, 1);
    if (best.iteration < 0) return;  // decision WRK-04
    const std::vector<std::byte> found =
        winning_locations(team, static_cast<int>(best.node), best.node == set->my_number(), locations, location);
    if (!replaces(operation, type, best.value, value)) return;
    std::memcpy(value, best.value, bytes);
    const std::byte* place = found.data();
    for (int i = 0; i < locations; place += location[i++].bytes) std::memcpy(location[i].value, place, location[i].bytes);
}

// A nonblocking operation on a variable that was packed for it.
class PackedRequest final : public Pending {
public:
    PackedRequest(MPI_Request request, std::unique_ptr<PackedVariable> variable)
        : request_(request), variable_(std::move(variable)) {}
    bool test() override {
        if (!request_.test()) return false;
        variable_->unpack();
        return true;
    }
    void wait() override {
        request_.wait();
        variable_->unpack();
    }

private:
    Request request_;
    std::unique_ptr<PackedVariable> variable_;
};

void begin_request(int id, const NodeSetPointer& set, MPI_Request request, std::unique_ptr<PackedVariable> packed) {
    if (packed)
        begin(id, set, std::make_unique<PackedRequest>(request, std::move(packed)));
    else
        begin(id, set, std::make_unique<Request>(request));
}

// packed: null, or the variable that was packed to `value`.
void reduce(const NodeSetPointer& set, const Operation& combine, size_t count, void* value, const int* async,
            std::unique_ptr<PackedVariable> packed) {
    Team& team = Team::of(set);
    if (async == nullptr) {
        team.allreduce(combine, value, count);
        if (packed) packed->unpack();
    } else if (set->size() > 1) {
        MPI_Request request;
        MPI_Iallreduce(MPI_IN_PLACE, value, count_for_mpi(count, "a reduction"), combine.mpi_element(), combine.mpi_operation(),
                       team.communicator(), &request);
        begin_request(*async, set, request, std::move(packed));
    } else if (packed) {
        packed->unpack();
    }
}

void reduce_variable(const XMP_Site* site, const XMP_On* on, int operation, int type, size_t count, void* value,
                     const int* async) {
    const Operation& combine = operation_of(operation, type);
    const NodeSetPointer set = members_of(on);
    if (!set) return;
    expect_same(set, site, [&] { return reduction_words(operation, type, count); });
    reduce(set, combine, count, value, async, nullptr);
}

void reduce_section(const XMP_Site* site, const XMP_On* on, int operation, const XMP_Side& variable, const int* async) {
    const NodeSetPointer set = members_of(on);
    if (!set) return;
    auto packed = std::make_unique<PackedVariable>(variable, *set);
    const Operation& combine = operation_of(operation, packed->type());
    const std::size_t count = packed->elements();
    expect_same(set, site, [&] { return reduction_words(operation, packed->type(), count); });
    if (count == 0) return;
    void* const place = packed->place(true);
    reduce(set, combine, count, place, async, std::move(packed));
}

// The number, in the set, of the node that `from` names.
int source_of(const XMP_On* from, const NodeSet& set) {
    if (from == nullptr) return 0;
    const NodeSetPointer source = Context::get().resolve(from);
    if (source->size() != 1)
        throw base::Error(
            fmt::format("the from clause names {}; the source of a bcast is one node", base::counted(source->size(), "node")),
            "Name a single node or a template element that lies on a single node.");
    const int number = set.number_of(source->world_rank(0));
    if (number < 0)
        throw base::Error(
            fmt::format("the source of the bcast, node {} of the entire set, is not among the {} of the on "
                        "clause",
                        base::node_number(source->world_rank(0)), base::counted(set.size(), "node")));
    return number;
}

void broadcast(const NodeSetPointer& set, int source, void* value, size_t bytes, const int* async,
               std::unique_ptr<PackedVariable> packed) {
    Team& team = Team::of(set);
    if (async == nullptr) {
        team.broadcast(value, bytes, source);
        if (packed) packed->unpack();
    } else if (set->size() > 1) {
        MPI_Request request;
        MPI_Ibcast(value, count_for_mpi(bytes, "a bcast"), MPI_BYTE, source, team.communicator(), &request);
        begin_request(*async, set, request, std::move(packed));
    }
}

void expect_same_bcast(const NodeSetPointer& set, const XMP_Site* site, std::size_t bytes, int source) {
    expect_same(set, site, [&] {
        return fmt::format("bcast of {} from node {}", base::bytes_text(bytes), base::node_number(set->world_rank(source)));
    });
}

void broadcast_variable(const XMP_Site* site, void* value, size_t bytes, const XMP_On* from, const XMP_On* on,
                        const int* async) {
    const NodeSetPointer set = members_of(on);
    if (!set) return;
    const int source = source_of(from, *set);
    expect_same_bcast(set, site, bytes, source);
    broadcast(set, source, value, bytes, async, nullptr);
}

// site: null where the nodes have been compared before.
void broadcast_packed(const XMP_Site* site, const NodeSetPointer& set, int source, const XMP_Side& variable, const int* async) {
    auto packed = std::make_unique<PackedVariable>(variable, *set);
    const std::size_t bytes = packed->bytes();
    expect_same_bcast(set, site, bytes, source);
    if (bytes == 0 || set->size() == 1) return;
    void* const place = packed->place(source == set->my_number());
    broadcast(set, source, place, bytes, async, std::move(packed));
}

void broadcast_section(const XMP_Site* site, const XMP_Side& variable, const XMP_On* from, const XMP_On* on, const int* async) {
    if (const NodeSetPointer set = members_of(on)) broadcast_packed(site, set, source_of(from, *set), variable, async);
}

// Nodes are the iterations: the first one that has the value tells the others what follows it (decision COM-23).
void reduce_followed(const XMP_Site* site, const XMP_On* on, int operation, int type, void* value, int count,
                     const XMP_Follower* followers) {
    const Operation& combine = located_operation(operation, type);
    const std::size_t bytes = operation_of(operation, type).bytes;
    const NodeSetPointer set = members_of(on);
    if (!set) return;
    expect_same(set, site, [&] { return reduction_words(operation, type, 1); });
    Located best{};
    std::memcpy(best.value, value, bytes);
    best.node = best.iteration = set->my_number();
    Team::of(set).allreduce(combine, &best, 1);
    std::memcpy(value, best.value, bytes);
    const int winner = static_cast<int>(best.node);
    for (const XMP_Follower* follower = followers; follower != followers + count; ++follower)
        if (follower->section != nullptr)
            broadcast_packed(nullptr, set, winner, *follower->section, nullptr);
        else
            broadcast(set, winner, follower->value, follower->bytes, nullptr, nullptr);
}

}  // namespace
}  // namespace kumihimo::globalview

using namespace kumihimo;

XMP_Task XMP_Loop_set(const XMP_Site* site, const XMP_On* on, unsigned index_dimensions, int push) {
    return execution::guarded(site, [&]() -> XMP_Task {
        const globalview::NodeSetPointer set = globalview::iteration_set(*on, index_dimensions);
        XMP_Task task{nullptr, set != nullptr, 0};
        if (set && push) {
            execution::Context::get().push_iteration(set, globalview::sharing_set(*on, index_dimensions), site);
            task.set = const_cast<execution::NodeSet*>(set.get());
            task.entered = 1;  // XMP_Task_leave pops
        }
        return task;
    });
}

void XMP_Loop_reduction(const XMP_Site* site, const XMP_On* on, unsigned index_dimensions, int operation, int type,
                        size_t count, const void* partial, void* value) {
    execution::guarded(site,
                       [&] { globalview::reduce_loop(site, *on, index_dimensions, operation, type, count, partial, value); });
}

void XMP_Loop_reduction_located(const XMP_Site* site, const XMP_On* on, unsigned index_dimensions, int operation, int type,
                                const void* partial, void* value, XMP_Index iteration, int locations,
                                const XMP_Location* location) {
    execution::guarded(site, [&] {
        globalview::reduce_located(site, *on, index_dimensions, operation, type, partial, value, iteration, locations,
                                   location);
    });
}

void XMP_Reduction(const XMP_Site* site, const XMP_On* on, int operation, int type, size_t count, void* value,
                   const int* async) {
    execution::guarded(site, [&] { globalview::reduce_variable(site, on, operation, type, count, value, async); });
}

void XMP_Reduction_section(const XMP_Site* site, const XMP_On* on, int operation, const XMP_Side* variable, const int* async) {
    execution::guarded(site, [&] { globalview::reduce_section(site, on, operation, *variable, async); });
}

void XMP_Reduction_located(const XMP_Site* site, const XMP_On* on, int operation, int type, void* value, int count,
                           const XMP_Follower* followers) {
    execution::guarded(site, [&] { globalview::reduce_followed(site, on, operation, type, value, count, followers); });
}

void XMP_Bcast(const XMP_Site* site, void* value, size_t bytes, const XMP_On* from, const XMP_On* on, const int* async) {
    execution::guarded(site, [&] { globalview::broadcast_variable(site, value, bytes, from, on, async); });
}

void XMP_Bcast_section(const XMP_Site* site, const XMP_Side* variable, const XMP_On* from, const XMP_On* on, const int* async) {
    execution::guarded(site, [&] { globalview::broadcast_section(site, *variable, from, on, async); });
}

void XMP_Barrier(const XMP_Site* site, const XMP_On* on) {
    execution::guarded(site, [&] {
        localview::complete_puts();
        const auto set = globalview::members_of(on);
        if (!set) return;
        globalview::expect_same(set, site, [] { return "barrier"; });
        teams::Team::of(set).barrier();
        localview::compare_uses(set);
    });
}
