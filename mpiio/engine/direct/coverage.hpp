// Which bytes of a stretch of the file somebody moves: exact where ranks overlap or leave holes. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "mpiio/engine/direct/runs.hpp"

namespace kumihimo::mpiio::direct {

// Where a few parts fill the stretch, as those of block and cyclic arrays do, their numbers tell so. Else there is one bit for
// each grain.
class Coverage {
public:
    // grain: divides begin, end and every offset and length to come.
    Coverage(Index begin, Index end, Index grain) : begin_(begin), end_(end), grain_(grain), count_((end - begin) / grain) {}

    void add(const Blocks& blocks) {
        if (words_.empty() && parts_.size() < most_parts) return parts_.push_back(blocks);
        mark_parts();
        mark(blocks);
    }
    // The stretches that are covered, in order; holes of up to `gap` bytes do not part them: visit(begin, end).
    template <typename Visit>
    void for_each(Index gap, Visit&& visit) {
        if (words_.empty() && parts_fill()) return visit(begin_, end_);
        mark_parts();
        Index from = next(0, true);
        while (from < count_) {
            Index to = next(from, false), behind = next(to, true);
            while (behind < count_ && (behind - to) * grain_ <= gap) {
                to = next(behind, false);
                behind = next(to, true);
            }
            visit(begin_ + from * grain_, begin_ + to * grain_);
            from = behind;
        }
    }

private:
    static constexpr std::size_t most_parts = 128;  // whose pairs are soon looked through
    bool parts_fill() const;                        // false: no, or it takes the bits to know
    void mark_parts();
    void mark(const Blocks& blocks);
    void set(Index first, Index count);          // in grains
    Index next(Index from, bool covered) const;  // the first grain from there on that is (not) covered; else count_

    Index begin_, end_, grain_, count_;
    std::vector<Blocks> parts_;         // not yet in the bits
    std::vector<std::uint64_t> words_;  // none: so far parts are kept
};

}  // namespace kumihimo::mpiio::direct
