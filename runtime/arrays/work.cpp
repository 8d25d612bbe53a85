#include "runtime/arrays/work.hpp"

#include <algorithm>
#include <new>

namespace kumihimo::arrays {

using execution::Context;

// ---- layouts ----

namespace {

Layout on_executing_nodes(std::vector<Index> grid, std::vector<sets::Distribution> dimensions, std::vector<int> onto) {
    Layout layout;
    layout.nodes = std::make_shared<XMP_Nodes>();
    XMP_Nodes& nodes = *layout.nodes;
    nodes.name = "executing nodes";
    nodes.grid = sets::NodeGrid(std::move(grid), sets::Order::row_major);
    nodes.set = Context::get().executing();
    nodes.coordinates = nodes.grid.coordinates(nodes.set->my_number());
    nodes.of = XMP_NODES_EXECUTING;
    layout.own = std::make_shared<XMP_Template>();
    XMP_Template& target = *layout.own;
    target.name = "work array";
    target.rank = static_cast<int>(dimensions.size());
    target.nodes = &nodes;
    for (std::size_t d = 0; d < dimensions.size(); ++d) layout.align.push_back({static_cast<int>(d), 0});
    target.mapping.emplace(nodes.grid, std::move(dimensions), std::move(onto));
    layout.target = &target;
    return layout;
}

// The nodes as a grid: each prime factor, the largest first, goes to the dimension that has most elements for each node so far.
std::vector<Index> grid_for(const std::vector<Index>& extents, Index nodes) {
    std::vector<Index> factors, grid(extents.size(), 1);
    for (Index prime = 2; nodes > 1;) {
        if (nodes % prime != 0) {
            ++prime;
            continue;
        }
        factors.push_back(prime);
        nodes /= prime;
    }
    for (auto factor = factors.rbegin(); factor != factors.rend(); ++factor) {
        std::size_t longest = 0;
        for (std::size_t d = 1; d < extents.size(); ++d)
            if (extents[d] * grid[longest] > extents[longest] * grid[d]) longest = d;
        grid[longest] *= *factor;
    }
    return grid;
}

}  // namespace

std::vector<Index> equal_pieces(Index extent) {
    const Index nodes = Context::get().executing()->size();
    const auto dimension = sets::Distribution::block(0, extent - 1, nodes);
    std::vector<Index> sizes;
    for (Index node = 0; node < nodes; ++node) sizes.push_back(dimension.local_size(node));
    return sizes;
}

Layout Layout::blocks(const std::vector<Index>& extents) {
    const std::vector<Index> grid = grid_for(extents, Context::get().executing()->size());
    std::vector<sets::Distribution> dimensions;
    std::vector<int> onto;
    for (std::size_t d = 0; d < extents.size(); ++d) {
        dimensions.push_back(sets::Distribution::block(0, extents[d] - 1, grid[d]));
        onto.push_back(static_cast<int>(d));
    }
    return on_executing_nodes(grid, std::move(dimensions), std::move(onto));
}

Layout Layout::pieces(int rank, int dimension, std::vector<Index> sizes) {
    const auto nodes = static_cast<Index>(sizes.size());
    Layout layout = on_executing_nodes({nodes}, {sets::Distribution::gblock(0, std::move(sizes))}, {0});
    layout.align.assign(static_cast<std::size_t>(rank), {-1, 0});
    layout.align[static_cast<std::size_t>(dimension)].onto = 0;
    return layout;
}

bool Layout::lies_alone(const Operand& operand) {
    const execution::Array* const array = operand.array();
    return array != nullptr && array->mapping->replicated_node_dimensions().empty() &&
           array->set->subset_of(*Context::get().executing());
}

Layout Layout::like(const Operand& operand) {
    if (!lies_alone(operand)) return blocks(operand.extents());
    const execution::Array* const array = operand.array();
    Layout layout;
    layout.target = array->target;
    for (int d = 0; d < array->rank; ++d) {  // work arrays count from 0
        const sets::Alignment& align = array->alignment[static_cast<std::size_t>(d)];
        layout.align.push_back({align.template_dimension, align.offset + operand.lower(d)});
    }
    return layout;
}

Layout Layout::along(int dimension) const {
    Layout layout = *this;
    layout.align[static_cast<std::size_t>(1 - dimension)] = {-1, 0};
    return layout;
}

// ---- memory ----

namespace {

constexpr std::align_val_t alignment{64};
constexpr std::size_t most_kept_bytes = std::size_t{64} << 20;

// What was given back, latest last.
class Kept {
public:
    static Kept& get() {
        static auto& kept = *new Kept;  // static objects may end before those who give back
        return kept;
    }
    // A block that is not much larger, or nothing.
    Memory take(std::size_t bytes) {
        for (auto block = blocks_.rbegin(); block != blocks_.rend(); ++block) {
            if (block->get_deleter().bytes < bytes || block->get_deleter().bytes / 2 > bytes) continue;
            Memory found = std::move(*block);
            blocks_.erase(std::next(block).base());
            bytes_ -= found.get_deleter().bytes;
            return found;
        }
        return Memory(nullptr, GiveBack{0});
    }
    bool give(std::byte* memory, std::size_t bytes) {
        if (bytes_ + bytes > most_kept_bytes) return false;
        blocks_.emplace_back(memory, GiveBack{bytes});
        bytes_ += bytes;
        return true;
    }

private:
    std::vector<Memory> blocks_;
    std::size_t bytes_ = 0;
};

}  // namespace

void GiveBack::operator()(std::byte* memory) const {
    if (!Kept::get().give(memory, bytes)) ::operator delete(memory, alignment);
}

Memory take_memory(std::size_t bytes) {
    const std::size_t size = std::max<std::size_t>(bytes, 1);
    if (Memory kept = Kept::get().take(size)) return kept;
    return Memory(static_cast<std::byte*>(::operator new(size, alignment)), GiveBack{size});
}

// ---- arrays ----

void WorkArray::declare(Element element, sets::Order order, const std::vector<Index>& extents) {
    std::vector<XMP_Bounds> bounds;
    for (const Index extent : extents) bounds.push_back({0, extent - 1});
    array_ = execution::own_array(
        {"work array", order == sets::Order::row_major ? XMP_ROW_MAJOR : XMP_COLUMN_MAJOR, element.type, element.bytes,
         static_cast<int>(extents.size()), bounds.data(), layout_.target, layout_.align.data(), nullptr},
        [&](std::size_t bytes) -> void* {
            if (memory_ == nullptr) memory_ = take_memory(bytes);
            return memory_.get();
        });
    if (memory_ == nullptr) memory_ = take_memory(0);  // this node has no part
}

WorkArray::WorkArray(const Layout& layout, Element element, sets::Order order, const std::vector<Index>& extents)
    : layout_(layout) {
    declare(element, order, extents);
}

WorkArray::WorkArray(const Layout& layout, Element element, Index extent, Memory memory)
    : layout_(layout), memory_(std::move(memory)) {
    declare(element, sets::Order::row_major, {extent});
}

Part WorkArray::whole() const {
    XMP_Side side{};
    side.text = "a work array";
    side.array = array_.get();
    side.rank = array_->rank;
    return Part::whole(side);
}

Index WorkArray::local_elements() const {
    Index count = 1;
    for (int d = 0; d < array_->rank; ++d) count *= local_extent(d);
    return array_->member() ? count : 0;
}

std::vector<sets::IndexSet> WorkArray::owned() const {
    std::vector<sets::IndexSet> sets;
    for (int d = 0; d < array_->rank; ++d) sets.push_back(array_->mapping->owned(d, array_->coordinate(d)));
    return sets;
}

}  // namespace kumihimo::arrays
