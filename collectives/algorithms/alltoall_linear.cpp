// Every rank sends to all others and receives from all others, each beginning with its neighbour; nothing waits. Any sizes.
#include "collectives/algorithms/declarations.hpp"

namespace kumihimo::collectives {

Steps alltoall_linear(Call call) {
    co_yield copy(call.send_blocks.in(Buffer::send, call.rank), call.receive_blocks.in(Buffer::receive, call.rank));
    for (int i = 1; i < call.ranks; ++i) {
        co_yield receive(call.ahead(-i), call.receive_blocks.in(Buffer::receive, call.ahead(-i)));
        co_yield send(call.ahead(i), call.send_blocks.in(Buffer::send, call.ahead(i)));
    }
}

}  // namespace kumihimo::collectives
