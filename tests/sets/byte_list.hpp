// The oracle of sets/extents.hpp: every byte of a pattern in a list, built by the definitions of MPI 3.1, 4.1. Beside it the
// same pattern as Extents, and a sentence that says how both were made.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <string>

#include "sets/extents.hpp"

namespace byte_list {

using kumihimo::sets::Blocks;
using kumihimo::sets::Extents;
using kumihimo::sets::Index;
using kumihimo::sets::Nest;

struct Bounds {
    Index lower, upper;
    bool marked;  // by resized: wins over what is not (MPI 3.1, 4.1.7)
    bool operator==(const Bounds&) const = default;
};

struct ByteList {
    std::vector<Index> offsets;
    std::optional<Bounds> bounds;  // none: no entries at all
    Extents extents;
    std::string made;

    Index lower() const { return bounds ? bounds->lower : 0; }
    Index upper() const { return bounds ? bounds->upper : 0; }
};

inline ByteList contiguous(Index bytes) {
    ByteList c{{}, std::nullopt, Extents::contiguous(bytes), "contiguous(" + std::to_string(bytes) + ")"};
    for (Index i = 0; i < bytes; ++i) c.offsets.push_back(i);
    if (bytes > 0) c.bounds = Bounds{0, bytes, false};
    return c;
}

inline ByteList resized(const ByteList& c, Index lower, Index extent) {
    return {c.offsets, Bounds{lower, lower + extent, true}, c.extents.resized(lower, extent),
            c.made + ".resized(" + std::to_string(lower) + "," + std::to_string(extent) + ")"};
}

inline void add(ByteList& whole, const ByteList& part, Index offset) {
    for (const Index i : part.offsets) whole.offsets.push_back(i + offset);
    if (!part.bounds) return;
    const Bounds moved{part.bounds->lower + offset, part.bounds->upper + offset, part.bounds->marked};
    if (!whole.bounds || (moved.marked && !whole.bounds->marked)) {
        whole.bounds = moved;
    } else if (moved.marked == whole.bounds->marked) {
        whole.bounds->lower = std::min(whole.bounds->lower, moved.lower);
        whole.bounds->upper = std::max(whole.bounds->upper, moved.upper);
    }
}

inline ByteList repeated(const ByteList& c, Index count, Index stride) {
    ByteList whole{{},
                   std::nullopt,
                   c.extents.repeated(count, stride),
                   c.made + ".repeated(" + std::to_string(count) + "," + std::to_string(stride) + ")"};
    for (Index i = 0; i < count; ++i) add(whole, c, i * stride);
    return whole;
}

inline ByteList shifted(const ByteList& c, Index offset) {
    ByteList whole{{}, std::nullopt, c.extents.shifted(offset), c.made + ".shifted(" + std::to_string(offset) + ")"};
    add(whole, c, offset);
    return whole;
}

inline ByteList sequence(const std::vector<std::pair<Index, ByteList>>& parts) {
    ByteList whole;
    std::vector<std::pair<Index, Extents>> extents;
    for (const auto& [offset, part] : parts) {
        add(whole, part, offset);
        extents.emplace_back(offset, part.extents);
        whole.made += (whole.made.empty() ? "{" : ", ") + std::to_string(offset) + ":" + part.made;
    }
    whole.made += "}";
    whole.extents = Extents::sequence(extents);
    return whole;
}

inline ByteList blocks(const std::vector<std::pair<Index, Index>>& offsets_and_lengths) {
    ByteList whole;
    whole.made = "blocks(";
    for (const auto& [offset, length] : offsets_and_lengths) {
        add(whole, contiguous(length), offset);
        whole.made += std::to_string(offset) + ":" + std::to_string(length) + " ";
    }
    whole.made += ")";
    whole.extents = Extents::blocks(offsets_and_lengths);
    return whole;
}

inline bool ascending(const std::vector<Index>& offsets) {
    return std::adjacent_find(offsets.begin(), offsets.end(), std::greater_equal<>()) == offsets.end();
}

inline Index below(const std::vector<Index>& offsets, Index offset) {
    return std::count_if(offsets.begin(), offsets.end(), [&](Index i) { return i < offset; });
}

// Every byte that a visit yields, and how many blocks they were.
struct Visited {
    std::vector<Index> offsets;
    Index runs = 0;
    bool sound = true;

    void operator()(const Blocks& blocks) {
        sound = sound && blocks.count >= 1 && blocks.length >= 1 && (blocks.count > 1 || blocks.stride == 0);
        runs += blocks.count;
        for (Index i = 0; i < blocks.count; ++i)
            for (Index j = 0; j < blocks.length; ++j) offsets.push_back(blocks.offset + i * blocks.stride + j);
    }
};

inline Visited visited(const Extents& extents, Index begin, Index end) {
    Visited visit;
    extents.for_each(begin, end, visit);
    return visit;
}

// What stands between two places of ascending offsets.
inline void check_within(const ByteList& c, Index begin, Index end) {
    const auto first = std::lower_bound(c.offsets.begin(), c.offsets.end(), begin);
    const std::vector<Index> expected(first, std::lower_bound(first, c.offsets.end(), end));
    Visited visit;
    c.extents.for_each_within(begin, end, visit);
    ASSERT_EQ(visit.offsets, expected) << c.made << " within " << begin << " and " << end;
    ASSERT_EQ(c.extents.within(begin, end), std::ssize(expected)) << c.made << " within " << begin << " and " << end;
    const bool row = !expected.empty() && expected.back() - expected.front() == std::ssize(expected) - 1;
    ASSERT_EQ(c.extents.contiguous_within(begin, end), row) << c.made << " within " << begin << " and " << end;
}

// The blocks of a visit, as a pattern again.
inline Extents visited_again(const Extents& extents) {
    std::vector<Blocks> parts;
    extents.for_each(0, extents.size(), [&](const Blocks& blocks) { parts.push_back(blocks); });
    return Extents::blocks(parts);
}

// Everything Extents says must be what the list says, for the whole and for `ranges` random parts.
template <typename Engine>
void check(const ByteList& c, Engine& random, int ranges) {
    const auto between = [&](Index low, Index high) { return std::uniform_int_distribution<Index>(low, high)(random); };
    const Index size = std::ssize(c.offsets);
    ASSERT_EQ(c.extents.size(), size) << c.made;
    ASSERT_EQ(c.extents.lower(), c.lower()) << c.made;
    ASSERT_EQ(c.extents.upper(), c.upper()) << c.made;
    ASSERT_EQ(c.extents.ascending(), ascending(c.offsets)) << c.made;
    const Visited all = visited(c.extents, 0, size);
    ASSERT_TRUE(all.sound && all.offsets == c.offsets) << c.made;
    ASSERT_EQ(all.runs, c.extents.runs()) << c.made;
    Index gaps = size > 0;
    for (Index i = 1; i < size; ++i) gaps += c.offsets[i] != c.offsets[i - 1] + 1;
    ASSERT_GE(all.runs, gaps) << c.made;
    ASSERT_EQ(c.extents.contiguous(), gaps <= 1) << c.made;
    ASSERT_EQ(visited(visited_again(c.extents), 0, size).offsets, c.offsets) << c.made;
    if (size == 0) return;
    ASSERT_EQ(c.extents.true_lower(), *std::min_element(c.offsets.begin(), c.offsets.end())) << c.made;
    ASSERT_EQ(c.extents.true_upper(), *std::max_element(c.offsets.begin(), c.offsets.end()) + 1) << c.made;
    for (int i = 0; i < ranges; ++i) {
        const Index begin = between(0, size), end = between(begin, size), position = between(0, size - 1);
        ASSERT_EQ(visited(c.extents, begin, end).offsets,
                  std::vector<Index>(c.offsets.begin() + begin, c.offsets.begin() + end))
            << c.made << " [" << begin << "," << end << ")";
        ASSERT_EQ(c.extents.offset(position), c.offsets[position]) << c.made << " at " << position;
        if (!ascending(c.offsets)) continue;
        const Index offset = between(c.offsets.front() - 2, c.offsets.back() + 2);
        ASSERT_EQ(c.extents.below(offset), below(c.offsets, offset)) << c.made << " below " << offset;
        ASSERT_NO_FATAL_FAILURE(check_within(c, offset, between(offset, c.offsets.back() + 2)));
    }
}

// The tiled forms against copies laid out by hand, `period` and `displacement` of any size.
template <typename Engine>
void check_tiled(const ByteList& c, Index period, Index displacement, Index first_tile, Engine& random) {
    const auto between = [&](Index low, Index high) { return std::uniform_int_distribution<Index>(low, high)(random); };
    const Index size = std::ssize(c.offsets);
    if (size == 0) return;
    std::vector<Index> offsets;
    for (Index tile = first_tile; tile < first_tile + 4; ++tile)
        for (const Index i : c.offsets) offsets.push_back(displacement + tile * period + i);
    const Index begin = between(0, 4 * size), end = between(begin, 4 * size);
    const std::string where = c.made + " period " + std::to_string(period) + " from tile " + std::to_string(first_tile);
    Visited visit;
    for_each_tiled(c.extents, period, displacement, first_tile * size + begin, first_tile * size + end, visit);
    const std::vector<Index> expected(offsets.begin() + begin, offsets.begin() + end);
    ASSERT_EQ(visit.offsets, expected) << where;
    const Extents part = tiled_part(c.extents, period, displacement, first_tile * size + begin, first_tile * size + end);
    ASSERT_EQ(visited(part, 0, end - begin).offsets, expected) << where << " as a part";
    ASSERT_EQ(part.ascending(), ascending(expected)) << where << " as a part";
    const Index position = between(0, 4 * size - 1);
    ASSERT_EQ(displacement + tiled_offset(c.extents, period, first_tile * size + position), offsets[position]) << where;
    ASSERT_EQ(tiled_ascending(c.extents, period), ascending(offsets)) << where;
    if (!tiled_ascending(c.extents, period)) return;
    const Index lowest = first_tile == 0 ? offsets.front() - 2 : offsets.front();
    const Index offset = between(lowest, offsets.back());
    ASSERT_EQ(tiled_below(c.extents, period, offset - displacement), first_tile * size + below(offsets, offset)) << where;
}

}  // namespace byte_list
