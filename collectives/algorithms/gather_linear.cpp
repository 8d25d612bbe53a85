// Every rank sends its block to the root: any sizes, which only the root need know.
#include "collectives/algorithms/declarations.hpp"

namespace kumihimo::collectives {

Steps gather_linear(Call call) {
    if (call.rank != call.root) {
        co_yield send(call.root, {Buffer::send, 0, call.block_bytes});
        co_return;
    }
    if (!call.in_place) co_yield copy({Buffer::send, 0, call.block_bytes}, call.receive_blocks.in(Buffer::receive, call.rank));
    for (int distance = 1; distance < call.ranks; ++distance)
        co_yield receive(call.ahead(distance), call.receive_blocks.in(Buffer::receive, call.ahead(distance)));
}

}  // namespace kumihimo::collectives
