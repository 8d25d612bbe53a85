// The root sends every rank its block: any sizes, which only the root need know.
#include "collectives/algorithms/declarations.hpp"

namespace kumihimo::collectives {

Steps scatter_linear(Call call) {
    if (call.rank != call.root) {
        co_yield receive(call.root, {Buffer::receive, 0, call.block_bytes});
        co_return;
    }
    for (int distance = 1; distance < call.ranks; ++distance)
        co_yield send(call.ahead(distance), call.send_blocks.in(Buffer::send, call.ahead(distance)));
    if (!call.in_place) co_yield copy(call.send_blocks.in(Buffer::send, call.rank), {Buffer::receive, 0, call.block_bytes});
}

}  // namespace kumihimo::collectives
