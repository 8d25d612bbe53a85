// Gather at the speed of the root's links for blocks of any size: Scatter's mirror image (scatter_trees.cpp). A rank puts its
// own block and what its children's subtrees send together, segment by segment, and passes that on. The streams are taken from
// their ends, so what is near arrives first, and the root's links are busy all the time.
#include "collectives/algorithms/declarations.hpp"
#include "collectives/streams.hpp"

namespace kumihimo::collectives {

namespace {

Steps collect_streams(Call call, int parts) {
    Streams streams(call, parts, Towards::root);
    if (!call.in_place) co_yield copy({Buffer::send, 0, call.block_bytes}, call.receive_blocks.in(Buffer::receive, call.rank));
    while (Stream* const stream = streams.next()) {
        const int child = stream->children().ranks[0];
        const Bytes first = stream->first_block(), last = stream->last_block();
        if (first == last) {
            co_yield receive(child, stream->piece(first, call.receive_blocks, Buffer::receive), {}, stream->channel());
            continue;
        }
        const StepIndex got = co_yield receive(child, stream->slot(), stream->last_use(), stream->channel());
        StepIndex kept = got;
        for (Bytes block = first; block <= last; ++block) {
            const Span to = stream->piece(block, call.receive_blocks, Buffer::receive);
            kept = co_yield copy(stream->in_slot(stream->of_block(block)), to, got);
        }
        stream->last_use() = {got, kept};
    }
}

Steps join_streams(Call call, int parts) {
    Streams streams(call, parts, Towards::root);
    while (Stream* const stream = streams.next()) {
        const Range segment = stream->segment(), own = common(segment, stream->own());
        const Span from = stream->own_piece(Buffer::send);
        if (segment.within(stream->own())) {
            co_yield send(stream->parent(), from, {}, stream->channel());
            continue;
        }
        Interval filled;
        for (int child = 0; child < stream->children().count; ++child) {
            const Range theirs = common(segment, stream->child_range(child));
            if (theirs.bytes() > 0)
                filled.extend(co_yield receive(stream->children().ranks[child], stream->in_slot(theirs), stream->last_use(),
                                               stream->channel()));
        }
        if (own.bytes() > 0) filled.extend(co_yield copy(from, stream->in_slot(own), stream->last_use()));
        const StepIndex sent = co_yield send(stream->parent(), stream->slot(), filled, stream->channel());
        stream->last_use() = {sent, sent};
    }
}

}  // namespace

Steps gather_trees(Call call, int parts) {
    return call.rank == call.root ? collect_streams(call, parts) : join_streams(call, parts);
}

}  // namespace kumihimo::collectives
