// A number for something longer, the same on all nodes: whether they have the same is seen from 8 bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace kumihimo::base {

std::uint64_t hash_of(std::span<const std::byte> bytes);

}  // namespace kumihimo::base
