// Every rank exchanges with one at a time: in round i it sends to the rank i further on and receives from the one i before.
// Large blocks of any sizes.
#include "collectives/algorithms/declarations.hpp"

namespace kumihimo::collectives {

Steps alltoall_pairwise(Call call) {
    StepIndex last =
        co_yield copy(call.send_blocks.in(Buffer::send, call.rank), call.receive_blocks.in(Buffer::receive, call.rank));
    for (int i = 1; i < call.ranks; ++i) {
        const After round = Interval{last - (last > 0), last};
        co_yield receive(call.ahead(-i), call.receive_blocks.in(Buffer::receive, call.ahead(-i)), round);
        last = co_yield send(call.ahead(i), call.send_blocks.in(Buffer::send, call.ahead(i)), round);
    }
}

}  // namespace kumihimo::collectives
