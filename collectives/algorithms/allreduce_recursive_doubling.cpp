// Small vectors: in each of log2 n rounds a rank exchanges its sum with one at twice the distance. Ranks beyond a power of two
// first join a neighbour. Every sum is one of consecutive ranks, combined in their order, so the operation need not commute.
#include <utility>

#include "collectives/algorithms/declarations.hpp"

namespace kumihimo::collectives {

namespace {

// Ranks 0..2*extra-1 form pairs of which only the odd one takes part; the others all do.
struct Group {
    int size = 1, extra;
    explicit Group(int ranks) {
        while (2 * size <= ranks) size *= 2;
        extra = ranks - size;
    }
    int number(int rank) const { return rank < 2 * extra ? rank / 2 : rank - extra; }
    int rank(int number) const { return number < extra ? 2 * number + 1 : number + extra; }
};

}  // namespace

Steps allreduce_recursive_doubling(Call call) {
    const Group group(call.ranks);
    const Span result = call.vector(Buffer::receive);
    const bool paired = call.rank < 2 * group.extra;
    if (paired && call.rank % 2 == 0) {
        const StepIndex sent = co_yield send(call.rank + 1, call.vector(call.input()));
        co_yield receive(call.rank + 1, result, sent);
        co_return;
    }
    // The sum moves from one place to the other: what arrives becomes sum (operation) it. Only where it must be the other way
    // round is the input copied.
    Span sum = call.vector(call.input()), other = call.in_place ? call.work(0) : result;
    After ready;
    const int me = group.number(call.rank);
    for (int distance = paired ? 0 : 1; distance < group.size; distance = distance == 0 ? 1 : 2 * distance) {
        const int partner = distance == 0 ? call.rank - 1 : group.rank(me ^ distance);
        const bool theirs_first = partner < call.rank && !call.commutative;
        After both = ready;
        if (distance > 0) both.add(co_yield send(partner, sum, ready));
        both.add(co_yield receive(partner, other, ready));
        if (theirs_first && sum.buffer == Buffer::send) {
            both.add(co_yield copy(sum, call.work(0)));
            sum = call.work(0);
        }
        ready = co_yield (theirs_first ? reduce(other, sum, both) : reduce(sum, other, both));
        if (theirs_first) continue;
        std::swap(sum, other);
        if (other.buffer == Buffer::send) other = call.work(0);
    }
    if (sum.buffer != Buffer::receive) ready = co_yield copy(sum, result, ready);
    if (paired) co_yield send(call.rank - 1, result, ready);
}

}  // namespace kumihimo::collectives
