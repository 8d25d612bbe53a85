// The root sends to every rank: the fewest steps for two or three ranks, and what others are compared with.
#include "collectives/algorithms/declarations.hpp"

namespace kumihimo::collectives {

Steps broadcast_linear(Call call) {
    const Span all = call.vector(Buffer::receive);
    if (call.rank != call.root) {
        co_yield receive(call.root, all);
        co_return;
    }
    for (int distance = 1; distance < call.ranks; ++distance) co_yield send(call.ahead(distance), all);
}

}  // namespace kumihimo::collectives
