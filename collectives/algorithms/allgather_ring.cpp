// Every rank passes on to the next what came from the one before, until every block has gone around: messages go to neighbours
// only and blocks may have any sizes.
#include "collectives/algorithms/declarations.hpp"

namespace kumihimo::collectives {

Steps allgather_ring(Call call) {
    const auto block = [&](int behind) { return call.receive_blocks.in(Buffer::receive, call.ahead(-behind)); };
    const Span own = call.in_place ? block(0) : Span{Buffer::send, 0, block(0).bytes};
    After ready;
    if (!call.in_place) co_yield copy(own, block(0));
    for (int i = 1; i < call.ranks; ++i) {
        const StepIndex got = co_yield receive(call.ahead(-1), block(i));
        co_yield send(call.ahead(1), i == 1 ? own : block(i - 1), ready);
        ready = got;
    }
}

}  // namespace kumihimo::collectives
