#include "mpiio/engine/direct/coverage.hpp"

#include <bit>

namespace kumihimo::mpiio::direct {

void Coverage::set(Index offset, Index length) {
    const Index first = (offset - begin_) / grain_, last = first + length / grain_;  // [first, last)
    for (Index at = first; at < last;) {
        const Index bit = at % 64, bits = std::min(64 - bit, last - at);
        const std::uint64_t ones = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
        words_[static_cast<std::size_t>(at / 64)] |= ones << bit;
        at += bits;
    }
}

Index Coverage::next(Index from, bool covered) const {
    for (Index at = from; at < count_; at = (at / 64 + 1) * 64) {
        std::uint64_t word = words_[static_cast<std::size_t>(at / 64)];
        if (!covered) word = ~word;
        word &= ~std::uint64_t{0} << (at % 64);
        if (word != 0) return std::min(count_, at / 64 * 64 + std::countr_zero(word));
    }
    return count_;
}

}  // namespace kumihimo::mpiio::direct
