#include "tests/collectives/cases.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <random>

#include "collectives/hosts/leaders.hpp"
#include "tests/collectives/interpreter.hpp"

namespace kumihimo::collectives::test {

namespace {

bool of_vector(Operation operation) {
    return operation == Operation::broadcast || operation == Operation::reduce || operation == Operation::allreduce;
}

Call base_call(const Setting& setting, int rank) {
    Call call;
    call.operation = setting.operation;
    call.ranks = setting.torus.ranks();
    call.rank = rank;
    call.root = setting.root;
    call.torus = setting.torus;
    call.element_bytes = setting.element_bytes;
    call.commutative = setting.commutative;
    call.varying = setting.varying;
    call.segment_bytes = setting.segment_bytes;
    call.work_limit = setting.work_limit;
    call.rounds_in_flight = 2;
    const bool rooted = setting.operation == Operation::reduce || setting.operation == Operation::gather ||
                        setting.operation == Operation::scatter;
    call.in_place = setting.in_place && (!rooted || rank == setting.root);
    return call;
}

}  // namespace

std::string text(const Setting& setting) {
    std::string shape;
    for (int axis = 0; axis < most_axes; ++axis)
        shape += fmt::format("{}{}{}", axis > 0 ? "x" : "", setting.torus.extents[axis], setting.torus.wraps[axis] ? "" : "m");
    if (!setting.hosts.empty()) shape += fmt::format(" hosts {}", fmt::join(setting.hosts, ","));
    return fmt::format("{} shape {} root {} bytes {} element {}{}{}{} segment {} work {} seed {}", name_of(setting.operation),
                       shape, setting.root, setting.bytes, setting.element_bytes, setting.varying ? " varying" : "",
                       setting.commutative ? "" : " ordered", setting.in_place ? " in place" : "", setting.segment_bytes,
                       setting.work_limit, setting.seed);
}

bool possible(const Setting& setting) {
    const bool reduction = setting.operation == Operation::reduce || setting.operation == Operation::allreduce ||
                           setting.operation == Operation::reduce_scatter;
    const bool rooted = setting.operation == Operation::reduce || setting.operation == Operation::gather ||
                        setting.operation == Operation::scatter || setting.operation == Operation::broadcast;
    if (!rooted && setting.root != 0) return false;
    if (!reduction && (!setting.commutative || setting.element_bytes > 1)) return false;
    if (setting.varying && (of_vector(setting.operation) || setting.operation == Operation::barrier)) return false;
    if (setting.in_place && (setting.operation == Operation::broadcast || setting.operation == Operation::barrier))
        return false;
    return setting.bytes % setting.element_bytes == 0 && (setting.operation != Operation::barrier || setting.bytes == 0);
}

Blocks Case::blocks(std::vector<Bytes> sizes, Bytes gap) {
    Layout& layout = *layouts_.emplace_back(std::make_unique<Layout>());
    Bytes offset = 0;
    for (const Bytes size : sizes) {
        layout.offsets.push_back(offset);
        offset += size + gap;
    }
    layout.sizes = std::move(sizes);
    return {0, layout.sizes.data(), layout.offsets.data()};
}

Case::Case(const Setting& setting) {
    const int ranks = setting.torus.ranks();
    if (!setting.hosts.empty()) placement_.emplace(setting.hosts);
    std::mt19937 random(setting.seed);
    const auto size = [&] {
        const Bytes elements = setting.bytes / setting.element_bytes;
        return static_cast<Bytes>(random() % static_cast<unsigned>(elements + 1)) * setting.element_bytes;
    };
    std::vector<std::vector<Bytes>> sizes(static_cast<std::size_t>(ranks));  // sizes[s][r]: from s to r
    for (auto& row : sizes)
        for (int rank = 0; rank < ranks; ++rank) row.push_back(size());
    for (int rank = 0; rank < ranks; ++rank) {
        const std::size_t me = static_cast<std::size_t>(rank);
        Call call = base_call(setting, rank);
        call.placement = placement_ ? &*placement_ : nullptr;
        if (of_vector(setting.operation)) {
            call.bytes = setting.bytes;
        } else if (!setting.varying) {
            call.block_bytes = call.send_blocks.bytes = call.receive_blocks.bytes = setting.bytes;
        } else if (setting.operation == Operation::alltoall) {
            std::vector<Bytes> column;
            for (const auto& row : sizes) column.push_back(row[me]);
            call.send_blocks = blocks(sizes[me], 1);
            call.receive_blocks = blocks(column, 2);
        } else {
            call.block_bytes = sizes[0][me];
            const bool known = rank == setting.root || setting.operation == Operation::allgather ||
                               setting.operation == Operation::reduce_scatter;
            if (known)  // Reduce_scatter has no displacements: its blocks are side by side
                call.send_blocks = call.receive_blocks =
                    blocks(sizes[0], setting.operation == Operation::reduce_scatter ? 0 : 3);
        }
        calls_.push_back(call);
    }
    if (setting.varying && placement_) tell_leaders();
}

// Call::told. Nobody but a leader needs it, so nobody else gets it.
void Case::tell_leaders() {
    for (int host = 0; host < placement_->hosts(); ++host) {
        std::vector<Bytes>& told = told_.emplace_back();
        for (const int rank : placement_->ranks(host)) {
            const Call& call = calls_[static_cast<std::size_t>(rank)];
            if (call.operation != Operation::alltoall) told.push_back(call.block_bytes);
            for (const Blocks& blocks : {call.send_blocks, call.receive_blocks})
                for (int other = 0; other < call.ranks && call.operation == Operation::alltoall; ++other)
                    told.push_back(blocks.size(other));
        }
    }
    for (int host = 0; host < placement_->hosts(); ++host)
        calls_[static_cast<std::size_t>(leader_of(calls_[0], host))].told = told_[static_cast<std::size_t>(host)].data();
}

bool prove(const Algorithm& algorithm, const Setting& setting) {
    const Case all(setting);
    for (const Call& call : all.calls())
        if (!usable(algorithm, call)) return false;
    try {
        Interpreter interpreter(algorithm, all.calls());
        interpreter.run({});
        interpreter.run({least_window + static_cast<int>(setting.seed % 100), true, setting.seed});
    } catch (const std::exception& error) {
        ADD_FAILURE() << algorithm.name << " " << text(setting) << "\n" << error.what();
    }
    return true;
}

}  // namespace kumihimo::collectives::test
