// Binomial tree: ceiling(log2 n) rounds, in each of which every rank that has the data sends it to one that has not.
#include "collectives/algorithms/declarations.hpp"

namespace kumihimo::collectives {

Steps broadcast_binomial(Call call) {
    const Span all = call.vector(Buffer::receive);
    const int me = call.from_root();
    int distance = 1;  // ends as that to the parent; from the root as the first power of two that reaches nobody
    while (distance < call.ranks && (me & distance) == 0) distance *= 2;
    After ready;
    if (me != 0) ready = co_yield receive(call.absolute(me - distance), all);
    for (distance /= 2; distance > 0; distance /= 2)
        if (me + distance < call.ranks) co_yield send(call.absolute(me + distance), all, ready);
}

}  // namespace kumihimo::collectives
