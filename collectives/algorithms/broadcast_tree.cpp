// One of the edge-disjoint trees of a torus (collectives/trees.hpp); which one is the channel. Segments follow each other
// through it, and each tree has its own part of the vector, so that the root sends at as many links as there are trees.
#include "collectives/algorithms/declarations.hpp"
#include "collectives/trees.hpp"

namespace kumihimo::collectives {

Steps broadcast_tree(Call call) {
    const Span all = call.vector(Buffer::receive);
    const Tree tree(call.torus, call.channel, call.root);
    After ready;
    if (call.rank != call.root) ready = co_yield receive(tree.parent(call.rank), all, {}, call.channel);
    for (const int child : tree.children(call.rank)) co_yield send(child, all, ready, call.channel);
}

}  // namespace kumihimo::collectives
