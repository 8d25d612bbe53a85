// Small blocks on any number of ranks: ceiling(log2 n) rounds, in which a rank sends the blocks that it has to the rank half as
// many further down (Bruck). Blocks lie in work space in the order of ranks counted from the own one, and are turned round at
// the end.
#include "collectives/algorithms/declarations.hpp"

namespace kumihimo::collectives {

Steps allgather_bruck(Call call) {
    const Bytes bytes = call.block_bytes;
    const auto work = [&](int first, int count) { return Span{Buffer::work, first * bytes, count * bytes}; };
    const Span own = call.receive_blocks.in(Buffer::receive, call.rank);
    StepIndex last = co_yield copy(call.in_place ? own : Span{Buffer::send, 0, bytes}, work(0, 1));
    for (int distance = 1; distance < call.ranks; distance *= 2) {
        const int count = distance < call.ranks - distance ? distance : call.ranks - distance;
        co_yield send(call.ahead(-distance), work(0, count), Interval{0, last});
        last = co_yield receive(call.ahead(distance), work(distance, count));
    }
    const int upper = call.ranks - call.rank;  // blocks of this rank and those after it
    co_yield copy(work(0, upper), call.receive_blocks.in(Buffer::receive, call.rank, upper), Interval{0, last});
    if (call.rank > 0)
        co_yield copy(work(upper, call.rank), call.receive_blocks.in(Buffer::receive, 0, call.rank), Interval{0, last});
}

}  // namespace kumihimo::collectives
