#include "mpiio/engine/direct/pieces.hpp"

#include <algorithm>

namespace kumihimo::mpiio::direct {

const std::byte* Pieces::add(const Blocks& blocks, const std::byte* from) {
    for (Index i = 0; i < blocks.count; ++i, from += blocks.length)
        pieces_.push_back({blocks.offset + i * blocks.stride, blocks.length, from});
    return from;
}

bool Pieces::sort() {
    std::sort(pieces_.begin(), pieces_.end(), [](const Piece& a, const Piece& b) { return a.offset < b.offset; });
    const auto meet = [](const Piece& a, const Piece& b) { return a.offset + a.length > b.offset; };
    return std::adjacent_find(pieces_.begin(), pieces_.end(), meet) == pieces_.end();
}

}  // namespace kumihimo::mpiio::direct
