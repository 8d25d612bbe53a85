// xmp_nodes_* (specification 7.6).
#include "runtime/execution/inquiry.hpp"

using namespace kumihimo::execution;
using namespace kumihimo::execution::inquiry;

namespace {

int coordinate(xmp_desc_t d, int dim, int* index, int first) {
    return answer([&] {
        const XMP_Nodes& nodes = nodes_of(d);
        const int k = as_written(nodes.grid.order(), nodes.grid.rank(), dim);
        return k < 0 || !nodes.member() ? failure : give(index, nodes.coordinates[k] + first);
    });
}

}  // namespace

extern "C" int xmp_nodes_ndims(xmp_desc_t d, int* ndims) {
    return answer([&] { return give(ndims, nodes_of(d).grid.rank()); });
}

extern "C" int xmp_nodes_index(xmp_desc_t d, int dim, int* index) {
    return coordinate(d, dim, index, 1);
}
extern "C" int xmpc_nodes_index(xmp_desc_t d, int dim, int* index) {
    return coordinate(d, dim, index, 0);
}

extern "C" int xmp_nodes_size(xmp_desc_t d, int dim, int* size) {
    return answer([&] {
        const XMP_Nodes& nodes = nodes_of(d);
        const int k = as_written(nodes.grid.order(), nodes.grid.rank(), dim);
        return k < 0 ? failure : give(size, nodes.grid.extents()[k]);
    });
}

extern "C" int xmp_nodes_attr(xmp_desc_t d, int* attr) {
    return answer([&] {
        switch (nodes_of(d).of) {
            case XMP_NODES_ENTIRE:
                return give(attr, XMP_ENTIRE_NODES);
            case XMP_NODES_EXECUTING:
                return give(attr, XMP_EXECUTING_NODES);
            default:
                return give(attr, XMP_EQUIVALENCE_NODES);
        }
    });
}

// Bounds count from 1, in Fortran's order of dimensions (decision LIB-06).
extern "C" int xmp_nodes_equiv(xmp_desc_t d, xmp_desc_t* dn, int lb[], int ub[], int st[]) {
    return answer([&] {
        const XMP_Nodes& nodes = nodes_of(d);
        if (nodes.whole == nullptr) return failure;
        *dn = const_cast<XMP_Nodes*>(nodes.whole);
        const auto& grid = nodes.whole->grid;
        for (int k = 0; k < grid.rank(); k++) {
            const int position = in_fortran_order(grid.order(), grid.rank(), k) - 1;
            lb[position] = static_cast<int>(nodes.part[k].first) + 1;
            ub[position] = static_cast<int>(nodes.part[k].last()) + 1;
            st[position] = static_cast<int>(nodes.part[k].step);
        }
        return success;
    });
}
