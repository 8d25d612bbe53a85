// Runs of bits: which bytes of a page are there.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace kumihimo::iod {

constexpr std::size_t bits_per_word = 64;

inline bool bit_at(const std::uint64_t* words, std::size_t at) {
    return (words[at / bits_per_word] >> (at % bits_per_word) & 1) != 0;
}

// The first bit that is `wanted` in [from, end), else end.
inline std::size_t first_bit(const std::uint64_t* words, std::size_t from, std::size_t end, bool wanted) {
    while (from < end) {
        const std::uint64_t word =
            (wanted ? words[from / bits_per_word] : ~words[from / bits_per_word]) >> from % bits_per_word;
        if (word != 0) return std::min(end, from + static_cast<std::size_t>(std::countr_zero(word)));
        from = (from / bits_per_word + 1) * bits_per_word;
    }
    return end;
}

// The bit behind the last one that is set in [0, end); 0: none is.
inline std::size_t end_of_bits(const std::uint64_t* words, std::size_t end) {
    for (std::size_t word = (end + bits_per_word - 1) / bits_per_word; word-- > 0;)
        if (words[word] != 0) return (word + 1) * bits_per_word - static_cast<std::size_t>(std::countl_zero(words[word]));
    return 0;
}

// Sets or clears [from, end); how many bits that changed. Mostly all do, so they are seldom counted.
inline std::size_t change_bits(std::uint64_t* words, std::size_t from, std::size_t end, bool set) {
    std::size_t changed = 0;
    while (from < end) {
        const std::size_t in_word = from % bits_per_word, count = std::min(end - from, bits_per_word - in_word);
        const std::uint64_t mask = (~std::uint64_t{0} >> (bits_per_word - count)) << in_word;
        std::uint64_t& word = words[from / bits_per_word];
        const std::uint64_t change = set ? mask & ~word : mask & word;
        changed += change == mask ? count : static_cast<std::size_t>(std::popcount(change));
        word = set ? word | mask : word & ~mask;
        from += count;
    }
    return changed;
}

}  // namespace kumihimo::iod
