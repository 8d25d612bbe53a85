// Large vectors: a ring in which each rank's chunk collects the sum, then every rank sends its finished chunk to the root.
// Every rank sends about as much as the vector has, whatever the number of ranks. Needs an operation that commutes.
#include "collectives/algorithms/declarations.hpp"

namespace kumihimo::collectives {

Steps reduce_ring(Call call) {
    const Span input = call.vector(call.input()), result = call.vector(Buffer::receive);
    const auto chunk = [&](Span span, int number) {
        const Bytes first = cut(call.bytes, call.element_bytes, call.ranks, number);
        return span.part(first, cut(call.bytes, call.element_bytes, call.ranks, number + 1) - first);
    };
    Span sum = chunk(input, call.rank);
    After ready;
    StepIndex last = -1;
    for (int i = 1; i < call.ranks; ++i) {
        const Span place = chunk(call.work(0), call.ahead(-i));
        const StepIndex got = co_yield receive(call.ahead(-1), place);
        co_yield send(call.ahead(1), sum, ready);
        ready = last = co_yield reduce(chunk(input, call.ahead(-i)), place, got);
        sum = place;
    }
    if (call.rank != call.root) {
        co_yield send(call.root, sum, ready, 1);
        co_return;
    }
    const After all = Interval{0, last};  // in place, the result takes the input's place
    if (!(call.in_place && call.ranks == 1)) co_yield copy(sum, chunk(result, call.ahead(1)), all);
    for (int distance = 1; distance < call.ranks; ++distance)
        co_yield receive(call.ahead(distance), chunk(result, call.ahead(distance + 1)), all, 1);
}

}  // namespace kumihimo::collectives
