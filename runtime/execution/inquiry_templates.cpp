// xmp_template_* and xmp_dist_* (specification 7.6).
#include <algorithm>

#include "runtime/execution/inquiry.hpp"

using namespace kumihimo::execution;
using namespace kumihimo::execution::inquiry;

namespace {

// Runs `body(target, d)` for dimension d as written.
template <typename Body>
int of_template_dimension(xmp_desc_t descriptor, int dim, Body&& body) {
    return answer([&] {
        const XMP_Template& target = template_of(descriptor);
        const int d = as_written(target.order, target.rank, dim);
        return d < 0 ? failure : body(target, d);
    });
}

}  // namespace

extern "C" int xmp_template_fixed(xmp_desc_t d, int* fixed) {
    return answer([&] { return give(fixed, template_of(d).fixed()); });
}

extern "C" int xmp_template_ndims(xmp_desc_t d, int* ndims) {
    return answer([&] { return give(ndims, template_of(d).rank); });
}

extern "C" int xmp_template_lbound(xmp_desc_t descriptor, int dim, int* lbound) {
    return of_template_dimension(descriptor, dim, [&](const XMP_Template& target, int d) {
        return target.bounds ? give(lbound, (*target.bounds)[d].lower) : failure;
    });
}

extern "C" int xmp_template_ubound(xmp_desc_t descriptor, int dim, int* ubound) {
    return of_template_dimension(descriptor, dim, [&](const XMP_Template& target, int d) {
        return target.bounds ? give(ubound, (*target.bounds)[d].upper) : failure;
    });
}

extern "C" int xmp_dist_format(xmp_desc_t descriptor, int dim, int* format) {
    return of_template_dimension(descriptor, dim, [&](const XMP_Template& target, int d) {
        return target.nodes == nullptr ? failure : give(format, target.formats[d].kind);
    });
}

extern "C" int xmp_dist_blocksize(xmp_desc_t descriptor, int dim, int* blocksize) {
    return of_template_dimension(descriptor, dim, [&](const XMP_Template& target, int d) {
        if (!target.fixed() || target.formats[d].kind == XMP_GBLOCK) return failure;
        return give(blocksize, target.mapping->dimension(d).block_size());
    });
}

extern "C" int xmp_dist_gblockmap(xmp_desc_t descriptor, int dim, int map[]) {
    return of_template_dimension(descriptor, dim, [&](const XMP_Template& target, int d) {
        if (target.nodes == nullptr || target.gblock_sizes[d].empty()) return failure;
        std::copy(target.gblock_sizes[d].begin(), target.gblock_sizes[d].end(), map);
        return success;
    });
}

extern "C" int xmp_dist_nodes(xmp_desc_t descriptor, xmp_desc_t* dn) {
    return answer([&] {
        const XMP_Template& target = template_of(descriptor);
        if (target.nodes == nullptr) return failure;
        *dn = target.nodes;
        return success;
    });
}

extern "C" int xmp_dist_axis(xmp_desc_t descriptor, int dim, int* axis) {
    return of_template_dimension(descriptor, dim, [&](const XMP_Template& target, int d) {
        if (target.nodes == nullptr || target.formats[d].kind == XMP_NOT_DISTRIBUTED) return failure;
        const auto& grid = target.nodes->grid;
        return give(axis, in_fortran_order(grid.order(), grid.rank(), target.formats[d].onto));
    });
}
