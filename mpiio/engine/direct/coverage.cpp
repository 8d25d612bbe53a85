#include "mpiio/engine/direct/coverage.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace kumihimo::mpiio::direct {

namespace {

// Whether no block of `comb` touches a single one.
bool misses(const Blocks& one, const Blocks& comb) {
    const Index before = one.offset - comb.offset - comb.length;  // from the end of the first block on
    const Index first = before < 0 ? 0 : before / comb.stride + 1;
    return first >= comb.count || comb.offset + first * comb.stride >= one.end();
}

// Whether they have no byte in common; false also where this does not follow from the numbers alone.
bool apart(const Blocks& one, const Blocks& other) {
    if (one.end() <= other.offset || other.end() <= one.offset) return true;
    if (one.count == 1 && other.count == 1) return false;
    if (one.count == 1) return misses(one, other);
    if (other.count == 1) return misses(other, one);
    if (one.stride != other.stride) return false;
    const Index behind = ((other.offset - one.offset) % one.stride + one.stride) % one.stride;
    return one.length <= behind && behind + other.length <= one.stride;
}

}  // namespace

// As many bytes as the stretch has, none of them twice.
bool Coverage::parts_fill() const {
    if (parts_.size() > most_compared) return false;
    Index bytes = 0;
    for (const Blocks& part : parts_) bytes += part.size();
    if (bytes != end_ - begin_) return false;
    for (std::size_t i = 1; i < parts_.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (!apart(parts_[i], parts_[j])) return false;
    return true;
}

// One bit for each grain, which divides all offsets and lengths.
void Coverage::mark_parts() {
    grain_ = end_ - begin_;
    for (const Blocks& part : parts_)
        grain_ = std::gcd(grain_, std::gcd(part.offset - begin_, std::gcd(part.length, part.stride)));
    count_ = (end_ - begin_) / grain_;
    words_.assign(static_cast<std::size_t>(count_ / 64 + 1), 0);
    for (const Blocks& part : parts_) mark(part);
}

void Coverage::mark(const Blocks& blocks) {
    const Index first = (blocks.offset - begin_) / grain_, length = blocks.length / grain_, step = blocks.stride / grain_;
    for (Index i = 0; i < blocks.count; ++i) set(first + i * step, length);
}

void Coverage::set(Index first, Index count) {
    for (Index at = first, last = first + count; at < last;) {
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
