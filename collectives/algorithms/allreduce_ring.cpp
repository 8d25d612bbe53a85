// Large vectors: a ring in which each chunk collects the sum, then a ring that passes the finished chunks on. Every rank sends
// 2 (n - 1) / n of the vector and needs no work space unless it is in place. Needs an operation that commutes.
#include "collectives/algorithms/declarations.hpp"

namespace kumihimo::collectives {

Steps allreduce_ring(Call call) {
    const Span input = call.vector(call.input()), result = call.vector(Buffer::receive);
    const auto chunk = [&](Span span, int behind) {
        const int number = call.ahead(-behind);
        const Bytes first = cut(call.bytes, call.element_bytes, call.ranks, number);
        return span.part(first, cut(call.bytes, call.element_bytes, call.ranks, number + 1) - first);
    };
    const int next = call.ahead(1), previous = call.ahead(-1);
    StepIndex last = -1;
    if (call.ranks == 1 && !call.in_place) co_yield copy(input, result);
    Span sum = chunk(input, 0);
    After ready;
    for (int i = 1; i < call.ranks; ++i) {
        const Span place = chunk(call.in_place ? call.work(0) : result, i), own = chunk(input, i);
        const StepIndex got = co_yield receive(previous, place);
        co_yield send(next, sum, ready);
        ready = last = co_yield (call.in_place ? reduce(place, own, got) : reduce(own, place, got));
        sum = chunk(result, i);
    }
    const After first_ring = Interval{0, last};
    for (int i = 0; i + 1 < call.ranks; ++i) {
        const StepIndex got = co_yield receive(previous, chunk(result, i), first_ring);
        co_yield send(next, chunk(result, i - 1), ready);
        ready = got;
    }
}

}  // namespace kumihimo::collectives
