// The bytes of a file that one rank moves, as ascending blocks: what ranks tell aggregators. Pure.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "mpiio/engine/access.hpp"

namespace kumihimo::mpiio::direct {

using sets::Blocks;

inline Index end_of(const Blocks& blocks) {
    return blocks.offset + (blocks.count - 1) * blocks.stride + blocks.length;
}

class Runs {
public:
    Runs() = default;
    explicit Runs(const Access& access);
    explicit Runs(std::vector<Blocks> blocks);

    const std::vector<Blocks>& blocks() const { return blocks_; }
    bool empty() const { return blocks_.empty(); }
    Index bytes() const { return before_.back(); }
    // Bytes with an offset below `offset`.
    Index below(Index offset) const;
    Index within(Index begin, Index end) const { return below(end) - below(begin); }
    // All offsets and lengths are multiples of it; 0 if there are none.
    Index grain() const { return grain_; }

    // The part in [begin, end) of the file, in order: visit(const Blocks&).
    template <typename Visit>
    void for_each(Index begin, Index end, Visit&& visit) const {
        for (std::size_t i = first_behind(begin); i < blocks_.size() && blocks_[i].offset < end; ++i)
            clip(blocks_[i], begin, end, visit);
    }
    std::vector<Blocks> part(Index begin, Index end) const {
        std::vector<Blocks> result;
        for_each(begin, end, [&](const Blocks& blocks) { result.push_back(blocks); });
        return result;
    }

private:
    void add(Blocks blocks);
    std::size_t first_behind(Index offset) const;  // the first that has a byte at `offset` or behind it

    template <typename Visit>
    static void clip(const Blocks& blocks, Index begin, Index end, Visit&& visit) {
        if (blocks.offset >= begin && end_of(blocks) <= end) return visit(blocks);
        const auto whole = [&](Index first, Index last) {  // blocks [first, last)
            if (first < last) visit(Blocks{blocks.offset + first * blocks.stride, blocks.length, last - first, blocks.stride});
        };
        const auto cut = [&](Index i) {
            const Index from = std::max(begin, blocks.offset + i * blocks.stride);
            const Index to = std::min(end, blocks.offset + i * blocks.stride + blocks.length);
            if (from < to) visit(Blocks{from, to - from, 1, to - from});
        };
        // Block i lies behind `begin` from `first` on, and before `end` up to `last`.
        const Index stride = std::max<Index>(1, blocks.stride);
        const Index first = blocks.offset >= begin ? 0 : std::min(blocks.count, (begin - blocks.offset + stride - 1) / stride);
        const Index room = end - blocks.offset - blocks.length;
        const Index last = std::max(first, room < 0 ? 0 : std::min(blocks.count, room / stride + 1));
        if (first > 0) cut(first - 1);
        whole(first, last);
        if (last < blocks.count && last >= first) cut(last);
    }

    std::vector<Blocks> blocks_;
    std::vector<Index> before_ = {0};  // bytes before each of them, and all
    Index grain_ = 0;
};

}  // namespace kumihimo::mpiio::direct
