// Large vectors: recursive halving leaves each rank with the sum of its part, recursive doubling collects the parts again: 2
// log2 n rounds in which a rank sends twice the vector in all (Rabenseifner). Ranks beyond a power of two first join a
// neighbour. Needs an operation that commutes.
#include "collectives/algorithms/declarations.hpp"

namespace kumihimo::collectives {

namespace {

// Bytes of the vector that belong to parts [first, last) of `parts`.
struct Parts {
    const Call& call;
    int size;
    Span operator()(Span span, int first, int last) const {
        const Bytes start = cut(call.bytes, call.element_bytes, size, first);
        return span.part(start, cut(call.bytes, call.element_bytes, size, last) - start);
    }
};

int largest_power_of_two(int ranks) {
    int size = 1;
    while (2 * size <= ranks) size *= 2;
    return size;
}

}  // namespace

Steps allreduce_rabenseifner(Call call) {
    const int size = largest_power_of_two(call.ranks), extra = call.ranks - size;
    const Parts parts{call, size};
    const auto rank_of = [&](int number) { return number < extra ? 2 * number + 1 : number + extra; };
    const Span result = call.vector(Buffer::receive), work = call.work(0);
    const bool paired = call.rank < 2 * extra;
    if (paired && call.rank % 2 == 0) {
        const StepIndex sent = co_yield send(call.rank + 1, call.vector(call.input()));
        co_yield receive(call.rank + 1, result, sent);
        co_return;
    }
    StepIndex last = -1;  // each round waits for all that was before it
    if (!call.in_place) last = co_yield copy(call.vector(Buffer::send), result);
    if (paired) {
        last = co_yield receive(call.rank - 1, work, Interval{0, last});
        last = co_yield reduce(work, result, Interval{0, last});
    }
    const int me = paired ? call.rank / 2 : call.rank - extra;
    int first = 0, end = size;
    for (int distance = size / 2; distance > 0; distance /= 2) {
        const int middle = (first + end) / 2, partner = rank_of(me ^ distance);
        const bool upper = (me & distance) != 0;
        const After before = Interval{0, last};
        co_yield send(partner, upper ? parts(result, first, middle) : parts(result, middle, end), before);
        (upper ? first : end) = middle;
        last = co_yield receive(partner, parts(work, first, end), before);
        last = co_yield reduce(parts(work, first, end), parts(result, first, end), last);
    }
    for (int distance = 1; distance < size; distance *= 2) {
        const int partner = rank_of(me ^ distance), other = (me & distance) != 0 ? first - distance : end;
        const After before = Interval{0, last};
        co_yield send(partner, parts(result, first, end), before);
        last = co_yield receive(partner, parts(result, other, other + distance), before);
        (other < first ? first : end) = other < first ? other : other + distance;
    }
    if (paired) co_yield send(call.rank - 1, result, Interval{0, last});
}

}  // namespace kumihimo::collectives
