#include "runtime/xmpio/checksum.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace kumihimo::xmpio {

namespace {

constexpr Index portion_bytes = Index{1} << 16;  // stays in the second cache
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

std::uint64_t checksum(const Part& part, std::byte* block) {
    const Index width = part.element_bytes(), portion = std::max<Index>(portion_bytes / width, 1) * width;
    std::vector<std::byte> row(static_cast<std::size_t>(std::min(portion, part.bytes())));
    std::uint64_t sum = 0;
    for (Index begin = 0; begin < part.bytes(); begin += portion) {
        const Index end = std::min(part.bytes(), begin + portion);
        copying::gather(part.block(block), begin, end, row.data());
        const std::byte* element = row.data();
        part.in_section().for_each(begin, end, [&](const sets::Blocks& blocks) {
            const bool single = blocks.length == width;  // elements: one loop over all of them
            const Index runs = single ? 1 : blocks.count, count = single ? blocks.count : blocks.length / width;
            for (Index i = 0; i < runs; ++i, element += count * width)
                sum += sum_of_run(element, width, (blocks.offset + i * blocks.stride) / width,
                                  single ? blocks.stride / width : 1, count, static_cast<std::size_t>(width));
        });
    }
    return sum;
}

std::uint64_t checksum(const std::byte* bytes, Index elements, std::size_t element_bytes) {
    return sum_of_run(bytes, static_cast<std::ptrdiff_t>(element_bytes), 0, 1, elements, element_bytes);
}

}  // namespace kumihimo::xmpio
