// The nodes directive (specification 4.2).
#include <functional>
#include <numeric>

#include "base/error.hpp"
#include "base/format.hpp"
#include "runtime/execution/objects.hpp"

namespace kumihimo::execution {

namespace {

std::string declared_text(const char* name, sets::Order order, int rank, const XMP_Index* sizes) {
    std::vector<std::string> subscripts;
    for (int d = 0; d < rank; d++) subscripts.push_back(sizes[d] == XMP_REMAINING ? "*" : std::to_string(sizes[d]));
    return name + subscripts_text(order, subscripts);
}

// The sizes with `*` filled in; checks them against the number of nodes in the set.
std::vector<Index> fitted_sizes(const char* name, sets::Order order, int rank, const XMP_Index* sizes, int available,
                                const char* where) {
    const auto text = [&] { return declared_text(name, order, rank, sizes); };
    std::vector<Index> extents(sizes, sizes + rank);
    Index product = 1;
    int open = -1;
    for (int d = 0; d < rank; d++) {
        if (extents[d] == XMP_REMAINING) {
            if (open >= 0) throw base::Error(fmt::format("node array {} has more than one size `*`", text()));
            open = d;
        } else if (extents[d] < 1) {
            throw base::Error(fmt::format("node array {} has size {} in dimension {}", text(), extents[d], d + 1));
        } else if (__builtin_mul_overflow(product, extents[d], &product)) {
            throw base::Error(fmt::format("node array {} is too large", text()));
        }
    }
    if (open >= 0) {
        if (available % product != 0 || available == 0)
            throw base::Error(fmt::format("node array {} does not fit: {} of {} cannot be divided by {}", text(),
                                          base::counted(available, "node"), where, product),
                              fmt::format("Run the program on a multiple of {} (xmprun -n), or change the declaration.",
                                          base::counted(product, "node")));
        extents[open] = available / product;
    } else if (product != available) {
        throw base::Error(fmt::format("node array {} does not fit: it has {}, {} has {}", text(),
                                      base::counted(product, "node"), where, available),
                          fmt::format("Run the program on {} (xmprun -n {}), or declare a size as `*`.",
                                      base::counted(product, "node"), product));
    }
    return extents;
}

// Records what the `=` names, for xmp_nodes_equiv.
void remember_part(XMP_Nodes& nodes, const XMP_On& part) {
    if (kind_of(part.object) != Kind::nodes) throw base::Error("nodes must be declared on nodes, not on a template");
    nodes.whole = static_cast<const XMP_Nodes*>(part.object);
    const auto& extents = nodes.whole->grid.extents();
    for (int d = 0; d < nodes.whole->grid.rank(); d++) {
        const XMP_Range subscript = part.rank == 0 ? XMP_Range XMP_ALL : part.subscripts[d];
        if (subscript.kind == XMP_SUBSCRIPT_OWN)
            throw base::Error(
                fmt::format("`*` as a subscript of {} in the declaration of nodes {}", nodes.whole->name, nodes.name),
                "A part of a node array is named by numbers and ranges.");
        nodes.part.push_back(range_of(subscript, 0, extents[d] - 1));
    }
}

NodeSetPointer set_of(XMP_Nodes& nodes, const XMP_On* part) {
    const Context& context = Context::get();
    if (nodes.of == XMP_NODES_ENTIRE) return context.entire();
    if (nodes.of == XMP_NODES_EXECUTING || part == nullptr) return context.executing();
    remember_part(nodes, *part);
    return context.resolve(part);
}

const char* where_text(int of) {
    return of == XMP_NODES_ENTIRE ? "the program" : of == XMP_NODES_EXECUTING ? "the executing set" : "the referenced part";
}

}  // namespace

XMP_Nodes* declare_nodes(const char* name, int order, int rank, const XMP_Index* sizes, int of, const XMP_On* part) {
    if (!Context::get().running()) throw not_running();
    auto nodes = std::make_unique<XMP_Nodes>();
    nodes->name = name;
    nodes->of = of;
    nodes->set = set_of(*nodes, part);
    const sets::Order array_order = order == XMP_ROW_MAJOR ? sets::Order::row_major : sets::Order::column_major;
    nodes->grid = sets::NodeGrid(fitted_sizes(name, array_order, rank, sizes, nodes->set->size(), where_text(of)), array_order);
    if (nodes->member()) nodes->coordinates = nodes->grid.coordinates(nodes->set->my_number());
    Context::get().add_object(nodes.get(), Kind::nodes);
    return nodes.release();
}

void release_nodes(XMP_Nodes* nodes) {
    if (nodes == nullptr || !is_object(nodes)) return;
    Context::get().remove_object(nodes);
    delete nodes;
}

}  // namespace kumihimo::execution

using namespace kumihimo::execution;

extern "C" XMP_Nodes* XMP_Nodes_declare(const XMP_Site* site, const char* name, int order, int rank, const XMP_Index* sizes,
                                        int of, const XMP_On* part) {
    return guarded(site, [&] { return declare_nodes(name, order, rank, sizes, of, part); });
}

extern "C" void XMP_Nodes_release(XMP_Nodes** nodes) {
    release_nodes(*nodes);
    *nodes = nullptr;
}
