// Small blocks on a power of two of ranks: in each of log2 n rounds a rank exchanges all it has with one at twice the distance.
#include "collectives/algorithms/declarations.hpp"

namespace kumihimo::collectives {

Steps allgather_recursive_doubling(Call call) {
    const auto blocks = [&](int first, int count) { return call.receive_blocks.in(Buffer::receive, first, count); };
    After ready;
    if (!call.in_place) ready = co_yield copy({Buffer::send, 0, call.block_bytes}, blocks(call.rank, 1));
    StepIndex last = ready.empty() ? -1 : 0;
    for (int distance = 1; distance < call.ranks; distance *= 2) {
        const int partner = call.rank ^ distance, mine = call.rank & -distance, theirs = partner & -distance;
        co_yield send(partner, blocks(mine, distance), Interval{0, last});
        last = co_yield receive(partner, blocks(theirs, distance));
    }
}

}  // namespace kumihimo::collectives
