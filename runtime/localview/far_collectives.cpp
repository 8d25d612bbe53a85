#include "runtime/localview/far_collectives.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "collectives/algorithms.hpp"
#include "collectives/executor/run.hpp"
#include "runtime/localview/barriers.hpp"
#include "runtime/localview/image_control.hpp"
#include "runtime/localview/waiting.hpp"

namespace kumihimo::localview {

namespace {

using collectives::Algorithm;
using collectives::Call;
using collectives::Operation;
using execution::NodeSet;
using Memory = std::unique_ptr<std::byte[]>;

constexpr collectives::Bytes most_by_tree = 65536;  // bytes of a broadcast; longer ones go in pieces from one to the next

Call call_on(const NodeSet& set, Operation operation, std::size_t bytes) {
    Call call;
    call.operation = operation;
    call.ranks = set.size();
    call.rank = set.my_number();
    call.bytes = static_cast<collectives::Bytes>(bytes);
    call.in_place = true;
    call.torus = collectives::Torus::line(set.size());
    return call;
}

const Algorithm& algorithm_for(const Call& call) {
    if (call.operation == Operation::allreduce) return *collectives::find_algorithm(call.operation, "recursive_doubling");
    return *collectives::find_algorithm(call.operation, call.bytes <= most_by_tree ? "binomial" : "chain");
}

// Each two images count alike how often they have met, so what is left of a collective that was left is no part of another one.
std::vector<collectives::Address> addresses_of(const NodeSet& set) {
    std::vector<collectives::Address> addresses;
    const std::int64_t most = most_meetings(collectives::channels);
    for (const int node : set.world_ranks())
        addresses.push_back({node, first_free_tag + static_cast<int>(barrier_with(node) % most) * collectives::channels});
    return addresses;
}

// to = from (operation) to, where `combine` puts the result into its first operand.
collectives::Combine in_other_order(const Combine& combine, const Call& call) {
    constexpr std::size_t most_together = 4096;  // bytes, which stay in the nearest cache
    const auto element = static_cast<std::size_t>(call.element_bytes);
    const std::size_t most = std::max<std::size_t>(1, most_together / element) * element;
    return [&combine, element, most](const std::byte* from, std::byte* to, std::size_t bytes) {
        std::vector<std::byte> some(std::min(most, bytes));
        for (std::size_t done = 0; done < bytes; done += most) {
            const std::size_t now = std::min(most, bytes - done);
            std::memcpy(some.data(), from + done, now);
            combine(some.data(), to + done, now / element);
            std::memcpy(to + done, some.data(), now);
        }
    };
}

// False: it was left, since a member will never come.
bool run(const NodeSet& set, const Call& call, Memory& values, const Combine& combine, const Hopeless& hopeless) {
    static auto& runner = *new collectives::Run;
    const Algorithm& algorithm = algorithm_for(call);
    Memory work(new std::byte[static_cast<std::size_t>(work_bytes(algorithm, call))]);
    const std::vector<collectives::Address> addresses = addresses_of(set);
    collectives::Operands operands;
    operands.receive = values.get();
    operands.work = work.get();
    operands.communicator = forgiving_communicator();
    operands.addresses = addresses.data();
    const std::function<bool()> look_first = [&] {
        look();
        return hopeless();
    };
    operands.hopeless = &look_first;
    const collectives::Combine turned = in_other_order(combine, call);
    operands.combine = &turned;
    collectives::Source steps(schedule(algorithm, call));
    if (runner.execute(std::move(steps), operands, look_ahead(algorithm, call)) == MPI_SUCCESS) return true;
    wait_until(hopeless);
    (void)values.release();  // MPI may still read and write them
    (void)work.release();
    return false;
}

// The caller's values stay out of MPI's reach.
void run_on_copy(const NodeSet& set, const Call& call, std::span<std::byte> values, bool wanted, const Combine& combine) {
    Memory copy(new std::byte[values.size()]);
    std::memcpy(copy.get(), values.data(), values.size());
    const bool shows_all = call.operation == Operation::allreduce;
    const Absence absence = all_together(
        set, [&](const Hopeless& hopeless) { return run(set, call, copy, combine, hopeless); }, shows_all);
    if (absence != Absence::none) throw Missing(absence);
    if (wanted) std::memcpy(values.data(), copy.get(), values.size());
}

}  // namespace

void reduce_by_messages(const NodeSet& set, std::span<std::byte> values, std::size_t element_bytes, const Combine& combine,
                        bool wanted) {
    Call call = call_on(set, Operation::allreduce, values.size());
    call.element_bytes = static_cast<collectives::Bytes>(element_bytes);
    call.commutative = false;
    call.work_limit = std::max(call.work_limit, call.element_bytes);
    run_on_copy(set, call, values, wanted, combine);
}

void broadcast_by_messages(const NodeSet& set, std::span<std::byte> values, int root) {
    Call call = call_on(set, Operation::broadcast, values.size());
    call.root = root;
    run_on_copy(set, call, values, set.my_number() != root, {});
}

}  // namespace kumihimo::localview
