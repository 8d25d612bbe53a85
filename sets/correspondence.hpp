// Two loop nests over one index space: which byte of one memory belongs to which byte of another, and in what order they are
// counted. What copies, messages and file transfers of regular arrays are made of. Nothing is allocated.
#pragma once

#include <array>
#include <span>

#include "sets/range.hpp"

namespace kumihimo::sets {

// The sides of a correspondence, named for a copy.
enum class End { to, from };

// One loop over both sides: bytes between two steps, of any sign. 0: one place belongs to many.
struct PairedLevel {
    Index count, to, from;

    Index stride(End end) const { return end == End::to ? to : from; }
    bool operator==(const PairedLevel&) const = default;
};

// Visits the innermost loops of a nest, outermost level first: visit(row, to, from), with the offsets of its first step. A nest
// without levels is a row of one.
template <typename Visit>
void for_each_row(std::span<const PairedLevel> levels, Index to, Index from, Visit&& visit) {
    if (levels.empty()) return visit(PairedLevel{1, 0, 0}, to, from);
    const PairedLevel& level = levels.front();
    if (levels.size() == 1) return visit(level, to, from);
    for (Index i = 0; i < level.count; ++i) for_each_row(levels.subspan(1), to + i * level.to, from + i * level.from, visit);
}

// Runs of bytes, in the order of the levels ("the stream"): the innermost level is the fastest.
class Correspondence {
public:
    static constexpr int most_levels = 16;
    using Levels = std::span<const PairedLevel>;  // outermost first

    Correspondence() : Correspondence(0) {}
    explicit Correspondence(Index run) : run_(run), bytes_(run) {}
    // Levels that continue each other on both sides become one; so do runs.
    Correspondence(Index run, Levels levels, Index to = 0, Index from = 0);

    Index bytes() const { return bytes_; }
    Index run() const { return run_; }                    // bytes in a row on both sides
    bool contiguous() const { return levels().empty(); }  // one run, or nothing
    Index to() const { return to_; }                      // offsets of the first byte
    Index from() const { return from_; }
    Levels levels() const { return Levels(levels_).subspan(first_); }  // every count is at least 2

    // The same bytes elsewhere: added to the offsets.
    Correspondence moved(Index to, Index from) const;
    // Both sides exchanged.
    Correspondence turned() const;
    // The same pairs of bytes in an order in which one side ascends as far as it can.
    Correspondence ascending(End end) const;
    // One side without gaps, in the order of the stream, from offset 0 on.
    Correspondence dense(End end) const;
    Correspondence inside(Index step) const;               // what one step of the outermost level has
    Correspondence steps(Index first, Index count) const;  // some steps of it

    // The bytes that one side touches, offsets included: [first, end).
    struct Extent {
        Index first, end;
    };
    Extent extent(End end) const;
    // Whether one side lies in memory in the order of the stream, without overlap.
    bool nested(End end) const;

    // Calls visit(const Correspondence&) for a few that together are the bytes [begin, end) of the stream, in order.
    template <typename Visit>
    void for_each_box(Index begin, Index end, Visit&& visit) const {
        if (begin < end) cut(begin, end, visit);
    }
    // The same for all of it, each of at most `limit` bytes; runs are cut at multiples of `unit` only.
    template <typename Visit>
    void for_each_piece(Index limit, Index unit, Visit&& visit) const {
        if (bytes_ <= limit || (contiguous() && run_ < 2 * unit)) return visit(*this);
        if (contiguous()) {
            const Index half = run_ / unit / 2 * unit;
            part_of_run(0, half).for_each_piece(limit, unit, visit);
            part_of_run(half, run_).for_each_piece(limit, unit, visit);
        } else {
            const Index count = levels_[first_].count;
            steps(0, count / 2).for_each_piece(limit, unit, visit);
            steps(count / 2, count - count / 2).for_each_piece(limit, unit, visit);
        }
    }
    // Calls visit(row, to, from) for each innermost loop over runs, with the offsets of its first one.
    template <typename Visit>
    void for_each_row(Visit&& visit) const {
        if (bytes_ > 0) sets::for_each_row(levels(), to_, from_, visit);
    }
    // Calls visit(to, from) with the offsets of each run.
    template <typename Visit>
    void for_each_run(Visit&& visit) const {
        for_each_row([&](const PairedLevel& row, Index to, Index from) {
            for (Index i = 0; i < row.count; ++i) visit(to + i * row.to, from + i * row.from);
        });
    }

private:
    void add_around(const PairedLevel& level);
    Correspondence part_of_run(Index begin, Index end) const;

    template <typename Visit>
    void cut(Index begin, Index end, Visit& visit) const {
        if (begin == 0 && end == bytes_) return visit(*this);
        if (contiguous()) return visit(part_of_run(begin, end));
        const Index each = bytes_ / levels_[first_].count, last = end / each;
        Index step = begin / each;
        const Index skipped = begin - step * each, rest = end - last * each;
        if (step == last) return inside(step).cut(skipped, rest, visit);
        if (skipped > 0) inside(step++).cut(skipped, each, visit);
        if (step < last) visit(steps(step, last - step));
        if (rest > 0) inside(last).cut(0, rest, visit);
    }

    Index to_ = 0, from_ = 0, run_, bytes_;
    std::size_t first_ = most_levels;  // of the levels, which end with the array: the others are not initialised
    std::array<PairedLevel, most_levels> levels_;
};

// Calls visit(const Correspondence&) for the bytes [begin, end) of all streams, one after the other.
template <typename Correspondences, typename Visit>
void for_each_box(const Correspondences& parts, Index begin, Index end, Visit&& visit) {
    Index place = 0;
    for (const Correspondence& part : parts) {
        if (place >= end) return;
        const Index next = place + part.bytes();
        if (next > begin) part.for_each_box(begin > place ? begin - place : 0, (end < next ? end : next) - place, visit);
        place = next;
    }
}

}  // namespace kumihimo::sets
