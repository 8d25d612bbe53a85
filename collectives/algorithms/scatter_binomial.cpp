// Binomial tree: a rank receives the blocks of its whole subtree as one message and sends each child its part, the largest
// first.
#include "collectives/algorithms/declarations.hpp"

namespace kumihimo::collectives {

Steps scatter_binomial(Call call) {
    const Bytes bytes = call.block_bytes;
    const int me = call.from_root();
    const bool root = me == 0;
    const auto work = [&](int first, int count) { return Span{Buffer::work, first * bytes, count * bytes}; };
    const Span own{Buffer::receive, 0, bytes};
    int distance = 1;
    while (distance < call.ranks && (me & distance) == 0) distance *= 2;
    After ready;
    if (!root) {
        const int held = distance < call.ranks - me ? distance : call.ranks - me;
        const bool leaf = held == 1;
        ready = co_yield receive(call.absolute(me - distance), leaf ? own : work(0, held));
        if (leaf) co_return;
    }
    for (distance /= 2; distance > 0; distance /= 2) {
        if (me + distance >= call.ranks) continue;
        const int count = distance < call.ranks - me - distance ? distance : call.ranks - me - distance;
        const int child = call.absolute(me + distance);
        if (root && child + count > call.ranks) {  // around the last rank: not one piece of the send buffer
            const int upper = call.ranks - child;
            const StepIndex first = co_yield copy(call.send_blocks.in(Buffer::send, child, upper), work(0, upper));
            const StepIndex second =
                co_yield copy(call.send_blocks.in(Buffer::send, 0, count - upper), work(upper, count - upper));
            co_yield send(child, work(0, count), Interval{first, second});
        } else {
            co_yield send(child, root ? call.send_blocks.in(Buffer::send, child, count) : work(distance, count), ready);
        }
    }
    if (root && call.in_place) co_return;
    co_yield copy(root ? call.send_blocks.in(Buffer::send, call.rank) : work(0, 1), own, ready);
}

}  // namespace kumihimo::collectives
