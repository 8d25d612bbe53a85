// Binomial tree: the root receives ceiling(log2 n) messages instead of n - 1. A rank collects its subtree's blocks, which are
// those of consecutive ranks counted from the root, and sends them on as one message.
#include "collectives/algorithms/declarations.hpp"

namespace kumihimo::collectives {

Steps gather_binomial(Call call) {
    const Bytes bytes = call.block_bytes;
    const int me = call.from_root();
    const bool root = me == 0;
    const auto work = [&](int first, int count) { return Span{Buffer::work, first * bytes, count * bytes}; };
    const Span own{Buffer::send, 0, bytes};
    StepIndex last = -1;
    int held = 1;
    if (!root)
        last = co_yield copy(own, work(0, 1));
    else if (!call.in_place)
        last = co_yield copy(own, call.receive_blocks.in(Buffer::receive, call.rank));
    for (int distance = 1; (me & distance) == 0 && me + distance < call.ranks; distance *= 2) {
        const int count = distance < call.ranks - me - distance ? distance : call.ranks - me - distance;
        const int child = call.absolute(me + distance);
        held += count;
        if (!root || child + count > call.ranks) {  // around the last rank: not one piece of the receive buffer
            last = co_yield receive(child, work(distance, count));
            if (!root) continue;
            const int upper = call.ranks - child;
            const StepIndex got = last;
            co_yield copy(work(distance, upper), call.receive_blocks.in(Buffer::receive, child, upper), got);
            last = co_yield copy(work(distance + upper, count - upper),
                                 call.receive_blocks.in(Buffer::receive, 0, count - upper), got);
        } else {
            last = co_yield receive(child, call.receive_blocks.in(Buffer::receive, child, count));
        }
    }
    if (!root) co_yield send(call.absolute(me & (me - 1)), work(0, held), Interval{0, last});
}

}  // namespace kumihimo::collectives
