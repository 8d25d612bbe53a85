// The nodes directive (specification 4.2).
#include <mpi.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <limits>

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

// What the environment says of a size `*` in one of several such dimensions: XMP_NODE_SIZE0 of the first dimension as it is
// written, and so on. 0: nothing.
int size_from_environment(const char* name, int d) {
    const std::string variable = "XMP_NODE_SIZE" + std::to_string(d);
    const char* value = std::getenv(variable.c_str());
    if (value == nullptr || *value == '\0') return 0;
    int size = 0;
    const auto [rest, error] = std::from_chars(value, value + std::strlen(value), size);
    if (error != std::errc{} || *rest != '\0' || size < 1)
        throw base::Error(fmt::format("{} is `{}`, which is no size for node array {}", variable, value, name),
                          "It says how many nodes a dimension has whose size is `*`.");
    return size;
}

// The sizes with `*` filled in; checks them against the number of nodes in the set. Of several `*`, those that the environment
// does not give share the rest as equally as possible (decision MAP-19).
std::vector<Index> fitted_sizes(const char* name, sets::Order order, int rank, const XMP_Index* sizes, int available,
                                const char* where) {
    const auto text = [&] { return declared_text(name, order, rank, sizes); };
    const auto open = std::count(sizes, sizes + rank, XMP_REMAINING);
    std::vector<int> extents;
    Index product = 1;
    for (int d = 0; d < rank; d++) {
        const Index size = sizes[d] != XMP_REMAINING ? sizes[d] : open > 1 ? size_from_environment(name, d) : 0;
        if (sizes[d] != XMP_REMAINING && size < 1)
            throw base::Error(fmt::format("node array {} has size {} in dimension {}", text(), size, d + 1));
        if (__builtin_mul_overflow(product, std::max<Index>(size, 1), &product) || product > std::numeric_limits<int>::max())
            throw base::Error(fmt::format("node array {} is too large", text()));
        extents.push_back(static_cast<int>(size));
    }
    if (std::count(extents.begin(), extents.end(), 0) > 0) {
        if (available % product != 0 || available == 0)
            throw base::Error(fmt::format("node array {} does not fit: {} of {} cannot be divided by {}", text(),
                                          base::counted(available, "node"), where, product),
                              fmt::format("Run the program on a multiple of {} (xmprun -n), or change the declaration.",
                                          base::counted(product, "node")));
        MPI_Dims_create(available, rank, extents.data());
    } else if (product != available) {
        throw base::Error(fmt::format("node array {} does not fit: it has {}, {} has {}", text(),
                                      base::counted(product, "node"), where, available),
                          fmt::format("Run the program on {} (xmprun -n {}), or declare a size as `*`.",
                                      base::counted(product, "node"), product));
    }
    return {extents.begin(), extents.end()};
}

// Records what the `=` names, for xmp_nodes_equiv.
void remember_part(XMP_Nodes& nodes, const XMP_On& part) {
    if (kind_of(part.object) != Kind::nodes) throw base::Error("nodes must be declared on nodes, not on a template");
    nodes.whole = static_cast<const XMP_Nodes*>(part.object);
    const auto& extents = nodes.whole->grid.extents();
    for (int d = 0; d < nodes.whole->grid.rank(); d++) {
        const XMP_Range subscript = part.rank == 0 ? XMP_Range XMP_ALL : part.subscripts[d];
        const bool own = subscript.kind == XMP_SUBSCRIPT_OWN;  // a step of 0 stands for `*`, as xmp_nodes_equiv has it
        nodes.part.push_back(own ? sets::Range{0, 1, 0} : range_of(subscript, 0, extents[d] - 1));
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

extern "C" XMP_Index XMP_Executing_set() {
    return reinterpret_cast<XMP_Index>(Context::get().executing_now());
}

extern "C" void XMP_Nodes_release(XMP_Nodes** nodes) {
    release_nodes(*nodes);
    *nodes = nullptr;
}
