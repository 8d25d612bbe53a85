#include "base/hash.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace kumihimo::base {

std::uint64_t hash_of(std::span<const std::byte> bytes) {
    return XXH3_64bits(bytes.data(), bytes.size());
}

}  // namespace kumihimo::base
