// The loop directive (specification 4.4.3): which iterations this node executes. Called at every loop entry of a
// compiled program, so nothing here allocates, and everything but a strided cyclic loop is a few comparisons.
#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>

#include "base/error.hpp"
#include "base/format.hpp"
#include "base/node_number.hpp"
#include "runtime/execution/objects.hpp"
#include "runtime/globalview/progression.hpp"

namespace kumihimo::globalview {
namespace {

using sets::Distribution;
using sets::Format;

struct UserLoop {
    Index first, last, step, offset;
    bool forward() const { return step > 0; }
    bool empty() const { return forward() ? last < first : last > first; }
    Index stride() const { return forward() ? step : -step; }
    Index iterations() const { return empty() ? 0 : (forward() ? last - first : first - last) / stride() + 1; }
};

XMP_Iterations no_iterations(Index step) {
    return {0, -step, step, 0, 0, step, 0};
}

[[noreturn, gnu::cold]] void refuse_step() {
    throw base::Error("the step of a distributed loop is 0", "Give the loop a step other than 0.");
}

[[noreturn, gnu::cold]] void refuse_range(const UserLoop& loop, const std::string& object, Index lower, Index upper,
                                          int dimension) {
    const Index final = loop.first + (loop.iterations() - 1) * loop.step;
    std::string text = "the loop runs from " + std::to_string(loop.first) + " to " + std::to_string(final);
    if (loop.stride() != 1) text += " in steps of " + std::to_string(loop.step);
    if (loop.offset != 0) text += " with the offset " + std::to_string(loop.offset);
    throw base::Error(text + ", but " + object + " has the indices " + std::to_string(lower) + " to " + std::to_string(upper) +
                          " in its dimension " + std::to_string(dimension + 1),
                      "Shorten the loop, or enlarge " + object + ".");
}

// Throws unless every iteration lies on [lower, upper]. Precondition: the loop is not empty.
inline void check_range(const UserLoop& loop, Index lower, Index upper, const auto& name, int dimension) {
    const Index from = loop.first + loop.offset, to = loop.last + loop.offset;
    if (from >= lower && from <= upper && to >= lower && to <= upper) [[likely]]
        return;
    const Index final = from + (loop.iterations() - 1) * loop.step;  // `last` need not be an iteration
    if (from < lower || from > upper || final < lower || final > upper) refuse_range(loop, name(), lower, upper, dimension);
}

// ---- loops in iterations of others ----

[[noreturn, gnu::cold]] void refuse_place(const XMP_Site& around, int node, const execution::NodeSet& sharing) {
    throw base::Error(
        fmt::format("an iteration of the loop at {}:{} executes this loop, on {}, but some of its own iterations lie on other "
                    "nodes, as on node {} of the entire set: nobody would execute them",
                    around.file, around.line, base::counted(sharing.size(), "node"), base::node_number(node)),
        "Call what has this loop before the loop around it, and use the result there.");
}

// Inside an iteration only those who share it execute a loop (4.4.3: the set of an inner loop is a part of the outer one's). So
// each iteration must lie on one of them. coordinates: along dimension `along`, where those of the loop lie.
[[gnu::cold]] void check_place(const XMP_Nodes& nodes, int along, const sets::IndexSet& coordinates) {
    const execution::Context& context = execution::Context::get();
    const execution::NodeSet& sharing = *context.sharing();
    std::vector<Index> place = nodes.coordinates;
    for (Index& c = place[static_cast<std::size_t>(along)] = 0; c < nodes.grid.extents()[along]; ++c) {
        if (!coordinates.contains(c)) continue;
        const int node = nodes.set->world_rank(static_cast<int>(nodes.grid.number(place)));
        if (sharing.number_of(node) < 0) refuse_place(*context.loop_around(), node, sharing);
    }
}

// Whether a loop begins in an iteration of another one. A nest whose inner bounds depend on the outer loops begins its inner
// loops in its own.
bool in_iteration(const XMP_Site* site) {
    const XMP_Site* const around = execution::Context::get().loop_around();
    if (around == nullptr) [[likely]]
        return false;
    return site != nullptr && (site->line != around->line || std::strcmp(site->file, around->file) != 0);
}

sets::Range places(const UserLoop& loop) {
    return sets::Range{loop.first + loop.offset, loop.iterations(), loop.step}.ascending();
}

const Distribution& distribution_of(const XMP_Template& target, int dimension) {
    if (!target.fixed()) [[unlikely]]
        throw base::Error("template " + target.name + " has no shape or no distribution yet",
                          "Execute template_fix for " + target.name + " before this loop.");
    return target.mapping->dimension(dimension);
}

Index coordinate_of(const XMP_Template& target, int dimension) {
    const int along = target.mapping->node_dimension(dimension);
    return along < 0 ? 0 : target.nodes->coordinates[along];
}

// The loop's iterations with lowest <= index + offset <= highest; positions are the indices themselves.
XMP_Iterations clip(const UserLoop& loop, Index lowest, Index highest) {
    const Index stride = loop.stride();
    const Index from = loop.first + loop.offset, to = loop.last + loop.offset;
    const Index missing = loop.forward() ? lowest - from : from - highest;  // before the first owned index
    const Index skipped = missing <= 0 ? 0 : stride == 1 ? missing : (missing + stride - 1) / stride;
    const Index start = from + skipped * loop.step;
    const Index reach = loop.forward() ? std::min(to, highest) - start : start - std::max(to, lowest);
    if (reach < 0) return no_iterations(loop.step);
    const Index count = (stride == 1 ? reach : reach / stride) + 1;
    const Index first = start - loop.offset;
    return {first, first + (count - 1) * loop.step, loop.step, count, start, loop.step, 0};
}

// cyclic(1): iteration k lies here if (from + k * step) mod nodes = coordinate; those k are one progression.
XMP_Iterations every_nth(const UserLoop& loop, Index lower, Index nodes, Index coordinate) {
    const Index from = loop.first + loop.offset - lower;
    const Index wanted = modulo(coordinate - from, nodes);
    const bool unit = loop.stride() == 1;
    const Index skipped = unit ? (loop.forward() || wanted == 0 ? wanted : nodes - wanted)
                               : first_multiple_in_window(modulo(loop.step, nodes), nodes, wanted, wanted);
    const Index iterations = loop.iterations();
    const Index period = unit ? nodes : nodes / std::gcd(loop.stride(), nodes);
    const Index step = period * loop.step;
    if (skipped < 0 || skipped >= iterations) return no_iterations(step);
    const Index count = (iterations - 1 - skipped) / period + 1;
    const Index first = loop.first + skipped * loop.step;
    return {first, first + (count - 1) * step, step, count, (from + skipped * loop.step) / nodes, step / nodes, nodes};
}

// cyclic(n) and a step of 1 or -1: the positions of the own iterations follow each other without a gap.
XMP_Iterations packed(const UserLoop& loop, const Distribution& spread, Index coordinate) {
    const Index length = spread.block_size(), round = length * spread.nodes(), start = coordinate * length;
    const Index from = loop.first + loop.offset - spread.lower(), to = loop.last + loop.offset - spread.lower();
    Index lowest = std::min(from, to), highest = std::max(from, to);
    const Index ahead = lowest % round - start, behind = highest % round - start;  // 0 ... length - 1: in a block of this node
    if (ahead < 0 || ahead >= length) lowest += modulo(-ahead, round);
    if (behind < 0 || behind >= length) highest -= modulo(behind - (length - 1), round);
    if (highest < lowest) return no_iterations(loop.step);
    const auto position = [&](Index index) { return index / round * length + index % length; };
    const Index least = position(lowest), most = position(highest), shift = spread.lower() - loop.offset;
    if (loop.forward()) return {lowest + shift, highest + shift, 1, most - least + 1, least, 1, round};
    return {highest + shift, lowest + shift, -1, most - least + 1, most, -1, round};
}

bool in_several_blocks(const Distribution& spread) {
    return spread.format() == Format::cyclic && spread.block_size() > 1 && spread.nodes() > 1;
}

XMP_Iterations one_progression(const Distribution& spread, Index coordinate, const UserLoop& loop) {
    switch (spread.format()) {
        case Format::undistributed:
            return clip(loop, spread.lower(), spread.upper());
        case Format::block: {
            const Index lowest = spread.lower() + coordinate * spread.block_size();
            return clip(loop, lowest, std::min(lowest + spread.block_size() - 1, spread.upper()));
        }
        case Format::gblock:
            return clip(loop, spread.gblock_bounds()[coordinate], spread.gblock_bounds()[coordinate + 1] - 1);
        case Format::cyclic:
            break;
    }
    if (spread.nodes() > 1) return every_nth(loop, spread.lower(), spread.nodes(), coordinate);
    XMP_Iterations whole = clip(loop, spread.lower(), spread.upper());
    whole.position -= spread.lower();
    whole.round = spread.block_size();
    return whole;
}

// cyclic(n): the first iteration from `next` on, counted from 0, that lies in a block of this node; `end` if there is none.
Index next_own_iteration(const UserLoop& loop, const Distribution& spread, Index coordinate, Index next, Index end) {
    const Index length = spread.block_size(), round = length * spread.nodes(), stride = loop.stride();
    const Index index = loop.first + loop.offset - spread.lower() + next * loop.step;  // from the template's lower bound
    const Index within = index % round - coordinate * length;
    if (within >= 0 && within < length) return next;
    if (stride <= length) {  // no block is skipped: the loop steps into the next one of this node
        const Index distance = loop.forward() ? modulo(-within, round) : modulo(within - (length - 1), round);
        return next + (distance + stride - 1) / stride;
    }
    const Index lowest = modulo(-within, round);
    const Index skipped = first_multiple_in_window(modulo(loop.step, round), round, lowest, lowest + length - 1);
    return skipped < 0 ? end : next + skipped;
}

// cyclic(n) and a step of 1 or -1: from the first own iteration on, XMP_Loop_next goes from block to block by addition.
void plan_whole_blocks(XMP_Blocks& blocks, const Distribution& spread, Index coordinate) {
    const UserLoop loop{blocks.first, blocks.last, blocks.step, blocks.offset};
    blocks.next = next_own_iteration(loop, spread, coordinate, 0, blocks.end);
    const Index index = loop.first + loop.offset - spread.lower() + blocks.next * loop.step;
    const Index length = spread.block_size(), place = index % length;
    blocks.length = length;
    blocks.gap = length * (spread.nodes() - 1);
    blocks.room = loop.forward() ? length - place : place + 1;
    blocks.position = index / (length * spread.nodes()) * length + place;
}

// Throws, or tells whether there is anything to do on this node.
bool prepare(const XMP_Site* site, const XMP_Template& target, int dimension, const Distribution& spread,
             const UserLoop& loop) {
    if (loop.step == 0) [[unlikely]]
        refuse_step();
    if (loop.empty()) return false;
    check_range(
        loop, spread.lower(), spread.upper(), [&] { return "template " + target.name; }, dimension);
    if (!target.nodes->member()) return false;
    const int along = target.mapping->node_dimension(dimension);
    if (in_iteration(site) && along >= 0) [[unlikely]]
        check_place(*target.nodes, along, spread.owners(places(loop)));
    return true;
}

}  // namespace
}  // namespace kumihimo::globalview

using namespace kumihimo;
using namespace kumihimo::globalview;

XMP_Iterations XMP_Loop(const XMP_Site* site, const XMP_Template* target, int dimension, XMP_Index first, XMP_Index last,
                        XMP_Index step, XMP_Index offset) {
    return execution::guarded(site, [&]() -> XMP_Iterations {
        const UserLoop loop{first, last, step, offset};
        const Distribution& spread = distribution_of(*target, dimension);
        if (!prepare(site, *target, dimension, spread, loop)) return no_iterations(step);
        const Index coordinate = coordinate_of(*target, dimension);
        if (!in_several_blocks(spread)) return one_progression(spread, coordinate, loop);
        if (loop.stride() != 1)
            throw base::Error("XMP_Loop cannot describe a loop with a step on the block-cyclic template " + target->name,
                              "Use XMP_Loop_blocks and XMP_Loop_next.");
        return packed(loop, spread, coordinate);
    });
}

void* XMP_Separate(void* origin) {
    return origin;
}

// `next` and `end` count the loop's iterations, 0-based, for cyclic(n); any other format is a single block, 0 of 1.
XMP_Blocks XMP_Loop_blocks(const XMP_Site* site, const XMP_Template* target, int dimension, XMP_Index first, XMP_Index last,
                           XMP_Index step, XMP_Index offset) {
    return execution::guarded(site, [&]() -> XMP_Blocks {
        const UserLoop loop{first, last, step, offset};
        const Distribution& spread = distribution_of(*target, dimension);
        XMP_Blocks blocks{target, dimension, first, last, step, offset, 0, 0, 0, 0, 0, 0};
        if (!prepare(site, *target, dimension, spread, loop)) return blocks;
        blocks.end = in_several_blocks(spread) ? loop.iterations() : 1;
        if (in_several_blocks(spread) && loop.stride() == 1)
            plan_whole_blocks(blocks, spread, coordinate_of(*target, dimension));
        return blocks;
    });
}

void XMP_Loop_next_block(XMP_Blocks* blocks, XMP_Iterations* iterations) {
    const Distribution& spread = blocks->target->mapping->dimension(blocks->dimension);
    const Index coordinate = coordinate_of(*blocks->target, blocks->dimension);
    const UserLoop loop{blocks->first, blocks->last, blocks->step, blocks->offset};
    if (!in_several_blocks(spread)) {
        blocks->next = blocks->end;
        *iterations = one_progression(spread, coordinate, loop);
        return;
    }
    blocks->next = next_own_iteration(loop, spread, coordinate, blocks->next, blocks->end);
    if (blocks->next >= blocks->end) {
        *iterations = no_iterations(loop.step);
        return;
    }
    const Index index = loop.first + loop.offset - spread.lower() + blocks->next * loop.step;
    const Index length = spread.block_size(), place = index % length, round = length * spread.nodes();
    const Index room = (loop.forward() ? length - 1 - place : place) / loop.stride() + 1;
    const Index count = std::min(room, blocks->end - blocks->next);
    const Index first = loop.first + blocks->next * loop.step;
    blocks->next += count;
    *iterations = {first, first + (count - 1) * loop.step, loop.step, count, index / round * length + place, loop.step, round};
}

XMP_Iterations XMP_Loop_nodes(const XMP_Site* site, const XMP_Nodes* nodes, int dimension, XMP_Index first, XMP_Index last,
                              XMP_Index step, XMP_Index offset) {
    return execution::guarded(site, [&]() -> XMP_Iterations {
        const UserLoop loop{first, last, step, offset};
        if (step == 0) refuse_step();
        if (loop.empty()) return no_iterations(step);
        const Index shown = nodes->first_subscript();
        check_range(
            UserLoop{first, last, step, offset + shown}, shown, nodes->grid.extents()[dimension] - 1 + shown,
            [&] { return "node array " + nodes->name; }, dimension);
        if (!nodes->member()) return no_iterations(step);
        if (in_iteration(site)) [[unlikely]]
            check_place(*nodes, dimension, sets::IndexSet::of(places(loop)));
        return clip(loop, nodes->coordinates[dimension], nodes->coordinates[dimension]);
    });
}
