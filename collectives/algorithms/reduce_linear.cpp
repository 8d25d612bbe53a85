// Every rank sends to the root, which combines them from the last to the first: keeps the order of ranks.
#include "collectives/algorithms/declarations.hpp"

namespace kumihimo::collectives {

Steps reduce_linear(Call call) {
    const Span input = call.vector(call.input());
    if (call.rank != call.root) {
        co_yield send(call.root, input);
        co_return;
    }
    const Span result = call.vector(Buffer::receive), sum = call.in_place ? call.work(1) : result, next = call.work(0);
    After ready;
    for (int rank = call.ranks - 1; rank >= 0; --rank) {
        const bool first = rank == call.ranks - 1;
        if (rank != call.root) {
            ready = co_yield receive(rank, first ? sum : next, ready);
            if (!first) ready = co_yield reduce(next, sum, ready);
        } else {
            ready = co_yield (first ? copy(input, sum) : reduce(input, sum, ready));
        }
    }
    if (call.in_place) co_yield copy(sum, result, ready);
}

}  // namespace kumihimo::collectives
