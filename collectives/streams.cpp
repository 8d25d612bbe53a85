#include "collectives/streams.hpp"

#include "collectives/pieces.hpp"

namespace kumihimo::collectives {

// A segment costs its sender the same, however long it is. What goes far leaves first: so as long as a stream has twice as many
// segments as the way is long, longer ones make nobody wait for the last block. Segments of several blocks may be longer, and
// become shorter towards the end of their stream: what leaves first goes its way while all else leaves the root, as fast as
// some three links, all streams in turns; and so on for what is left, with about half the way to go.
Ring::Ring(const Call& call, int parts) {
    constexpr Bytes links_of_node = 3;
    constexpr Bytes under_way = 16;  // segments of a stream that have work space at least
    divided = call.block_bytes / parts >= call.segment_bytes;
    block = divided ? (call.block_bytes + parts - 1) / parts : call.block_bytes;
    const Bytes all_blocks = call.block_bytes * (call.ranks - 1), way = std::max<Bytes>(call.torus.way(), 1);
    const Bytes longest = (all_blocks + parts - 1) / parts, room = call.work_limit / parts;
    const Bytes streams = block >= call.segment_bytes ? 2 * parts : links_of_node;
    const Bytes long_enough = std::min(all_blocks / (streams * way), room / under_way);
    share = std::max<Bytes>(way / parts, 1);
    segment = std::max(std::min({std::max(call.segment_bytes, long_enough), room, std::max(longest, block)}), Bytes{1});
    shortest = std::min(call.segment_bytes, segment);
    const Bytes least = divided ? call.block_bytes / parts : call.block_bytes;
    pieces = block >= call.segment_bytes ? static_cast<int>(std::min((block + segment - 1) / segment, least)) : 0;
    if (pieces > 0) segment = (block + pieces - 1) / pieces;
    const Bytes all = pieces > 0 ? (longest + segment - 1) / segment : count(longest), fit = room / segment;
    slots = static_cast<int>(std::max(std::min({all, fit, 2 * pieces_under_way(call, parts)}), Bytes{1}));
}

int Ring::count(Bytes stream) const {
    int count = 0;
    for (; stream > 0; ++count) stream -= length(stream);
    return count;
}

// The root copies a segment of several blocks together or apart; others receive it, send it on and copy their own.
Bytes Ring::steps(const Call& call) const {
    if (call.rank != call.root) return 2 + Tree::most_children;
    return segment / std::max(block, Bytes{1}) + 3;
}

Stream::Stream(const Call& call, int parts, int number, const Ring& ring)
    : number_(number),
      part_{ring.divided ? cut(call.block_bytes, 1, parts, number) : 0,
            ring.divided ? cut(call.block_bytes, 1, parts, number + 1) : call.block_bytes},
      ring_(ring),
      last_use_(static_cast<std::size_t>(ring.slots)) {
    const Tree tree(call.torus, number, call.root);
    const Share share = ring.divided ? Share{} : Share{parts, number};
    const auto of = [&](int rank) {
        const bool root = rank == call.root;
        const Bytes first = root ? 0 : tree.first(rank, share);
        const Bytes count = tree.subtree(rank, share) - (root && tree.has(share, rank));
        return Range{first * part_.bytes(), (first + count) * part_.bytes()};
    };
    here_ = of(call.rank);
    has_own_ = call.rank != call.root && tree.has(share, call.rank);
    parent_ = tree.parent(call.rank);
    children_ = tree.children(call.rank);
    for (int i = 0; i < children_.count; ++i) child_ranges_[static_cast<std::size_t>(i)] = of(children_.ranks[i]);
    if (call.rank == call.root) order_ = tree.order(share);
    if (here_.bytes() > 0) cut_into_segments(of(call.root).last);
    place_ = first_;
}

// Long blocks have segments of their own. Else all ranks cut the stream from its begin, and keep what they need.
void Stream::cut_into_segments(Bytes stream) {
    if (ring_.pieces > 0) {
        first_ = here_.first / part_.bytes() * ring_.pieces;
        last_ = (here_.last - 1) / part_.bytes() * ring_.pieces + ring_.pieces - 1;
        return;
    }
    Bytes at = 0;
    const auto next = [&] { return at + ring_.length(stream - at); };
    for (; next() <= here_.first; at = next()) ++first_;
    for (; at < here_.last; at = next()) edges_.push_back(at);
    edges_.push_back(at);
    last_ = first_ + static_cast<StepIndex>(edges_.size()) - 2;
}

Range Stream::segment() const {
    if (ring_.pieces == 0) {
        const auto i = static_cast<std::size_t>(place_ - first_);
        return common(here_, {edges_[i], edges_[i + 1]});
    }
    const Bytes block = place_ / ring_.pieces * part_.bytes();
    const auto piece = [&](StepIndex i) { return block + cut(part_.bytes(), 1, ring_.pieces, static_cast<int>(i)); };
    return {piece(place_ % ring_.pieces), piece(place_ % ring_.pieces + 1)};
}

Span Stream::own_piece(Buffer buffer) const {
    const Range bytes = common(segment(), own());
    return {buffer, part_.first + bytes.first - own().first, bytes.bytes()};
}

Span Stream::piece(Bytes number, const Blocks& blocks, Buffer buffer) const {
    const Range bytes = of_block(number);
    const Span block = blocks.in(buffer, order_[static_cast<std::size_t>(number)]);
    return block.part(part_.first + bytes.first - number * part_.bytes(), bytes.bytes());
}

Streams::Streams(const Call& call, int parts, Towards towards) : step_(towards == Towards::leaves ? 1 : -1) {
    const Ring ring(call, parts);
    for (int number = 0; number < parts; ++number) {
        Stream stream(call, parts, number, ring);
        if (stream.here_.bytes() == 0) continue;
        if (step_ < 0) stream.place_ = stream.last_;
        streams_.push_back(std::move(stream));
    }
}

Stream* Streams::next() {
    if (current_ != nullptr) current_->place_ += step_;
    current_ = nullptr;
    for (Stream& stream : streams_) {
        const bool done = stream.place_ < stream.first_ || stream.place_ > stream.last_;
        if (!done && (current_ == nullptr || (current_->place_ - stream.place_) * step_ > 0)) current_ = &stream;
    }
    return current_;
}

}  // namespace kumihimo::collectives
