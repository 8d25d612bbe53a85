#include "collectives/streams.hpp"

#include "collectives/pieces.hpp"

namespace kumihimo::collectives {

// A segment costs its sender the same, however long it is. What goes far leaves first: so as long as a stream has twice as many
// segments as the way is long, longer ones make nobody wait for the last block.
Ring::Ring(const Call& call, int parts) {
    constexpr Bytes under_way = 16;  // segments of a stream that have work space at least
    divided = call.block_bytes / parts >= call.segment_bytes;
    block = divided ? (call.block_bytes + parts - 1) / parts : call.block_bytes;
    const Bytes longest = (call.block_bytes * (call.ranks - 1) + parts - 1) / parts, room = call.work_limit / parts;
    const Bytes long_enough = std::min(longest / (2 * call.torus.way()), room / under_way);
    segment = std::max(std::min({std::max(call.segment_bytes, long_enough), room, std::max(longest, block)}), Bytes{1});
    const Bytes shortest = divided ? call.block_bytes / parts : call.block_bytes;
    pieces = block >= call.segment_bytes ? static_cast<int>(std::min((block + segment - 1) / segment, shortest)) : 0;
    if (pieces > 0) segment = (block + pieces - 1) / pieces;
    const Bytes all = (longest + segment - 1) / segment, fit = room / segment;
    slots = static_cast<int>(std::max(std::min({all, fit, 2 * pieces_under_way(call, parts)}), Bytes{1}));
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
}

Range Stream::segment() const {
    if (ring_.pieces == 0) return common(here_, {place_ * ring_.segment, (place_ + 1) * ring_.segment});
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
        const auto place_of = [&](Bytes at) {
            return ring.pieces > 0 ? at / stream.part_.bytes() * ring.pieces : at / ring.segment;
        };
        const StepIndex first = place_of(stream.here_.first);
        const StepIndex last = place_of(stream.here_.last - 1) + std::max(ring.pieces - 1, 0);
        stream.place_ = step_ > 0 ? first : last;
        stream.end_ = step_ > 0 ? last + 1 : first - 1;
        streams_.push_back(std::move(stream));
    }
}

Stream* Streams::next() {
    if (current_ != nullptr) current_->place_ += step_;
    current_ = nullptr;
    for (Stream& stream : streams_) {
        const bool done = stream.place_ == stream.end_;
        if (!done && (current_ == nullptr || (current_->place_ - stream.place_) * step_ > 0)) current_ = &stream;
    }
    return current_;
}

}  // namespace kumihimo::collectives
