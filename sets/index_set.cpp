#include "sets/index_set.hpp"

#include <algorithm>

#include "sets/arithmetic.hpp"

namespace kumihimo::sets {

namespace {

Index block_start(const Piece& piece, Index block) {
    return piece.first + block * piece.period;
}
Range starts(const Piece& piece) {
    return {piece.first, piece.blocks, piece.period};
}

// Gives equal sets of one piece equal fields: no gaps means one block, and one block has period = length.
Piece normalised(Piece piece) {
    if (piece.blocks > 1 && piece.period == piece.length) piece = {piece.first, piece.length * piece.blocks, 0, 1};
    if (piece.blocks == 1) piece.period = piece.length;
    return piece;
}

// Makes `piece` part of `before` if together they are one piece; before.first < piece.first.
bool fuse(Piece& before, const Piece& piece) {
    if (before.blocks == 1 && piece.blocks == 1 && before.last() + 1 == piece.first) {
        before.length += piece.length;
        before.period = before.length;
        return true;
    }
    if (before.length != piece.length) return false;
    const Index distance = piece.first - block_start(before, before.blocks - 1);
    if (before.blocks > 1 && distance != before.period) return false;
    if (piece.blocks > 1 && distance != piece.period) return false;
    before.period = distance;
    before.blocks += piece.blocks;
    before = normalised(before);
    return true;
}

// The blocks of a piece that meet an interval: indices [first, last] of blocks; empty if last < first.
struct BlockRange {
    Index first, last;
    Index count() const { return last - first + 1; }
};
BlockRange blocks_within(const Piece& piece, Index low, Index high) {
    const Wide first = ceiling_divide(Wide(low) - (piece.length - 1) - piece.first, Wide(piece.period));
    const Wide last = floor_divide(Wide(high) - piece.first, Wide(piece.period));
    return {static_cast<Index>(std::clamp<Wide>(first, 0, piece.blocks)),
            static_cast<Index>(std::clamp<Wide>(last, -1, piece.blocks - 1))};
}

// Appends piece restricted to [low, high]: at most a cut first block, whole blocks, and a cut last block.
void append_clipped(const Piece& piece, Index low, Index high, std::vector<Piece>& result) {
    auto [first, last] = blocks_within(piece, low, high);
    if (last < first) return;
    const auto append_cut = [&](Index block) {
        const Index begin = std::max(low, block_start(piece, block));
        const Index end = std::min(high, block_start(piece, block) + piece.length - 1);
        result.push_back({begin, end - begin + 1, end - begin + 1, 1});
    };
    if (first == last) return append_cut(first);
    if (block_start(piece, first) < low) append_cut(first++);
    const bool cut_last = block_start(piece, last) + piece.length - 1 > high;
    if (cut_last) --last;
    if (first <= last) result.push_back({block_start(piece, first), piece.length, piece.period, last - first + 1});
    if (cut_last) append_cut(last + 1);
}

// Blocks of a and b that meet differ in their starts by d = start(b) - start(a) with -b.length < d < a.length, and d is fixed
// modulo gcd(periods). For each such d the pairs of blocks repeat with the periods' least common multiple: one progression,
// hence one piece.
void append_by_distance(const Piece& a, const Piece& b, Index smallest, Index gcd, std::vector<Piece>& result) {
    for (Index distance = smallest; distance < a.length; distance += gcd) {
        const Range pairs = intersect(starts(a), starts(b).shifted(-distance));
        if (pairs.empty()) continue;
        const Index begin = std::max<Index>(0, distance), end = std::min(a.length, distance + b.length);
        result.push_back({pairs.first + begin, end - begin, pairs.step, pairs.count});
    }
}

void append_by_walking(const Piece& coarse, const BlockRange& blocks, const Piece& fine, std::vector<Piece>& result) {
    for (Index block = blocks.first; block <= blocks.last; ++block) {
        const Index begin = block_start(coarse, block);
        append_clipped(fine, begin, begin + coarse.length - 1, result);
    }
}

void append_intersection(const Piece& a, const Piece& b, std::vector<Piece>& result) {
    const Index low = std::max(a.first, b.first), high = std::min(a.last(), b.last());
    if (low > high) return;
    const BlockRange blocks_a = blocks_within(a, low, high), blocks_b = blocks_within(b, low, high);
    const Index fewest = std::min(blocks_a.count(), blocks_b.count());
    if (fewest <= 0) return;
    const Index gcd = static_cast<Index>(extended_gcd(a.period, b.period).gcd);
    const Wide lowest_distance = 1 - Wide(b.length);
    const Index smallest =
        static_cast<Index>(lowest_distance + floor_modulo(Wide(b.first) - a.first - lowest_distance, Wide(gcd)));
    const Wide distances = ceiling_divide(Wide(a.length) - smallest, Wide(gcd));
    const bool walk_a = blocks_a.count() <= blocks_b.count();
    const Wide pieces_of_block = (walk_a ? b : a).length == 1 ? 1 : 3;  // single elements are never cut
    if (distances <= pieces_of_block * fewest) {
        append_by_distance(a, b, smallest, gcd, result);
    } else if (walk_a) {
        append_by_walking(a, blocks_a, b, result);
    } else {
        append_by_walking(b, blocks_b, a, result);
    }
}

}  // namespace

IndexSet::IndexSet(std::vector<Piece> pieces) {
    std::erase_if(pieces, [](const Piece& piece) { return piece.blocks <= 0 || piece.length <= 0; });
    for (Piece& piece : pieces) piece = normalised(piece);
    std::sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) { return a.first < b.first; });
    for (const Piece& piece : pieces) {
        if (pieces_.empty() || !fuse(pieces_.back(), piece)) pieces_.push_back(piece);
    }
}

IndexSet IndexSet::interval(Index lower, Index upper) {
    return upper < lower ? IndexSet() : IndexSet({{lower, upper - lower + 1, 1, 1}});
}

IndexSet IndexSet::of(const Range& range) {
    const Range up = range.ascending();
    return up.empty() ? IndexSet() : IndexSet({{up.first, 1, up.step, up.count}});
}

Index IndexSet::size() const {
    Index size = 0;
    for (const Piece& piece : pieces_) size += piece.size();
    return size;
}

Index IndexSet::lowest() const {
    return pieces_.front().first;
}

Index IndexSet::highest() const {
    Index highest = pieces_.front().last();
    for (const Piece& piece : pieces_) highest = std::max(highest, piece.last());
    return highest;
}

bool IndexSet::contains(Index index) const {
    return std::any_of(pieces_.begin(), pieces_.end(), [&](const Piece& piece) {
        const Wide distance = Wide(index) - piece.first;
        return distance >= 0 && distance / piece.period < piece.blocks && distance % piece.period < piece.length;
    });
}

IndexSet IndexSet::intersect(const IndexSet& other) const {
    std::vector<Piece> result;
    for (const Piece& a : pieces_) {
        for (const Piece& b : other.pieces_) append_intersection(a, b, result);
    }
    return IndexSet(std::move(result));
}

IndexSet IndexSet::shifted(Index offset) const {
    IndexSet result = *this;
    for (Piece& piece : result.pieces_) piece.first += offset;
    return result;
}

void IndexSet::for_each_run(const std::function<void(Index first, Index length)>& visit) const {
    RunCursor cursor(*this);
    for (Run run; cursor.next(run);) visit(run.first, run.length);
}

std::vector<Range> IndexSet::runs() const {
    std::vector<Range> result;
    for_each_run([&](Index first, Index length) { result.push_back({first, length, 1}); });
    return result;
}

IndexSet positions(const IndexSet& set, const Range& range) {
    const Index stride = range.step < 0 ? -range.step : range.step;
    std::vector<Piece> pieces;
    for (const Piece& piece : set.pieces()) {
        const Index distance = range.step > 0 ? piece.first - range.first : range.first - piece.last();
        // Blocks longer than one element occur with a step of 1 or -1 only; periods are multiples of the step.
        const Index period = piece.blocks == 1 ? piece.length : piece.period / stride;
        pieces.push_back({distance / stride, piece.length, period, piece.blocks});
    }
    return IndexSet(std::move(pieces));
}

RunCursor::RunCursor(const IndexSet& set) : pieces_(set.pieces()) {}

bool RunCursor::next_block(Run& block) {
    const bool waiting = next_piece_ < pieces_.size();
    if (active_.empty() && !waiting) return false;
    if (waiting && (active_.empty() || pieces_[next_piece_].first < active_.front().start)) {
        active_.push_back({pieces_[next_piece_].first, next_piece_, pieces_[next_piece_].blocks});
        std::push_heap(active_.begin(), active_.end());
        ++next_piece_;
    }
    Active& lowest = active_.front();
    const Piece& piece = pieces_[lowest.piece];
    block = {lowest.start, piece.length};
    if (active_.size() > 1) std::pop_heap(active_.begin(), active_.end());
    Active& done = active_.back();
    if (--done.blocks_left == 0) {
        active_.pop_back();
    } else {
        done.start += piece.period;
        if (active_.size() > 1) std::push_heap(active_.begin(), active_.end());
    }
    return true;
}

bool RunCursor::next(Run& run) {
    if (pending_.length == 0 && !next_block(pending_)) return false;
    run = pending_;
    while (true) {
        pending_ = {};
        if (!next_block(pending_) || pending_.first != run.first + run.length) return true;
        run.length += pending_.length;
    }
}

}  // namespace kumihimo::sets
