#include "runtime/globalview/on_clause.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/format.hpp"

namespace kumihimo::globalview {

namespace {

using sets::IndexSet;
using sets::NodeGrid;
using sets::Range;

// A reference, reduced to what it says along each dimension of the node array.
struct Reference {
    const XMP_Nodes* nodes = nullptr;
    unsigned indexed = 0;                                // bit g: dimension g carries a loop index
    std::array<bool, sets::max_rank> named{};            // a scalar or a section stands there:
    std::array<IndexSet, sets::max_rank> coordinates{};  // these coordinates
    std::array<bool, sets::max_rank> own{};              // `*`
};

[[noreturn, gnu::cold]] void refuse_rank(const std::string& name, int rank, int subscripts) {
    throw base::Error(fmt::format("the on clause gives {} subscripts to {}, which has {} dimensions", subscripts, name, rank));
}

Reference refer_to_nodes(const XMP_Nodes& nodes, const XMP_On& on, unsigned index_dimensions) {
    if (on.rank != nodes.grid.rank()) refuse_rank("node array " + nodes.name, nodes.grid.rank(), on.rank);
    Reference reference{&nodes, index_dimensions};
    const Index shown = nodes.first_subscript();
    for (int d = 0; d < on.rank; ++d) {
        const XMP_Range& subscript = on.subscripts[d];
        reference.own[d] = subscript.kind == XMP_SUBSCRIPT_OWN;
        if (index_dimensions >> d & 1u || subscript.kind != XMP_SUBSCRIPT_RANGE) continue;
        const Range range = execution::range_of(subscript, 0, nodes.grid.extents()[d] - 1).ascending();
        if (!range.empty() && (range.first < 0 || range.last() >= nodes.grid.extents()[d]))
            throw base::Error(fmt::format(
                "the on clause names the subscripts {} to {} of dimension {} of node array {}, which has the subscripts {} to {}",
                range.first + shown, range.last() + shown, d + 1, nodes.name, shown, nodes.grid.extents()[d] - 1 + shown));
        reference.named[d] = true;
        reference.coordinates[d] = IndexSet::of(range);
    }
    return reference;
}

Reference refer_to_template(const XMP_Template& target, const XMP_On& on, unsigned index_dimensions) {
    if (!target.fixed())
        throw base::Error("template " + target.name + " has no shape or no distribution yet",
                          "Execute template_fix for " + target.name + " first.");
    if (on.rank != target.rank) refuse_rank("template " + target.name, target.rank, on.rank);
    Reference reference{target.nodes};
    for (int d = 0; d < on.rank; ++d) {
        const XMP_Range& subscript = on.subscripts[d];
        const int along = target.mapping->node_dimension(d);
        const bool indexed = index_dimensions >> d & 1u;
        if (!indexed && subscript.kind == XMP_SUBSCRIPT_RANGE) {
            const sets::Distribution& spread = target.mapping->dimension(d);
            const Range range = execution::range_of(subscript, spread.lower(), spread.upper());
            const Range ascending = range.ascending();
            if (!range.empty() && (ascending.first < spread.lower() || ascending.last() > spread.upper()))
                throw base::Error(
                    fmt::format("the on clause names the indices {} to {} of dimension {} of template {}, which has the "
                                "indices {} to {}",
                                ascending.first, ascending.last(), d + 1, target.name, spread.lower(), spread.upper()));
            if (along < 0) continue;
            reference.named[along] = true;
            reference.coordinates[along] = spread.owners(range);
        }
        if (along < 0) continue;
        if (indexed) reference.indexed |= 1u << along;
        reference.own[along] = !indexed && subscript.kind == XMP_SUBSCRIPT_OWN;
    }
    return reference;
}

Reference refer(const XMP_On& on, unsigned index_dimensions) {
    if (execution::kind_of(on.object) == execution::Kind::nodes)
        return refer_to_nodes(*static_cast<const XMP_Nodes*>(on.object), on, index_dimensions);
    return refer_to_template(*static_cast<const XMP_Template*>(on.object), on, index_dimensions);
}

// `*` lets each node execute an iteration in a set of its own: none of them has the values of all.
[[noreturn, gnu::cold]] void refuse_apart(const execution::Context& context) {
    const XMP_Site& around = *context.loop_around();
    throw base::Error(
        fmt::format("this reduction is among nodes that execute the iteration of the loop at {}:{} each by itself", around.file,
                    around.line),
        "Write `:` instead of `*` in the on clause of that loop.");
}

bool takes_part(const Reference& reference) {
    if (!reference.nodes->member()) return false;
    for (int g = 0; g < reference.nodes->grid.rank(); ++g)
        if (reference.named[g] && !reference.coordinates[g].contains(reference.nodes->coordinates[g])) return false;
    return true;
}

// Members of the grid in all the given coordinates that are in another set, too.
NodeSetPointer members(const XMP_Nodes& nodes, const std::vector<IndexSet>& coordinates, const NodeSetPointer& within) {
    std::vector<int> ranks;
    std::vector<Index> place(nodes.grid.rank());
    for (Index number = 0; number < nodes.grid.size(); ++number) {
        place = nodes.grid.coordinates(number);
        bool inside = true;
        for (int g = 0; g < nodes.grid.rank() && inside; ++g) inside = coordinates[g].contains(place[g]);
        const int rank = nodes.set->world_rank(static_cast<int>(number));
        if (inside && within->number_of(rank) >= 0) ranks.push_back(rank);
    }
    return execution::Context::get().intern(std::move(ranks));
}

// A loop may stand inside other loops, so the sets that reductions use are remembered: what they depend on is the node
// array, the set within which they are, and along which dimensions of the array they reach.
struct Remembered {
    NodeSetPointer of, within;  // held: their addresses identify them
    NodeGrid grid;
    unsigned dimensions;
    NodeSetPointer result;
};

NodeSetPointer along_dimensions(const XMP_Nodes& nodes, unsigned dimensions, const NodeSetPointer& within) {
    static std::vector<Remembered>& table = *new std::vector<Remembered>;  // lives until the process ends
    for (const Remembered& entry : table)
        if (entry.dimensions == dimensions && entry.of == nodes.set && entry.within == within && entry.grid == nodes.grid)
            return entry.result;
    std::vector<IndexSet> coordinates;
    for (int g = 0; g < nodes.grid.rank(); ++g) {
        const Index mine = nodes.coordinates[g];
        coordinates.push_back(dimensions >> g & 1u ? IndexSet::interval(0, nodes.grid.extents()[g] - 1)
                                                   : IndexSet::interval(mine, mine));
    }
    constexpr std::size_t enough = 64;
    if (table.size() >= enough) table.clear();
    table.push_back({nodes.set, within, nodes.grid, dimensions, members(nodes, coordinates, within)});
    return table.back().result;
}

// own: whether `*` stands for this node's own coordinate alone.
NodeSetPointer set_of_iterations(const XMP_On& on, unsigned index_dimensions, const NodeSetPointer& within, bool own) {
    const Reference reference = refer(on, index_dimensions);
    if (!takes_part(reference)) return nullptr;
    const XMP_Nodes& nodes = *reference.nodes;
    std::vector<IndexSet> coordinates;
    bool whole_dimensions = true;  // no part of a dimension but this node's own coordinate
    unsigned dimensions = 0;
    for (int g = 0; g < nodes.grid.rank(); ++g) {
        const Index mine = nodes.coordinates[g];
        if (reference.indexed >> g & 1u || (own && reference.own[g])) {
            coordinates.push_back(IndexSet::interval(mine, mine));
        } else if (reference.named[g]) {
            coordinates.push_back(reference.coordinates[g]);
            whole_dimensions = whole_dimensions && reference.coordinates[g].size() == 1;
        } else {
            coordinates.push_back(IndexSet::interval(0, nodes.grid.extents()[g] - 1));
            dimensions |= 1u << g;
        }
    }
    return whole_dimensions ? along_dimensions(nodes, dimensions, within) : members(nodes, coordinates, within);
}

}  // namespace

NodeSetPointer reduction_set(const XMP_On& on, unsigned index_dimensions) {
    const Reference reference = refer(on, index_dimensions);
    if (!takes_part(reference)) return nullptr;
    const execution::Context& context = execution::Context::get();
    const NodeSetPointer set = along_dimensions(*reference.nodes, reference.indexed, context.executing());
    if (context.loop_around() != nullptr) [[unlikely]]
        if (along_dimensions(*reference.nodes, reference.indexed, context.sharing()) != set) refuse_apart(context);
    return set;
}

NodeSetPointer iteration_set(const XMP_On& on, unsigned index_dimensions) {
    return set_of_iterations(on, index_dimensions, execution::Context::get().executing(), true);
}

NodeSetPointer sharing_set(const XMP_On& on, unsigned index_dimensions) {
    return set_of_iterations(on, index_dimensions, execution::Context::get().sharing(), false);
}

}  // namespace kumihimo::globalview
