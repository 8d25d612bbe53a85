// Binomial tree towards the root. A rank's subtree is a run of consecutive ranks, so their order is kept if the tree's root is
// rank 0: for operations that do not commute it is, and rank 0 passes the result on (MPI-4.0 6.9.1).
#include "collectives/algorithms/declarations.hpp"

namespace kumihimo::collectives {

namespace {

int count_children(int me, int ranks) {
    int count = 0;
    for (int distance = 1; (me & distance) == 0 && me + distance < ranks; distance *= 2) ++count;
    return count;
}

}  // namespace

Steps reduce_binomial(Call call) {
    const int top = call.commutative ? call.root : 0, me = modulo(call.rank - top, call.ranks);
    const int count = count_children(me, call.ranks);
    const bool last = call.rank == call.root && me == 0;  // the result arises here
    const Span result = call.vector(Buffer::receive);
    // The sum moves from one place to the other: what came from a child becomes sum (operation) child. It ends in the first
    // place.
    const Span places[2] = {last ? result : call.work(0), call.work(1)};
    Span sum = call.vector(call.input());
    After ready;
    if (sum.buffer == Buffer::receive && places[0] == sum && count % 2 == 1) {
        ready = co_yield copy(sum, call.work(0));
        sum = call.work(0);
    }
    for (int i = 0; i < count; ++i) {
        const Span place = places[(count - 1 - i) % 2];
        const StepIndex got = co_yield receive((call.rank + (1 << i)) % call.ranks, place, ready);
        ready = co_yield reduce(sum, place, got);
        sum = place;
    }
    if (me != 0) {
        ready = co_yield send(modulo(top + (me & (me - 1)), call.ranks), sum, ready);
        if (call.rank == call.root) co_yield receive(top, result, ready);
    } else if (!last) {
        co_yield send(call.root, sum, ready);
    } else if (count == 0 && !call.in_place) {
        co_yield copy(sum, result);
    }
}

}  // namespace kumihimo::collectives
