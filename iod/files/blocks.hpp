// The blocks of a layout, one after the other.
#pragma once

#include <algorithm>
#include <array>

#include "iod/protocol/limits.hpp"
#include "sets/blocks.hpp"

namespace kumihimo::iod::process {

// The blocks of a layout in order, as long as visit(offset, bytes) says so.
template <typename Visit>
void for_each_block(const Layout& layout, Visit&& visit) {
    bool going = true;
    std::array<sets::Level, limit::levels> levels;
    for (const LayoutNest& nest : layout.nests) {
        std::ranges::transform(nest.levels, levels.begin(), [](const LayoutLevel& level) {
            return sets::Level{level.count, level.stride};
        });
        sets::for_each_blocks({nest.offset, nest.length, {levels.data(), nest.levels.size()}}, [&](const sets::Blocks& blocks) {
            for (std::int64_t i = 0; i < blocks.count && going; ++i)
                going = visit(blocks.offset + i * blocks.stride, static_cast<std::size_t>(blocks.length));
        });
    }
}

}  // namespace kumihimo::iod::process
