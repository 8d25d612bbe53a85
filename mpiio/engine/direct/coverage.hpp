// Which bytes of a stretch of the file somebody moves: exact where ranks overlap or leave holes. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "sets/blocks.hpp"

namespace kumihimo::mpiio::direct {

using sets::Blocks;
using sets::Index;

// Where a few parts fill the stretch, as those of block and cyclic arrays do, their numbers tell so. Else there is one bit for
// each grain of them.
class Coverage {
public:
    Coverage(Index begin, Index end) : begin_(begin), end_(end) {}

    void add(const Blocks& blocks) { parts_.push_back(blocks); }  // which lie in the stretch
    // The stretches that are covered, in order; holes of up to `gap` bytes do not part them: visit(begin, end).
    template <typename Visit>
    void for_each(Index gap, Visit&& visit) {
        if (parts_.empty()) return;
        if (parts_fill()) return visit(begin_, end_);
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
    static constexpr std::size_t most_compared = 128;  // whose pairs are soon looked through
    bool parts_fill() const;                           // false: no, or it takes the bits to know
    void mark_parts();
    void mark(const Blocks& blocks);
    void set(Index first, Index count);          // in grains
    Index next(Index from, bool covered) const;  // the first grain from there on that is (not) covered; else count_

    Index begin_, end_;
    std::vector<Blocks> parts_;
    Index grain_ = 1, count_ = 0;  // of the bits
    std::vector<std::uint64_t> words_;
};

}  // namespace kumihimo::mpiio::direct
