// Small blocks, side by side, of a power of two of ranks: in each of log2 n rounds a rank exchanges all it has with one at
// twice the distance.
#include "collectives/algorithms/declarations.hpp"

namespace kumihimo::collectives {

Steps allgather_recursive_doubling(Call call) {
    const auto blocks = [&](int first, int count) { return call.receive_blocks.in(Buffer::receive, first, count); };
    const Span own = call.in_place ? blocks(call.rank, 1) : Span{Buffer::send, 0, call.block_bytes};
    StepIndex last = -1;
    After ready;  // the first message leaves at once
    if (!call.in_place) last = co_yield copy(own, blocks(call.rank, 1));
    for (int distance = 1; distance < call.ranks; distance *= 2) {
        const int partner = call.rank ^ distance, mine = call.rank & -distance, theirs = partner & -distance;
        co_yield send(partner, distance == 1 ? own : blocks(mine, distance), ready);
        last = co_yield receive(partner, blocks(theirs, distance));
        ready = Interval{0, last};
    }
}

}  // namespace kumihimo::collectives
