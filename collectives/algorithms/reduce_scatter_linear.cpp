// Every rank sends each other one its block; the owner combines them from the last rank to the first, one source after the
// other: the simplest that keeps the order of ranks.
#include "collectives/algorithms/declarations.hpp"

namespace kumihimo::collectives {

Steps reduce_scatter_linear(Call call) {
    const Bytes mine = call.send_blocks.size(call.rank);
    const Span sum{Buffer::work, 0, mine}, next{Buffer::work, mine, mine};
    After ready;
    for (int source = call.ranks - 1; source >= 0; --source) {
        const bool first = source == call.ranks - 1;
        if (source == call.rank) {
            for (int distance = 1; distance < call.ranks; ++distance)
                co_yield send(call.ahead(distance), call.send_blocks.in(call.input(), call.ahead(distance)));
            const Span own = call.send_blocks.in(call.input(), call.rank);
            ready = co_yield (first ? copy(own, sum) : reduce(own, sum, ready));
        } else {
            ready = co_yield receive(source, first ? sum : next, ready);
            if (!first) ready = co_yield reduce(next, sum, ready);
        }
    }
    // In place, the result takes the place of blocks that were sent (MPI-4.0 6.10.1).
    After all = ready;
    if (call.in_place) all = Interval{0, ready.intervals[0].last};
    co_yield copy(sum, {Buffer::receive, 0, mine}, all);
}

}  // namespace kumihimo::collectives
