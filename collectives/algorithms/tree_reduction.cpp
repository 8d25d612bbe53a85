// Reductions over one of the edge-disjoint trees of a torus; which one is the channel. Reduce sends towards the root over the
// broadcast's edges backwards, hence as disjoint. Allreduce is the paper's three-way algorithm (Trinaryx3): each segment is
// reduced towards rank 0 over the - links of its tree and comes back over the + links, and segments follow each other, so that
// both directions of all links are at work at the same time. A rank needs work space only for its children's segments; how many
// segments it can have at a time is the work space's limit. Needs an operation that commutes.
#include "collectives/algorithms/declarations.hpp"
#include "collectives/trees.hpp"

namespace kumihimo::collectives {

namespace {

Steps reduction(Call call, bool and_back) {
    const Tree tree(call.torus, call.channel, call.root);
    const Tree::Children children = tree.children(call.rank);
    const bool root = call.rank == call.root;
    const Span result = call.vector(Buffer::receive);
    Span sum = call.vector(call.input());
    After ready;
    if (root && !call.in_place) {
        ready = co_yield copy(sum, result);
        sum = result;
    }
    int place = 0;
    for (const int child : children) {
        const Span from = call.work(place++);
        After both = ready;
        both.add(co_yield receive(child, from, {}, call.channel));
        // The first child's memory becomes the sum, so that nobody but the root copies its own contribution.
        const bool into_child = !root && place == 1;
        ready = co_yield (into_child ? reduce(sum, from, both) : reduce(from, sum, both));
        if (into_child) sum = from;
    }
    if (!root) ready = co_yield send(tree.parent(call.rank), sum, ready, call.channel);
    if (!and_back) co_return;
    if (!root) ready = co_yield receive(tree.parent(call.rank), result, ready, call.channel);
    for (const int child : children) co_yield send(child, result, ready, call.channel);
}

}  // namespace

Steps reduce_tree(Call call) {
    return reduction(call, false);
}

Steps allreduce_tree(Call call) {
    call.root = 0;
    return reduction(call, true);
}

}  // namespace kumihimo::collectives
