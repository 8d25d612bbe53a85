#include "bench/measure/pattern.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <new>

namespace kumihimo::bench {

namespace {

constexpr std::size_t page_bytes = 4096;
constexpr int operand_values = 16;  // sums stay exact in single precision up to a million ranks

// The words of a block differ from each other and from those of any other block.
constexpr std::uint64_t word(std::uint64_t label, std::uint64_t position) {
    return label + position * 0x9E3779B97F4A7C15;
}

float operand(int rank, std::int64_t position) {
    return static_cast<float>((rank + position) % operand_values);
}

// Operands repeat, and so do their sums.
std::array<float, operand_values> sums(int ranks) {
    std::array<float, operand_values> sum{};
    for (int position = 0; position < operand_values; ++position)
        for (int rank = 0; rank < ranks; ++rank) sum[position] += operand(rank, position);
    return sum;
}

}  // namespace

std::uint64_t label(int source, int destination) {
    const std::uint64_t both = static_cast<std::uint64_t>(source) << 32 | static_cast<std::uint32_t>(destination);
    return (both + 1) * 0xD1342543DE82EF95;
}

void fill_block(std::span<std::byte> block, std::uint64_t label) {
    for (std::size_t i = 0; i * sizeof(std::uint64_t) < block.size(); ++i) {
        const std::uint64_t value = word(label, i);
        const std::size_t at = i * sizeof value;
        std::memcpy(block.data() + at, &value, std::min(sizeof value, block.size() - at));
    }
}

std::int64_t wrong_bytes(std::span<const std::byte> block, std::uint64_t label) {
    std::int64_t wrong = 0;
    for (std::size_t i = 0; i * sizeof(std::uint64_t) < block.size(); ++i) {
        const std::uint64_t value = word(label, i);
        const std::size_t at = i * sizeof value, length = std::min(sizeof value, block.size() - at);
        if (std::memcmp(block.data() + at, &value, length) != 0) wrong += static_cast<std::int64_t>(length);
    }
    return wrong;
}

void fill_operands(std::span<float> operands, int rank) {
    for (std::size_t i = 0; i < operands.size(); ++i) operands[i] = operand(rank, static_cast<std::int64_t>(i));
}

std::int64_t wrong_sums(std::span<const float> operands, int ranks, std::int64_t first) {
    const auto expected = sums(ranks);
    std::int64_t wrong = 0;
    for (std::size_t i = 0; i < operands.size(); ++i)
        if (operands[i] != expected[(first + static_cast<std::int64_t>(i)) % operand_values]) ++wrong;
    return wrong;
}

Memory::Memory(std::size_t bytes)
    : size_(bytes), start_(static_cast<std::byte*>(std::aligned_alloc(page_bytes, (bytes / page_bytes + 1) * page_bytes))) {
    if (!start_) throw std::bad_alloc();
    forget();
}

void Memory::forget() const {
    std::memset(start_.get(), 0xA5, (size_ / page_bytes + 1) * page_bytes);
}

void Memory::Release::operator()(std::byte* start) const {
    std::free(start);
}

}  // namespace kumihimo::bench
