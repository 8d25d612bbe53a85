// What a layout may be: ascending, of at most limit::transfer_bytes, where a file can be. Each step is checked before the next
// is computed, so that no number that came over a connection overflows.
#include "iod/protocol/limits.hpp"

namespace kumihimo::iod {

namespace {

constexpr auto most_bytes = static_cast<std::int64_t>(limit::transfer_bytes);

[[noreturn]] void impossible() {
    throw ProtocolError("a layout of bytes that no transfer can have");
}

struct Size {
    std::int64_t bytes;
    std::uint64_t span;  // from the first byte to behind the last
};

// Blocks have a byte at least, so counts are no more than the bytes of a transfer, and products stay below 2^63.
Size size_of(const LayoutNest& nest) {
    if (nest.length < 1 || nest.length > most_bytes) impossible();
    if (nest.levels.size() > limit::levels) impossible();
    Size size{nest.length, static_cast<std::uint64_t>(nest.length)};
    for (auto level = nest.levels.rbegin(); level != nest.levels.rend(); ++level) {
        if (level->count < 1 || level->count > most_bytes / size.bytes) impossible();
        if (level->stride < 0 || (level->count > 1 && static_cast<std::uint64_t>(level->stride) < size.span)) impossible();
        std::uint64_t more = 0;
        if (__builtin_mul_overflow(static_cast<std::uint64_t>(level->count - 1), static_cast<std::uint64_t>(level->stride),
                                   &more) ||
            !possible(0, more) || !possible(static_cast<Offset>(more), size.span))
            impossible();
        size.bytes *= level->count;
        size.span += more;
    }
    return size;
}

}  // namespace

void check(const Layout& layout) {
    std::int64_t bytes = 0;
    for (const LayoutNest& nest : layout.nests) {
        const Size size = size_of(nest);
        if (!possible(nest.offset, size.span) || size.bytes > most_bytes - bytes) impossible();
        bytes += size.bytes;
    }
}

std::int64_t bytes_of(const LayoutNest& nest) {
    std::int64_t bytes = nest.length;
    for (const LayoutLevel& level : nest.levels) bytes *= level.count;
    return bytes;
}

std::int64_t bytes_of(const Layout& layout) {
    std::int64_t bytes = 0;
    for (const LayoutNest& nest : layout.nests) bytes += bytes_of(nest);
    return bytes;
}

}  // namespace kumihimo::iod
