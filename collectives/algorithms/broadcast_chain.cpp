// Every rank passes the segments on to the next one: a pipeline that keeps each link busy, n - 2 segments long.
#include "collectives/algorithms/declarations.hpp"

namespace kumihimo::collectives {

Steps broadcast_chain(Call call) {
    const Span all = call.vector(Buffer::receive);
    const int me = call.from_root();
    After ready;
    if (me > 0) ready = co_yield receive(call.absolute(me - 1), all);
    if (me + 1 < call.ranks) co_yield send(call.absolute(me + 1), all, ready);
}

}  // namespace kumihimo::collectives
