// Allgather, Gather, Scatter and Reduce_scatter in two levels: a host's blocks travel together. In work space blocks are packed
// in the order of hosts. Where that is the order of ranks, too, and blocks are equal, the user's buffer is used instead.
#include <algorithm>
#include <numeric>
#include <utility>

#include "collectives/algorithms/declarations.hpp"
#include "collectives/hosts/leaders.hpp"
#include "collectives/hosts/levels.hpp"
#include "collectives/phases.hpp"

namespace kumihimo::collectives {

namespace {

constexpr std::size_t of_send = static_cast<std::size_t>(Buffer::send), of_receive = static_cast<std::size_t>(Buffer::receive);

bool in_users_buffer(const Call& call) {
    return !call.varying && call.placement->consecutive();
}

// By rank, packed in the order of hosts.
Layout packed(const Call& call, const Blocks& blocks) {
    const std::size_t ranks = static_cast<std::size_t>(call.ranks);
    Layout layout{std::vector<Bytes>(ranks), std::vector<Bytes>(ranks)};
    Bytes offset = 0;
    for (int host = 0; host < call.placement->hosts(); ++host)
        for (const int rank : call.placement->ranks(host)) {
            layout.sizes[static_cast<std::size_t>(rank)] = blocks.size(rank);
            layout.offsets[static_cast<std::size_t>(rank)] = offset;
            offset += blocks.size(rank);
        }
    return layout;
}

// By rank, as the blocks lie.
Layout as_they_lie(const Call& call, const Blocks& blocks) {
    Layout layout;
    for (int rank = 0; rank < call.ranks; ++rank) {
        layout.sizes.push_back(blocks.size(rank));
        layout.offsets.push_back(blocks.offset(rank));
    }
    return layout;
}

// Of some ranks.
Layout among(const Layout& layout, const std::vector<int>& members) {
    Layout part;
    for (const int rank : members) {
        part.sizes.push_back(layout.sizes[static_cast<std::size_t>(rank)]);
        part.offsets.push_back(layout.offsets[static_cast<std::size_t>(rank)]);
    }
    return part;
}

// By host, of a packed layout.
Layout by_host(const Call& call, const Layout& packed) {
    Layout hosts;
    for (int host = 0; host < call.placement->hosts(); ++host) {
        const auto ranks = call.placement->ranks(host);
        const std::size_t first = static_cast<std::size_t>(ranks.front()), last = static_cast<std::size_t>(ranks.back());
        hosts.offsets.push_back(packed.offsets[first]);
        hosts.sizes.push_back(packed.offsets[last] + packed.sizes[last] - packed.offsets[first]);
    }
    return hosts;
}

Phase phase_among(const Call& call, Steps (*steps)(Call), std::vector<int> members, int root) {
    const Call part = call_among(call, members, root);
    return {steps, part, std::move(members), same_buffers};
}

Blocks kept(Phase& phase, Layout layout) {
    return phase.layouts.emplace_back(std::make_unique<const Layout>(std::move(layout)))->blocks();
}

// On both sides of the operation the blocks of `layout`; this rank's among them.
Phase with_blocks(Phase phase, Layout layout, bool varying) {
    phase.call.send_blocks = phase.call.receive_blocks = kept(phase, std::move(layout));
    phase.call.block_bytes = phase.call.send_blocks.size(phase.call.rank);
    phase.call.varying = varying;
    return phase;
}

// All blocks from one place to another.
Steps copy_blocks(Call call) {
    for (int rank = 0; rank < call.ranks; ++rank)
        co_yield copy(call.send_blocks.in(Buffer::send, rank), call.receive_blocks.in(Buffer::receive, rank));
}

std::vector<int> all_ranks(const Call& call) {
    std::vector<int> all(static_cast<std::size_t>(call.ranks));
    std::iota(all.begin(), all.end(), 0);
    return all;
}

// Packed blocks in work space to where they belong in the user's buffer.
Phase unpacking(const Call& call, Layout packed, Layout users) {
    Phase phase = phase_among(call, copy_blocks, all_ranks(call), call.rank);
    phase.call.send_blocks = kept(phase, std::move(packed));
    phase.call.receive_blocks = kept(phase, std::move(users));
    phase.where[of_send] = Span{Buffer::work};
    return phase;
}

// And back.
Phase packing(const Call& call, Layout packed, Layout users) {
    Phase phase = unpacking(call, std::move(users), std::move(packed));
    phase.where[of_send] = Span{Buffer::send};
    phase.where[of_receive] = Span{Buffer::work};
    return phase;
}

Bytes sum_of(const Layout& layout) {
    return std::accumulate(layout.sizes.begin(), layout.sizes.end(), Bytes{0});
}

Bytes largest_of(const Layout& layout) {
    return *std::max_element(layout.sizes.begin(), layout.sizes.end());
}

}  // namespace

Steps allgather_hosts(Call call, Between between) {
    const bool direct = in_users_buffer(call);
    const Layout users = as_they_lie(call, call.receive_blocks), layout = direct ? users : packed(call, call.receive_blocks);
    const Span area{direct ? Buffer::receive : Buffer::work};
    call.root = 0;  // so that all have the same leaders
    const std::vector<int> here = ranks_of(call, call.placement->host(call.rank));
    const int leader = here.front();
    std::vector<Phase> phases;

    Phase collect = with_blocks(phase_among(call, gather_linear, here, leader), among(layout, here), true);
    if (call.in_place) collect.where[of_send] = {Buffer::receive, call.receive_blocks.offset(call.rank)};
    collect.call.in_place = call.in_place && direct;
    collect.where[of_receive] = area;
    phases.push_back(std::move(collect));

    if (call.rank == leader) {
        const bool equal = !call.varying && call.placement->equal();
        Phase exchange = with_blocks(phase_among(call, between, leaders_of(call), leader), by_host(call, layout), !equal);
        if (equal) exchange.call.receive_blocks = exchange.call.send_blocks = Blocks{exchange.call.block_bytes};
        exchange.call.in_place = true;
        exchange.where[of_receive] = area;
        phases.push_back(std::move(exchange));
    }

    Phase spread = phase_among(call, broadcast_binomial, here, leader);
    spread.call.offset = 0;
    spread.call.bytes = sum_of(layout);
    spread.where[of_receive] = area;
    phases.push_back(std::move(spread));
    if (!direct) phases.push_back(unpacking(call, layout, users));
    return in_phases(std::move(phases), 0);
}

Bytes allgather_hosts_work(const Call& call) {
    return in_users_buffer(call) ? 0 : sum_of(as_they_lie(call, call.receive_blocks));
}

namespace {

// Gather and Scatter: equal blocks, which the root's buffer has by rank.
struct Rooted {
    explicit Rooted(const Call& of_rank)
        : call(of_rank),
          direct(in_users_buffer(call)),
          is_root(call.rank == call.root),
          here(ranks_of(call, call.placement->host(call.rank))),
          leader(leader_of(call, call.placement->host(call.rank))),
          users(as_they_lie(call, Blocks{call.block_bytes})),
          packed(collectives::packed(call, Blocks{call.block_bytes})) {}

    // Inside its host the root finds blocks in its buffer, another leader packed at the beginning of work space.
    Phase inside(Steps (*steps)(Call), std::size_t buffer) const {
        Layout layout = among(is_root ? users : packed, here);
        const Bytes begin = is_root ? 0 : layout.offsets.front();
        for (Bytes& offset : layout.offsets) offset -= begin;
        Phase phase = with_blocks(phase_among(call, steps, here, leader), std::move(layout), true);
        if (!is_root && call.rank == leader) phase.where[buffer] = Span{Buffer::work};
        return phase;
    }
    // Blocks of whole hosts.
    Phase between(Steps (*steps)(Call), std::size_t roots_buffer, std::size_t others_buffer) const {
        Phase phase = with_blocks(phase_among(call, steps, leaders_of(call), call.root), by_host(call, packed), true);
        phase.call.in_place = is_root;
        if (!is_root || !direct) phase.where[is_root ? roots_buffer : others_buffer] = Span{Buffer::work};
        return phase;
    }
    // Of the blocks that the root has from or for other hosts.
    Layout only_others(Layout layout) const {
        for (const int rank : here) layout.sizes[static_cast<std::size_t>(rank)] = 0;
        return layout;
    }

    const Call& call;
    bool direct, is_root;
    std::vector<int> here;
    int leader;
    Layout users, packed;
};

}  // namespace

Steps gather_hosts(Call call) {
    const Rooted rooted(call);
    std::vector<Phase> phases;
    phases.push_back(rooted.inside(gather_linear, of_receive));
    if (call.rank == rooted.leader) phases.push_back(rooted.between(gather_linear, of_receive, of_send));
    if (rooted.is_root && !rooted.direct)
        phases.push_back(unpacking(call, rooted.only_others(rooted.packed), rooted.only_others(rooted.users)));
    return in_phases(std::move(phases), 0);
}

Steps scatter_hosts(Call call) {
    const Rooted rooted(call);
    std::vector<Phase> phases;
    if (rooted.is_root && !rooted.direct)
        phases.push_back(packing(call, rooted.only_others(rooted.packed), rooted.only_others(rooted.users)));
    if (call.rank == rooted.leader) phases.push_back(rooted.between(scatter_linear, of_send, of_receive));
    phases.push_back(rooted.inside(scatter_linear, of_send));
    return in_phases(std::move(phases), 0);
}

Bytes blocks_hosts_work(const Call& call) {
    return call.block_bytes * (in_users_buffer(call) ? call.placement->largest() : call.ranks);
}

// The host's sum of all blocks is at the beginning of work space, its share of the whole sum behind it, then what the phases
// need.
Steps reduce_scatter_hosts(Call call, Between between) {
    call.root = 0;
    const Layout blocks = as_they_lie(call, call.send_blocks), hosts = by_host(call, blocks);
    const Bytes all = sum_of(hosts);
    const std::vector<int> here = ranks_of(call, call.placement->host(call.rank));
    const int leader = here.front();
    const Span sum{Buffer::work}, share{Buffer::work, all}, rest{Buffer::work, all + largest_of(hosts)};
    std::vector<Phase> phases;

    Phase collect = phase_among(call, reduce_binomial, here, leader);
    collect.call.offset = collect.call.work_offset = 0;
    collect.call.bytes = all;
    collect.call.in_place = false;
    collect.where = {Span{call.input()}, sum, rest};
    phases.push_back(std::move(collect));

    if (call.rank == leader) {
        Phase exchange = with_blocks(phase_among(call, between, leaders_of(call), leader), hosts, true);
        exchange.call.in_place = false;
        exchange.where = {sum, share, rest};
        phases.push_back(std::move(exchange));
    }

    Layout shares = among(blocks, here);
    const Bytes begin = shares.offsets.front();
    for (Bytes& offset : shares.offsets) offset -= begin;
    Phase spread = with_blocks(phase_among(call, scatter_linear, here, leader), std::move(shares), true);
    spread.call.in_place = false;
    spread.where[of_send] = share;
    phases.push_back(std::move(spread));
    return in_phases(std::move(phases), 0);
}

Bytes reduce_scatter_hosts_work(const Call& call) {
    const Layout hosts = by_host(call, as_they_lie(call, call.send_blocks));
    const Bytes all = sum_of(hosts), share = largest_of(hosts);
    return all + share + std::max(2 * all, 3 * share);
}

}  // namespace kumihimo::collectives
