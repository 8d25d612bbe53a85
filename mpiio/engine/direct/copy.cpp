#include "mpiio/engine/direct/copy.hpp"

namespace kumihimo::mpiio::direct {

namespace {

// Calls copy(length) with the usual lengths of elements as constants, for which memcpy is one instruction.
template <typename Copy>
void with_length(Index length, Copy&& copy) {
    switch (length) {
        case 4:
            return copy(std::integral_constant<std::size_t, 4>{});
        case 8:
            return copy(std::integral_constant<std::size_t, 8>{});
        case 16:
            return copy(std::integral_constant<std::size_t, 16>{});
        default:
            return copy(static_cast<std::size_t>(length));
    }
}

}  // namespace

std::byte* pack(const std::byte* base, const Blocks& blocks, std::byte* to) {
    with_length(blocks.length, [&](auto length) {
        const std::byte* from = base + blocks.offset;
        for (Index i = 0; i < blocks.count; ++i, from += blocks.stride, to += blocks.length) std::memcpy(to, from, length);
    });
    return to;
}

const std::byte* unpack(const std::byte* from, const Blocks& blocks, std::byte* base) {
    with_length(blocks.length, [&](auto length) {
        std::byte* to = base + blocks.offset;
        for (Index i = 0; i < blocks.count; ++i, to += blocks.stride, from += blocks.length) std::memcpy(to, from, length);
    });
    return from;
}

void gather(const Memory& memory, Index begin, Index end, std::byte* to) {
    memory.for_each(begin, end, [&](const Blocks& blocks) { to = pack(memory.base, blocks, to); });
}

void scatter(const std::byte* from, const Memory& memory, Index begin, Index end) {
    memory.for_each(begin, end, [&](const Blocks& blocks) { from = unpack(from, blocks, memory.base); });
}

}  // namespace kumihimo::mpiio::direct
