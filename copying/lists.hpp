// Copies between a row of bytes and a list of blocks, whose offsets count from `base`. Both return how many bytes the row has.
#pragma once

#include <cstddef>
#include <span>

#include "sets/blocks.hpp"

namespace kumihimo::copying {

sets::Index gather_list(std::byte* row, const std::byte* base, std::span<const sets::Blocks> list);
sets::Index scatter_list(std::byte* base, const std::byte* row, std::span<const sets::Blocks> list);

}  // namespace kumihimo::copying
