// In round i every rank sends its block to the rank i further on and receives its own from the rank i before: n - 1 messages
// that are as long as a block and wait for nothing. Needs an operation that commutes.
#include "collectives/algorithms/declarations.hpp"

namespace kumihimo::collectives {

Steps reduce_scatter_pairwise(Call call) {
    const Bytes mine = call.send_blocks.size(call.rank);
    const Span sum{Buffer::work, 0, mine};
    After summed = co_yield copy(call.send_blocks.in(call.input(), call.rank), sum);
    StepIndex reduced[2] = {-1, -1}, last = 0;  // two messages may be on their way
    for (int i = 1; i < call.ranks; ++i) {
        const Span place{Buffer::work, mine * (1 + i % 2), mine};
        After free, both = summed;
        if (reduced[i % 2] >= 0) free.add(reduced[i % 2]);
        both.add(co_yield receive(call.ahead(-i), place, free));
        co_yield send(call.ahead(i), call.send_blocks.in(call.input(), call.ahead(i)), free);
        last = co_yield reduce(place, sum, both);
        summed = reduced[i % 2] = last;
    }
    co_yield copy(sum, {Buffer::receive, 0, mine}, Interval{0, last});
}

}  // namespace kumihimo::collectives
