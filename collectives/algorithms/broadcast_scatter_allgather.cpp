// Large vectors: a binomial scatter of n chunks, then a ring that passes each chunk on (van de Geijn). Every rank receives each
// byte once; a rank that got more than its own chunk by the scatter is not sent those again.
#include "collectives/algorithms/declarations.hpp"

namespace kumihimo::collectives {

namespace {

// Ranks counted from the root in the subtree of `me`: it gets their chunks, too.
int held_by(int me, int ranks) {
    const int subtree = me == 0 ? ranks : me & -me;
    return subtree < ranks - me ? subtree : ranks - me;
}

Span chunks(const Call& call, int first, int count) {
    const auto start = [&](int chunk) { return cut(call.bytes, call.element_bytes, call.ranks, chunk); };
    return call.vector(Buffer::receive).part(start(first), start(first + count) - start(first));
}

}  // namespace

Steps broadcast_scatter_allgather(Call call) {
    const int me = call.from_root(), held = held_by(me, call.ranks);
    After scattered, passed;
    if (me != 0) scattered = co_yield receive(call.absolute(me & (me - 1)), chunks(call, me, held));
    int distance = 1;
    while (2 * distance < held) distance *= 2;
    for (; distance > 0; distance /= 2) {
        const int child = me + distance;
        if (distance < held) co_yield send(call.absolute(child), chunks(call, child, held_by(child, call.ranks)), scattered);
    }
    const int next = (me + 1) % call.ranks, previous = modulo(me - 1, call.ranks);
    const int sends = call.ranks - held_by(next, call.ranks), receives = call.ranks - held;
    for (int i = 0; i < sends || i < receives; ++i) {
        const After ready = i > 0 && i <= receives ? passed : scattered;  // chunk me - i: of the round before, or the first
        if (i < receives) passed = co_yield receive(call.absolute(previous), chunks(call, modulo(me - i - 1, call.ranks), 1));
        if (i < sends) co_yield send(call.absolute(next), chunks(call, modulo(me - i, call.ranks), 1), ready);
    }
}

}  // namespace kumihimo::collectives
