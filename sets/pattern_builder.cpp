#include "sets/pattern_builder.hpp"

#include <algorithm>

namespace kumihimo::sets {

namespace {

// A list of blocks within a list is copied up to this length: blocks then merge across its ends.
constexpr std::size_t longest_copied_list = 64;
// Equal groups of blocks leave a list for a repetition from this number on: short ones are smaller and faster as they are.
constexpr std::size_t shortest_repetition = 8;

bool same_shape(const Blocks& a, const Blocks& b) {
    return a.length == b.length && a.count == b.count && a.stride == b.stride;
}
bool same_shape(const PlacedPattern& a, const PlacedPattern& b) {
    return equal(a.pattern, b.pattern);
}

// The end of the longest run from `begin` on of equal entries at equal distances.
template <typename Entries>
std::size_t run_end(const Entries& entries, std::size_t begin) {
    std::size_t end = begin + 1;
    if (end == entries.size() || !same_shape(entries[begin], entries[end])) return end;
    const Index distance = entries[end].offset - entries[begin].offset;
    while (end < entries.size() && entries[end].offset - entries[end - 1].offset == distance &&
           same_shape(entries[begin], entries[end]))
        ++end;
    return end;
}

}  // namespace

void PatternBuilder::append(const Blocks& blocks) {
    if (blocks.size() == 0) return;
    Blocks rest = blocks;
    if (open_.length > 0 && open_.offset + open_.length == rest.offset) {
        open_.length += rest.length;
        rest.offset += rest.stride;
        if (--rest.count == 0) return;
    }
    close_open_block();
    if (rest.count > 1) group({rest.offset, rest.length, rest.count - 1, rest.count > 2 ? rest.stride : 0});
    open_ = {rest.last(), rest.length, 1, 0};
}

void PatternBuilder::append(const Nest& nest) {
    if (nest.levels.size() < 2) return for_each_blocks(nest, [&](const Blocks& blocks) { append(blocks); });
    SharedPattern pattern = make_blocks({0, nest.length, 1, 0});
    for (std::size_t i = nest.levels.size(); i-- > 0;) pattern = make_repetition(pattern, nest.levels[i]);
    append_nested({nest.offset, pattern});
}

void PatternBuilder::append(const PlacedPattern& part) {
    const Pattern& pattern = *part.pattern;
    const auto moved = [&](Blocks blocks) {
        blocks.offset += part.offset;
        return blocks;
    };
    if (pattern.kind == Pattern::Kind::blocks) return append(moved(pattern.blocks));
    if (pattern.kind != Pattern::Kind::list || pattern.list.size() > longest_copied_list) return append_nested(part);
    for (const Blocks& blocks : pattern.list) append(moved(blocks));
}

void PatternBuilder::append_nested(const PlacedPattern& part) {
    close_open_block();
    close_groups();
    parts_.push_back(part);
}

void PatternBuilder::close_open_block() {
    if (open_.length > 0) group(open_);
    open_ = {};
}

// Prolongs the last group if the blocks continue its progression.
void PatternBuilder::group(const Blocks& blocks) {
    if (!groups_.empty() && groups_.back().length == blocks.length) {
        Blocks& last = groups_.back();
        const Index distance = blocks.offset - last.last();
        if ((last.count == 1 || last.stride == distance) && (blocks.count == 1 || blocks.stride == distance)) {
            last.stride = distance;
            last.count += blocks.count;
            return;
        }
    }
    groups_.push_back(blocks);
}

void PatternBuilder::add_list(std::size_t begin, std::size_t end) {
    if (begin == end) return;
    if (end - begin == groups_.size()) {
        const Index offset = groups_.front().offset;
        parts_.push_back({offset, make_list(std::move(groups_))});
        return;
    }
    const auto first = groups_.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = groups_.begin() + static_cast<std::ptrdiff_t>(end);
    const Index offset = first->offset;
    parts_.push_back({offset, make_list(std::vector<Blocks>(first, last))});
}

// Groups become lists, or repetitions where many are equal.
void PatternBuilder::close_groups() {
    std::size_t begin = 0;
    for (std::size_t i = 0, end; i < groups_.size(); i = end) {
        end = run_end(groups_, i);
        if (end - i < shortest_repetition && end - i < groups_.size()) continue;
        add_list(begin, i);
        const Level level{static_cast<Index>(end - i), end - i > 1 ? groups_[i + 1].offset - groups_[i].offset : 0};
        parts_.push_back({groups_[i].offset, make_repetition(make_blocks(groups_[i]), level)});
        begin = end;
    }
    add_list(begin, groups_.size());
    groups_.clear();
}

// Equal parts at equal distances become repetitions. False if there are none.
bool PatternBuilder::fold() {
    std::vector<PlacedPattern> folded;
    for (std::size_t i = 0, end; i < parts_.size(); i = end) {
        end = run_end(parts_, i);
        const Level level{static_cast<Index>(end - i), end - i > 1 ? parts_[i + 1].offset - parts_[i].offset : 0};
        folded.push_back({parts_[i].offset, make_repetition(parts_[i].pattern, level)});
    }
    const bool shorter = folded.size() < parts_.size();
    parts_ = std::move(folded);
    return shorter;
}

PlacedPattern PatternBuilder::finish() {
    close_open_block();
    close_groups();
    while (fold()) {
    }
    if (parts_.empty()) return {};
    const Index offset = parts_.front().offset;
    return {offset, make_sequence(std::move(parts_))};
}

}  // namespace kumihimo::sets
