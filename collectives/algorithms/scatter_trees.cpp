// Scatter at the speed of the root's links for blocks of any size. The paper's Scatter falls off above 256 bytes, where the
// root sends n - 1 messages one by one. Here the blocks go through edge-disjoint trees as streams (collectives/streams.hpp): a
// rank receives the stretch that its subtree needs, passes on what its children's subtrees need as soon as a segment is there,
// and keeps its own. The root sends n - 1 blocks in segments over as many links as there are trees; the last block arrives
// after the stream and as many segments as the tree is deep. What goes far leaves first.
#include "collectives/algorithms/declarations.hpp"
#include "collectives/streams.hpp"

namespace kumihimo::collectives {

namespace {

Steps send_streams(Call call, int parts) {
    Streams streams(call, parts, Towards::leaves);
    if (!call.in_place) co_yield copy(call.send_blocks.in(Buffer::send, call.rank), {Buffer::receive, 0, call.block_bytes});
    while (Stream* const stream = streams.next()) {
        const int child = stream->children().ranks[0];
        const Bytes first = stream->first_block(), last = stream->last_block();
        if (first == last) {
            co_yield send(child, stream->piece(first, call.send_blocks, Buffer::send), {}, stream->channel());
            continue;
        }
        Interval copies;
        for (Bytes block = first; block <= last; ++block) {
            const Span from = stream->piece(block, call.send_blocks, Buffer::send);
            copies.last = co_yield copy(from, stream->in_slot(stream->of_block(block)), stream->last_use());
            if (block == first) copies.first = copies.last;
        }
        const StepIndex sent = co_yield send(child, stream->slot(), copies, stream->channel());
        stream->last_use() = {sent, sent};
    }
}

Steps pass_streams(Call call, int parts) {
    Streams streams(call, parts, Towards::leaves);
    while (Stream* const stream = streams.next()) {
        const Range segment = stream->segment(), own = common(segment, stream->own());
        const Span kept = stream->own_piece(Buffer::receive);
        if (segment.within(stream->own())) {
            co_yield receive(stream->parent(), kept, {}, stream->channel());
            continue;
        }
        const StepIndex got = co_yield receive(stream->parent(), stream->slot(), stream->last_use(), stream->channel());
        StepIndex last = got;
        for (int child = 0; child < stream->children().count; ++child) {
            const Range theirs = common(segment, stream->child_range(child));
            if (theirs.bytes() > 0)
                last = co_yield send(stream->children().ranks[child], stream->in_slot(theirs), got, stream->channel());
        }
        if (own.bytes() > 0) last = co_yield copy(stream->in_slot(own), kept, got);
        stream->last_use() = {got, last};
    }
}

}  // namespace

Steps scatter_trees(Call call, int parts) {
    return call.rank == call.root ? send_streams(call, parts) : pass_streams(call, parts);
}

}  // namespace kumihimo::collectives
