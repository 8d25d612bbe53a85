// Alltoall in two levels: a leader collects what its host's ranks have for another host, and one message takes it there. Blocks
// for ranks of the own host go directly.
//
// In work space, for every other host: what goes there, by sender; what came from there, by sender; and the latter by receiver,
// as it is passed on. Host h has its place where h's ranks have theirs, `ranks here` blocks wide.
#include "collectives/algorithms/declarations.hpp"
#include "collectives/hosts/leaders.hpp"
#include "collectives/hosts/levels.hpp"

namespace kumihimo::collectives {

namespace {

struct Areas {
    explicit Areas(const Call& call)
        : placement(*call.placement),
          bytes(call.block_bytes),
          host(placement.host(call.rank)),
          here(placement.size(host)),
          area(here * bytes * call.ranks) {}

    // `count` blocks from the given one on of an area's part for another host.
    Span blocks(int number, int other, int first, int count) const {
        return {Buffer::work, number * area + (Bytes{placement.first(other)} * here + first) * bytes, count * bytes};
    }
    Span going(int other, int first, int count) const { return blocks(0, other, first, count); }
    Span come(int other, int first, int count) const { return blocks(1, other, first, count); }
    Span sorted(int other, int first, int count) const { return blocks(2, other, first, count); }

    const Placement& placement;
    Bytes bytes;
    int host, here;
    Bytes area;
};

}  // namespace

Steps alltoall_hosts(Call call) {
    const Placement& placement = *call.placement;
    const Areas areas(call);
    const auto ranks = placement.ranks(areas.host);
    const int me = placement.place(call.rank), leader = ranks.front(), hosts = placement.hosts();
    const auto own = [&](Buffer buffer, const Blocks& blocks, int host) {
        return blocks.in(buffer, placement.first(host), placement.size(host));
    };

    co_yield copy(call.send_blocks.in(Buffer::send, call.rank), call.receive_blocks.in(Buffer::receive, call.rank));
    for (int i = 1; i < areas.here; ++i) {
        const int to = ranks[static_cast<std::size_t>((me + i) % areas.here)];
        const int from = ranks[static_cast<std::size_t>(modulo(me - i, areas.here))];
        co_yield receive(from, call.receive_blocks.in(Buffer::receive, from));
        co_yield send(to, call.send_blocks.in(Buffer::send, to));
    }
    if (call.rank != leader) {
        for (int i = 1; i < hosts; ++i) co_yield send(leader, own(Buffer::send, call.send_blocks, (areas.host + i) % hosts));
        for (int i = 1; i < hosts; ++i)
            co_yield receive(leader, own(Buffer::receive, call.receive_blocks, modulo(areas.host - i, hosts)));
        co_return;
    }
    const StepIndex exchanged = 1 + 2 * (areas.here - 1);  // the first step of the exchange, which has here + 2 for each host
    for (int i = 1; i < hosts; ++i) {
        const int to = (areas.host + i) % hosts, from = modulo(areas.host - i, hosts);
        const int theirs = placement.size(to);
        Interval collected;
        collected.first = co_yield copy(own(Buffer::send, call.send_blocks, to), areas.going(to, 0, theirs));
        collected.last = collected.first;
        for (int place = 1; place < areas.here; ++place)
            collected.last = co_yield receive(ranks[static_cast<std::size_t>(place)], areas.going(to, place * theirs, theirs));
        co_yield receive(placement.ranks(from).front(), areas.come(from, 0, placement.size(from) * areas.here));
        co_yield send(placement.ranks(to).front(), areas.going(to, 0, theirs * areas.here), collected);
    }
    for (int i = 1; i < hosts; ++i) {
        const int from = modulo(areas.host - i, hosts), theirs = placement.size(from);
        const StepIndex came = exchanged + (i - 1) * StepIndex{areas.here + 2} + areas.here;
        for (int place = 0; place < areas.here; ++place) {
            const Span result =
                place == 0 ? own(Buffer::receive, call.receive_blocks, from) : areas.sorted(from, place * theirs, theirs);
            Interval copied;
            for (int sender = 0; sender < theirs; ++sender) {
                const StepIndex done = co_yield copy(areas.come(from, sender * areas.here + place, 1),
                                                     result.part(sender * areas.bytes, areas.bytes), came);
                copied = {sender == 0 ? done : copied.first, done};
            }
            if (place > 0) co_yield send(ranks[static_cast<std::size_t>(place)], result, copied);
        }
    }
}

Bytes alltoall_hosts_work(const Call& call) {
    return 3 * call.block_bytes * call.placement->largest() * call.ranks;
}

}  // namespace kumihimo::collectives
