// Bytes of one window of the file that lie in several places of memory: sorted by their places in the file they are written by
// few vectored calls, without a copy. Pure.
#pragma once

#include <sys/uio.h>

#include <vector>

#include "sets/blocks.hpp"

namespace kumihimo::mpiio::direct {

using sets::Blocks;
using sets::Index;

class Pieces {
public:
    // The bytes of `blocks` follow each other at `from`. Returns what lies behind them.
    const std::byte* add(const Blocks& blocks, const std::byte* from);
    // By place in the file; false if some overlap.
    bool sort();

    // Stretches of the file without gaps, in order: visit(offset, rows of memory). Precondition: sort() is content.
    template <typename Visit>
    void for_each_stretch(Visit&& visit) const {
        std::vector<iovec> rows;
        for (std::size_t i = 0; i < pieces_.size();) {
            const Index begin = pieces_[i].offset;
            Index end = begin;
            rows.clear();
            for (; i < pieces_.size() && pieces_[i].offset == end; ++i) {
                rows.push_back({const_cast<std::byte*>(pieces_[i].data), static_cast<std::size_t>(pieces_[i].length)});
                end += pieces_[i].length;
            }
            visit(begin, rows);
        }
    }

private:
    struct Piece {
        Index offset, length;
        const std::byte* data;
    };
    std::vector<Piece> pieces_;
};

}  // namespace kumihimo::mpiio::direct
