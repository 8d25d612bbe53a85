// Visits a pattern (pattern.hpp), or a part of its stream, as loop nests. Internal to sets/.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <type_traits>

#include "sets/pattern.hpp"

namespace kumihimo::sets {

// Visits with visit(const Nest&). A visitor may take whole lists besides, which saves a call for each entry:
// visit(std::span<const Blocks>, Index at), the offsets of the blocks counting from `at`.
template <typename Visit>
class PatternWalk {
public:
    explicit PatternWalk(Visit& visit) : visit_(visit) {}

    // The pattern with its first byte at `at`.
    void all(const Pattern& pattern, Index at) {
        switch (pattern.kind) {
            case Pattern::Kind::blocks:
                return blocks(pattern.blocks, at);
            case Pattern::Kind::repetition:
                return copies(*pattern.child, at, pattern.level);
            case Pattern::Kind::list:
                return list(pattern.list, at);
            case Pattern::Kind::sequence:
                for (const PlacedPattern& part : pattern.parts) all(*part.pattern, at + part.offset);
        }
    }

    // Stream bytes [begin, end) of it.
    void part(const Pattern& pattern, Index at, Index begin, Index end) {
        if (begin >= end) return;
        if (begin == 0 && end == pattern.size) return all(pattern, at);
        switch (pattern.kind) {
            case Pattern::Kind::blocks:
                return part(pattern.blocks, at, begin, end);
            case Pattern::Kind::repetition:
                return part_of_copies(pattern, at, begin, end);
            case Pattern::Kind::list:
                return part_of_list(pattern, at, begin, end);
            case Pattern::Kind::sequence:
                part_of_sequence(pattern, at, begin, end);
        }
    }

private:
    void blocks(const Blocks& blocks, Index at) {
        const Level level{blocks.count, blocks.stride};
        visit_(Nest{at + blocks.offset, blocks.length, {&level, blocks.count > 1 ? std::size_t{1} : std::size_t{0}}});
    }

    void list(std::span<const Blocks> entries, Index at) {
        if constexpr (std::is_invocable_v<Visit&, std::span<const Blocks>, Index>) {
            if (!entries.empty()) visit_(entries, at);
        } else {
            for (const Blocks& entry : entries) blocks(entry, at);
        }
    }

    void part(const Blocks& entry, Index at, Index begin, Index end) {
        Index first = begin / entry.length,
              last = end / entry.length;  // the blocks in which the bytes at `begin` and `end` are
        const Index skipped = begin - first * entry.length, rest = end - last * entry.length;
        at += entry.offset;
        if (first == last) return blocks({first * entry.stride + skipped, end - begin, 1, 0}, at);
        if (skipped > 0) blocks({first++ * entry.stride + skipped, entry.length - skipped, 1, 0}, at);
        if (first < last) blocks({first * entry.stride, entry.length, last - first, entry.stride}, at);
        if (rest > 0) blocks({last * entry.stride, rest, 1, 0}, at);
    }

    void copies(const Pattern& child, Index at, const Level& level) {
        if (level.count == 1) return all(child, at);
        if (child.levels >= 0 && child.levels < Nest::most_levels) return nest(child, at, level);
        for (Index i = 0; i < level.count; ++i) all(child, at + i * level.stride);
    }

    void nest(const Pattern& child, Index at, const Level& outermost) {
        std::array<Level, Nest::most_levels> levels;
        std::size_t count = 0;
        levels[count++] = outermost;
        const Pattern* inner = &child;
        for (; inner->kind == Pattern::Kind::repetition; inner = inner->child.get()) levels[count++] = inner->level;
        if (inner->blocks.count > 1) levels[count++] = {inner->blocks.count, inner->blocks.stride};
        visit_(Nest{at, inner->blocks.length, {levels.data(), count}});
    }

    void part_of_copies(const Pattern& pattern, Index at, Index begin, Index end) {
        const Pattern& child = *pattern.child;
        const Index stride = pattern.level.stride;
        Index first = begin / child.size;  // the copies in which the bytes at `begin` and `end` are
        const Index last = end / child.size, skipped = begin - first * child.size, rest = end - last * child.size;
        if (first == last) return part(child, at + first * stride, skipped, rest);
        if (skipped > 0) part(child, at + first++ * stride, skipped, child.size);
        if (first < last) copies(child, at + first * stride, {last - first, stride});
        if (rest > 0) part(child, at + last * stride, 0, rest);
    }

    void part_of_sequence(const Pattern& pattern, Index at, Index begin, Index end) {
        const std::vector<Index>& before = pattern.before;
        for (std::size_t i = pattern.entry(begin); i < before.size() && before[i] < end; ++i) {
            const PlacedPattern& entry = pattern.parts[i];
            part(*entry.pattern, at + entry.offset, std::max<Index>(begin - before[i], 0),
                 std::min(end - before[i], entry.pattern->size));
        }
    }

    void part_of_list(const Pattern& pattern, Index at, Index begin, Index end) {
        std::size_t first = pattern.entry(begin);  // the entries in which the bytes at `begin` and `end - 1` are
        const std::size_t last = pattern.entry(end - 1);
        const Index skipped = begin - pattern.before[first], rest = end - pattern.before[last];
        if (first == last) return part(pattern.list[first], at, skipped, rest);
        if (skipped > 0) {
            part(pattern.list[first], at, skipped, pattern.list[first].size());
            ++first;
        }
        list(std::span(pattern.list).subspan(first, last - first), at);
        part(pattern.list[last], at, 0, rest);
    }

    Visit& visit_;
};

}  // namespace kumihimo::sets
