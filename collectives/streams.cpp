#include "collectives/streams.hpp"

#include "collectives/pieces.hpp"

namespace kumihimo::collectives {

Ring::Ring(const Call& call, int parts) {
    const Bytes longest = ((call.block_bytes + parts - 1) / parts) * (call.ranks - 1);
    segment = std::max(std::min({call.segment_bytes, call.work_limit / parts, longest}), Bytes{1});
    const Bytes all = (longest + segment - 1) / segment, fit = call.work_limit / parts / segment;
    slots = static_cast<int>(std::max(std::min({all, fit, 2 * pieces_under_way(call, parts)}), Bytes{1}));
}

// The root copies a segment of several blocks together or apart; others receive it, send it on and copy their own.
Bytes Ring::steps(const Call& call, int parts) const {
    if (call.rank != call.root) return 2 + Tree::most_children;
    return segment / std::max(call.block_bytes / parts, Bytes{1}) + 3;
}

Stream::Stream(const Call& call, int parts, int number, const Ring& ring)
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
    parent_ = tree.parent(call.rank);
    children_ = tree.children(call.rank);
    for (int i = 0; i < children_.count; ++i) child_ranges_[static_cast<std::size_t>(i)] = of(children_.ranks[i]);
    if (call.rank == call.root) order_ = tree.order();
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
        const StepIndex first = stream.here_.first / ring.segment, last = (stream.here_.last - 1) / ring.segment;
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
