// References in on, from and `nodes =` clauses (specification 4.2.1, 4.3.2): which nodes they name.
#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/format.hpp"
#include "runtime/execution/objects.hpp"

namespace kumihimo::execution {

namespace {

using sets::Range;
using Coordinates = std::vector<std::vector<Index>>;  // for each dimension of a grid

std::vector<Index> whole(Index extent) {
    std::vector<Index> all(static_cast<std::size_t>(extent));
    std::iota(all.begin(), all.end(), Index{0});
    return all;
}

std::vector<Index> elements(const sets::IndexSet& set) {
    std::vector<Index> list;
    set.for_each_run([&](Index first, Index length) {
        for (Index k = 0; k < length; k++) list.push_back(first + k);
    });
    return list;
}

// Entire ranks of the product of these coordinates, in the grid's element order.
std::vector<int> members(const XMP_Nodes& nodes, const Coordinates& coordinates) {
    const int rank = nodes.grid.rank();
    std::vector<int> ranks;
    if (std::any_of(coordinates.begin(), coordinates.end(), [](const auto& list) { return list.empty(); })) return ranks;
    std::vector<std::size_t> position(static_cast<std::size_t>(rank), 0);
    std::vector<Index> at(static_cast<std::size_t>(rank));
    const bool last_first = nodes.grid.order() == sets::Order::row_major;  // which dimension varies fastest
    while (true) {
        for (int d = 0; d < rank; d++) at[d] = coordinates[d][position[d]];
        ranks.push_back(nodes.set->world_rank(static_cast<int>(nodes.grid.number(at))));
        int step = 0;
        for (; step < rank; step++) {
            const int d = last_first ? rank - 1 - step : step;
            if (++position[d] < coordinates[d].size()) break;
            position[d] = 0;
        }
        if (step == rank) return ranks;
    }
}

// shown: what the user's subscripts are more than these.
void check_inside(const Range& section, Index lower, Index upper, const char* noun, const std::string& name, int d,
                  Index shown = 0) {
    if (section.empty()) return;
    const auto [least, most] = std::minmax({section.first, section.last()});  // by value: last() is a temporary
    if (least < lower || most > upper)
        throw base::Error(
            fmt::format("subscript {} of dimension {} of {} {} is outside {}:{}", (least < lower ? least : most) + shown, d + 1,
                        noun, name, lower + shown, upper + shown),
            fmt::format("Name a part of {}{}.", name,
                        noun == std::string_view("template") ? "" : ", or run the program on more nodes (xmprun -n)"));
}

void check_rank(int given, int rank, const char* noun, const std::string& name) {
    if (given != rank)
        throw base::Error(fmt::format("{} {} has {}, the reference {}", noun, name, base::counted(rank, "dimension"), given));
}

NodeSetPointer resolve_nodes(const Context& context, const XMP_Nodes& nodes, const XMP_On& on) {
    if (on.rank == 0) return nodes.set;
    check_rank(on.rank, nodes.grid.rank(), "node array", nodes.name);
    Coordinates coordinates;
    for (int d = 0; d < on.rank; d++) {
        const Index extent = nodes.grid.extents()[d];
        if (on.subscripts[d].kind == XMP_SUBSCRIPT_OWN) {
            if (!nodes.member()) return context.intern({});
            coordinates.push_back({nodes.coordinates[d]});
            continue;
        }
        const Range section = range_of(on.subscripts[d], 0, extent - 1);
        check_inside(section, 0, extent - 1, "node array", nodes.name, d, nodes.first_subscript());
        std::vector<Index> list;
        for (Index k = 0; k < section.count; k++) list.push_back(section.first + k * section.step);
        coordinates.push_back(std::move(list));
    }
    return context.intern(members(nodes, coordinates));
}

NodeSetPointer resolve_template(const Context& context, const XMP_Template& target, const XMP_On& on) {
    if (!target.fixed())
        throw base::Error(fmt::format("template {} is not fixed yet", target.name),
                          "Its shape or distribution is deferred: execute template_fix before this directive.");
    const XMP_Nodes& nodes = *target.nodes;
    if (on.rank == 0) return nodes.set;
    check_rank(on.rank, target.rank, "template", target.name);
    Coordinates coordinates;
    for (const Index extent : nodes.grid.extents()) coordinates.push_back(whole(extent));
    for (int d = 0; d < on.rank; d++) {
        const XMP_Range& subscript = on.subscripts[d];
        const int onto = target.mapping->node_dimension(d);
        if (subscript.kind == XMP_SUBSCRIPT_ALL)
            continue;  // also nodes that own nothing: reductions must leave all nodes alike
        if (subscript.kind == XMP_SUBSCRIPT_OWN) {
            if (!nodes.member()) return context.intern({});
            if (onto >= 0) coordinates[onto] = {nodes.coordinates[onto]};
            continue;
        }
        const XMP_Bounds& bounds = (*target.bounds)[d];
        const Range section = range_of(subscript, bounds.lower, bounds.upper);
        check_inside(section, bounds.lower, bounds.upper, "template", target.name, d);
        if (section.empty()) return context.intern({});
        if (onto >= 0) coordinates[onto] = elements(target.mapping->dimension(d).owners(section));
    }
    return context.intern(members(nodes, coordinates));
}

}  // namespace

Range range_of(const XMP_Range& subscript, Index lower, Index upper) {
    if (subscript.kind != XMP_SUBSCRIPT_RANGE) return Range::triplet(lower, upper);
    if (subscript.step == 0) throw base::Error("a subscript range with step 0");
    const auto [begin, end] = subscript.step > 0 ? std::pair{lower, upper} : std::pair{upper, lower};
    return Range::triplet(subscript.first == XMP_OPEN ? begin : subscript.first,
                          subscript.last == XMP_OPEN ? end : subscript.last, subscript.step);
}

NodeSetPointer Context::resolve(const XMP_On* on) const {
    if (on == nullptr) return executing();
    return kind_of(on->object) == Kind::nodes ? resolve_nodes(*this, nodes_of(on->object), *on)
                                              : resolve_template(*this, template_of(on->object), *on);
}

}  // namespace kumihimo::execution
