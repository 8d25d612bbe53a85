// Scatter at the speed of the root's links for blocks of any size. The paper's Scatter falls off above 256 bytes, where the
// root sends n - 1 messages one by one. Here the blocks, each divided among the edge-disjoint trees, form one stream for each
// tree, cut into segments; a rank receives the part of the stream that its subtree needs, passes on what its children's
// subtrees need as soon as a segment is there, and keeps its own. The root sends n - 1 blocks in segments over as many links as
// there are trees; the last block arrives after the stream and as many segments as the tree is deep. In a stream a subtree
// comes before its own root, so what goes far leaves first; work space is a ring of segments.
#include <algorithm>
#include <vector>

#include "collectives/algorithms/declarations.hpp"
#include "collectives/trees.hpp"

namespace kumihimo::collectives {

namespace {

// The segments of all streams and the slots of work space that each stream has for them.
struct Ring {
    Bytes segment;
    int slots;

    Ring(const Call& call, int parts) {
        const Bytes longest = ((call.block_bytes + parts - 1) / parts) * (call.ranks - 1);
        segment = std::max(std::min({call.segment_bytes, call.work_limit / parts, longest}), Bytes{1});
        slots = static_cast<int>(
            std::clamp((longest + segment - 1) / segment, Bytes{1}, std::max(call.work_limit / parts / segment, Bytes{1})));
    }
};

struct Range {
    Bytes first, last;
    Bytes bytes() const { return last - first; }
    bool within(const Range& other) const { return first >= other.first && last <= other.last; }
};

Range common(const Range& a, const Range& b) {
    const Bytes first = std::max(a.first, b.first);
    return {first, std::max(first, std::min(a.last, b.last))};
}

// One tree's stream as a rank sees it.
class Stream {
public:
    Stream(const Call& call, int parts, int number, const Ring& ring)
        : number_(number),
          part_{cut(call.block_bytes, 1, parts, number), cut(call.block_bytes, 1, parts, number + 1)},
          ring_(ring),
          last_use_(static_cast<std::size_t>(ring.slots)) {
        const Tree tree(call.torus, number, call.root);
        const auto of = [&](int rank) {
            const Bytes first = rank == call.root ? 0 : tree.first(rank), count = tree.subtree(rank) - (rank == call.root);
            return Range{first * part_.bytes(), (first + count) * part_.bytes()};
        };
        here_ = of(call.rank);
        place_ = here_.first / ring_.segment;
        parent_ = tree.parent(call.rank);
        children_ = tree.children(call.rank);
        for (int i = 0; i < children_.count; ++i) child_ranges_[i] = of(children_.ranks[i]);
        if (call.rank == call.root) order_ = tree.order();
    }

    int channel() const { return number_; }
    int parent() const { return parent_; }
    const Tree::Children& children() const { return children_; }
    const Range& child_range(int i) const { return child_ranges_[i]; }
    const std::vector<int>& order() const { return order_; }
    const Range& part() const { return part_; }
    Range own() const { return {here_.last - part_.bytes(), here_.last}; }

    bool done() const { return place_ * ring_.segment >= here_.last || here_.bytes() == 0; }
    StepIndex place() const { return place_; }
    void advance() { ++place_; }
    // What this rank has of the segment at the current place of the stream, and its slot.
    Range segment() const { return common(here_, {place_ * ring_.segment, (place_ + 1) * ring_.segment}); }
    Span slot() const {
        return {Buffer::work, (number_ * Bytes{ring_.slots} + place_ % ring_.slots) * ring_.segment, segment().bytes()};
    }
    Interval& last_use() { return last_use_[static_cast<std::size_t>(place_ % ring_.slots)]; }

private:
    int number_, parent_;
    Range part_, here_;
    Ring ring_;
    StepIndex place_ = 0;
    Tree::Children children_;
    std::array<Range, Tree::most_children> child_ranges_;
    std::vector<int> order_;
    std::vector<Interval> last_use_;
};

std::vector<Stream> streams_of(const Call& call, int parts) {
    const Ring ring(call, parts);
    std::vector<Stream> streams;
    for (int number = 0; number < parts; ++number) streams.emplace_back(call, parts, number, ring);
    return streams;
}

// All ranks take the segments of all streams in the same order, by their place in the streams, so that nobody can wait for a
// later one. The stream that is next; null at the end.
Stream* next_of(std::vector<Stream>& streams) {
    Stream* next = nullptr;
    for (Stream& stream : streams)
        if (!stream.done() && (next == nullptr || stream.place() < next->place())) next = &stream;
    return next;
}

Steps send_streams(Call call, int parts) {
    std::vector<Stream> streams = streams_of(call, parts);
    if (!call.in_place) co_yield copy(call.send_blocks.in(Buffer::send, call.rank), {Buffer::receive, 0, call.block_bytes});
    for (; Stream* const next = next_of(streams); next->advance()) {
        Stream& stream = *next;
        const Range segment = stream.segment();
        const int child = stream.children().ranks[0];
        const Bytes part = stream.part().bytes(), first = segment.first / part, last = (segment.last - 1) / part;
        const auto piece = [&](Bytes k) {  // of the segment, in block number k of the stream
            const Range bytes = common(segment, {k * part, (k + 1) * part});
            const Span block = call.send_blocks.in(Buffer::send, stream.order()[static_cast<std::size_t>(k)]);
            return block.part(stream.part().first + bytes.first - k * part, bytes.bytes());
        };
        if (first == last) {
            co_yield send(child, piece(first), {}, stream.channel());
            continue;
        }
        Bytes filled = 0;
        Interval copies;
        for (Bytes k = first; k <= last; ++k) {
            const Span from = piece(k);
            copies.last = co_yield copy(from, stream.slot().part(filled, from.bytes), stream.last_use());
            if (k == first) copies.first = copies.last;
            filled += from.bytes;
        }
        const StepIndex sent = co_yield send(child, stream.slot(), copies, stream.channel());
        stream.last_use() = {sent, sent};
    }
}

Steps pass_streams(Call call, int parts) {
    std::vector<Stream> streams = streams_of(call, parts);
    for (; Stream* const next = next_of(streams); next->advance()) {
        Stream& stream = *next;
        const Range segment = stream.segment(), own = common(segment, stream.own());
        const Span kept{Buffer::receive, stream.part().first + own.first - stream.own().first, own.bytes()};
        if (segment.within(stream.own())) {
            co_yield receive(stream.parent(), kept, {}, stream.channel());
            continue;
        }
        const Span slot = stream.slot();
        const auto in_slot = [&](const Range& range) { return slot.part(range.first - segment.first, range.bytes()); };
        const StepIndex got = co_yield receive(stream.parent(), slot, stream.last_use(), stream.channel());
        StepIndex last = got;
        for (int child = 0; child < stream.children().count; ++child) {
            const Range theirs = common(segment, stream.child_range(child));
            if (theirs.bytes() > 0)
                last = co_yield send(stream.children().ranks[child], in_slot(theirs), got, stream.channel());
        }
        if (own.bytes() > 0) last = co_yield copy(in_slot(own), kept, got);
        stream.last_use() = {got, last};
    }
}

}  // namespace

Bytes scatter_trees_work(const Call& call, int parts) {
    const Ring ring(call, parts);
    return parts * ring.slots * ring.segment;
}

Bytes scatter_trees_segments(const Call& call, int parts) {
    return Ring(call, parts).slots;
}

// The root copies a segment of several blocks together; others receive it, send it on and keep their own.
Bytes scatter_trees_steps(const Call& call, int parts) {
    if (call.rank != call.root) return 2 + Tree::most_children;
    const Bytes part = std::max(call.block_bytes / parts, Bytes{1});
    return Ring(call, parts).segment / part + 3;
}

Steps scatter_trees(Call call, int parts) {
    return call.rank == call.root ? send_streams(call, parts) : pass_streams(call, parts);
}

}  // namespace kumihimo::collectives
