#include "sets/pattern.hpp"

#include <algorithm>

namespace kumihimo::sets {

namespace {

Blocks normalized(Blocks blocks) {
    if (blocks.count > 1 && blocks.stride == blocks.length) blocks = {blocks.offset, blocks.size(), 1, 0};
    if (blocks.count == 1) blocks.stride = 0;
    return blocks;
}

bool ascending(const Blocks& blocks) {
    return blocks.count == 1 || blocks.stride >= blocks.length;
}

Index offset_in(const Blocks& blocks, Index position) {
    const Index block = position / blocks.length;
    return blocks.offset + block * blocks.stride + (position - block * blocks.length);
}

Index below_in(const Blocks& blocks, Index offset) {  // offset > blocks.offset
    offset -= blocks.offset;
    if (blocks.count == 1) return std::min(offset, blocks.length);
    const Index block = offset / blocks.stride;
    if (block >= blocks.count) return blocks.size();
    return block * blocks.length + std::min(offset - block * blocks.stride, blocks.length);
}

// What a list and a sequence know of an entry.
struct Entry {
    Index offset, size, lower, upper, runs;
    bool ascending;
};

Entry entry_of(const Blocks& blocks) {
    const Index last = blocks.last();
    return {blocks.offset, blocks.size(),    std::min(blocks.offset, last), std::max(blocks.offset, last) + blocks.length,
            blocks.count,  ascending(blocks)};
}

Entry entry_of(const PlacedPattern& part) {
    const Pattern& pattern = *part.pattern;
    return {part.offset,  pattern.size,     part.offset + pattern.lower, part.offset + pattern.upper,
            pattern.runs, pattern.ascending};
}

template <typename Entries>
void summarize(Pattern& node, Entries& entries) {
    const Index origin = entries.front().offset;
    node.levels = -1;
    node.before.reserve(entries.size());
    for (auto& placed : entries) {
        placed.offset -= origin;
        const Entry entry = entry_of(placed);
        node.ascending = node.ascending && entry.ascending && (node.size == 0 || node.upper <= entry.lower);
        node.lower = std::min(node.lower, entry.lower);
        node.upper = std::max(node.upper, entry.upper);
        node.before.push_back(node.size);
        node.size += entry.size;
        node.runs += entry.runs;
    }
}

// The last entry whose offset is smaller; the first has offset 0.
template <typename Entries>
std::size_t entry_below(const Entries& entries, Index offset) {
    const auto after = std::partition_point(entries.begin(), entries.end(), [&](const auto& e) { return e.offset < offset; });
    return static_cast<std::size_t>(after - entries.begin()) - 1;
}

}  // namespace

std::size_t Pattern::entry(Index position) const {
    return static_cast<std::size_t>(std::upper_bound(before.begin(), before.end(), position) - before.begin()) - 1;
}

Index Pattern::offset(Index position) const {
    switch (kind) {
        case Kind::blocks:
            return offset_in(blocks, position);
        case Kind::repetition: {
            const Index copy = position / child->size;
            return copy * level.stride + child->offset(position - copy * child->size);
        }
        case Kind::list: {
            const std::size_t i = entry(position);
            return offset_in(list[i], position - before[i]);
        }
        case Kind::sequence:
            break;
    }
    const std::size_t i = entry(position);
    return parts[i].offset + parts[i].pattern->offset(position - before[i]);
}

Index Pattern::below(Index offset) const {
    if (offset <= 0) return 0;
    if (offset >= upper) return size;
    switch (kind) {
        case Kind::blocks:
            return below_in(blocks, offset);
        case Kind::repetition: {
            const Index copy = offset / level.stride;
            return copy * child->size + child->below(offset - copy * level.stride);
        }
        case Kind::list: {
            const std::size_t i = entry_below(list, offset);
            return before[i] + below_in(list[i], offset);
        }
        case Kind::sequence:
            break;
    }
    const std::size_t i = entry_below(parts, offset);
    return before[i] + parts[i].pattern->below(offset - parts[i].offset);
}

bool equal(const SharedPattern& a, const SharedPattern& b) {
    if (a == b) return true;
    if (a->kind != b->kind || a->size != b->size || a->runs != b->runs || a->upper != b->upper) return false;
    switch (a->kind) {
        case Pattern::Kind::blocks:
            return a->blocks == b->blocks;
        case Pattern::Kind::repetition:
            return a->level == b->level && equal(a->child, b->child);
        case Pattern::Kind::list:
            return a->list == b->list;
        case Pattern::Kind::sequence:
            break;
    }
    return std::equal(a->parts.begin(), a->parts.end(), b->parts.begin(), b->parts.end(),
                      [](const auto& x, const auto& y) { return x.offset == y.offset && equal(x.pattern, y.pattern); });
}

SharedPattern make_blocks(const Blocks& blocks) {
    auto node = std::make_shared<Pattern>();
    node->blocks = normalized({0, blocks.length, blocks.count, blocks.stride});
    const Entry entry = entry_of(node->blocks);
    node->ascending = entry.ascending;
    node->levels = node->blocks.count > 1;
    node->size = entry.size;
    node->lower = entry.lower;
    node->upper = entry.upper;
    node->runs = entry.runs;
    return node;
}

SharedPattern make_repetition(const SharedPattern& child, const Level& level) {
    if (level.count == 1) return child;
    if (child->kind == Pattern::Kind::blocks) {
        const Blocks& blocks = child->blocks;
        if (blocks.count == 1) return make_blocks({0, blocks.length, level.count, level.stride});
        if (level.stride == blocks.count * blocks.stride)
            return make_blocks({0, blocks.length, blocks.count * level.count, blocks.stride});
    }
    if (child->kind == Pattern::Kind::repetition && level.stride == child->level.count * child->level.stride)
        return make_repetition(child->child, {child->level.count * level.count, child->level.stride});
    auto node = std::make_shared<Pattern>();
    const Index span = (level.count - 1) * level.stride;
    node->kind = Pattern::Kind::repetition;
    node->ascending = child->ascending && level.stride >= child->upper;
    node->levels = child->levels < 0 || child->levels == Nest::most_levels ? -1 : child->levels + 1;
    node->size = level.count * child->size;
    node->lower = child->lower + std::min<Index>(span, 0);
    node->upper = child->upper + std::max<Index>(span, 0);
    node->runs = level.count * child->runs;
    node->level = level;
    node->child = child;
    return node;
}

SharedPattern make_list(std::vector<Blocks> list) {
    if (list.size() == 1) return make_blocks(list.front());
    auto node = std::make_shared<Pattern>();
    node->kind = Pattern::Kind::list;
    node->list = std::move(list);
    summarize(*node, node->list);
    return node;
}

SharedPattern make_sequence(std::vector<PlacedPattern> parts) {
    if (parts.size() == 1) return parts.front().pattern;
    auto node = std::make_shared<Pattern>();
    node->kind = Pattern::Kind::sequence;
    node->parts = std::move(parts);
    summarize(*node, node->parts);
    return node;
}

}  // namespace kumihimo::sets
