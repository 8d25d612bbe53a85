// Which bytes of a stretch of the file somebody moves: one bit for each grain. Exact where ranks overlap or leave holes. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "mpiio/engine/direct/runs.hpp"

namespace kumihimo::mpiio::direct {

class Coverage {
public:
    // grain: divides begin, end and every offset and length to come.
    Coverage(Index begin, Index end, Index grain)
        : begin_(begin), grain_(grain), count_((end - begin) / grain), words_(static_cast<std::size_t>(count_ / 64 + 1)) {}

    void add(const Blocks& blocks) {
        for (Index i = 0; i < blocks.count; ++i) set(blocks.offset + i * blocks.stride, blocks.length);
    }
    // The stretches that are covered, in order; holes of up to `gap` bytes do not part them: visit(begin, end).
    template <typename Visit>
    void for_each(Index gap, Visit&& visit) const {
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
    void set(Index offset, Index length);
    Index next(Index from, bool covered) const;  // the first grain from there on that is (not) covered; else count_

    Index begin_, grain_, count_;
    std::vector<std::uint64_t> words_;
};

}  // namespace kumihimo::mpiio::direct
