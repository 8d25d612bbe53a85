#include "runtime/xmpio/checksum.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace kumihimo::xmpio {

namespace {

constexpr std::uint64_t golden = 0x9E3779B97F4A7C15u;

// One to one (the finalizer of SplitMix64), so that a word that differs always changes the sum.
std::uint64_t mixed(std::uint64_t word) {
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9u;
    word = (word ^ (word >> 27)) * 0x94D049BB133111EBu;
    return word ^ (word >> 31);
}

// An element is cut into words of 8 bytes, the last one filled up with zeros: at their numbers in the file.
template <std::size_t known_bytes>
std::uint64_t sum_of(const std::byte* element, std::ptrdiff_t step, Index number, Index number_step, Index count,
                     std::size_t element_bytes) {
    const std::size_t bytes = known_bytes != 0 ? known_bytes : element_bytes, words = (bytes + 7) / 8;
    std::uint64_t sum = 0;
    for (Index i = 0; i < count; ++i, element += step, number += number_step)
        for (std::size_t w = 0; w < words; ++w) {
            std::uint64_t word = 0;
            std::memcpy(&word, element + w * 8,
                        known_bytes != 0 && known_bytes <= 8 ? bytes : std::min<std::size_t>(8, bytes - w * 8));
            sum += mixed(word + (static_cast<std::uint64_t>(number) * words + w) * golden);
        }
    return sum;
}

std::uint64_t sum_of_run(const std::byte* element, std::ptrdiff_t step, Index number, Index number_step, Index count,
                         std::size_t element_bytes) {
    const auto sum = element_bytes == 8   ? sum_of<8>
                     : element_bytes == 4 ? sum_of<4>
                     : element_bytes == 1 ? sum_of<1>
                                          : sum_of<0>;
    return sum(element, step, number, number_step, count, element_bytes);
}

}  // namespace

std::uint64_t checksum(const Part& part, const std::byte* block) {
    std::uint64_t sum = 0;
    part.for_each_run(0, std::numeric_limits<Index>::max() / 2, [&](const Run& run) {
        sum +=
            sum_of_run(block + run.offset, run.offset_step, run.position, run.position_step, run.count, part.element_bytes());
    });
    return sum;
}

std::uint64_t checksum(const std::byte* bytes, Index elements, std::size_t element_bytes) {
    return sum_of_run(bytes, static_cast<std::ptrdiff_t>(element_bytes), 0, 1, elements, element_bytes);
}

}  // namespace kumihimo::xmpio
