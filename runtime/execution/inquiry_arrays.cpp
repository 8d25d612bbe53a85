// xmp_align_* and xmp_array_* (specification 7.6 and appendix B).
#include <algorithm>

#include "runtime/execution/inquiry.hpp"

using namespace kumihimo::execution;
using namespace kumihimo::execution::inquiry;

namespace {

const Array& array_at(xmp_desc_t descriptor) {
    return array_of(static_cast<const void*>(descriptor));
}

// Runs `body(array, d)` for dimension d as written.
template <typename Body>
int of_array_dimension(xmp_desc_t descriptor, int dim, Body&& body) {
    return answer([&] {
        const Array& array = array_at(descriptor);
        const int d = as_written(array, dim);
        return d < 0 ? failure : body(array, d);
    });
}

}  // namespace

extern "C" int xmp_align_axis(xmp_desc_t descriptor, int dim, int* axis) {
    return of_array_dimension(descriptor, dim, [&](const Array& array, int d) {
        const int onto = array.alignment[d].template_dimension;
        return onto < 0 ? failure : give(axis, in_fortran_order(array.target->order, array.target->rank, onto));
    });
}

extern "C" int xmp_align_offset(xmp_desc_t descriptor, int dim, int* offset) {
    return of_array_dimension(descriptor, dim, [&](const Array& array, int d) {
        return array.alignment[d].template_dimension < 0 ? failure : give(offset, array.alignment[d].offset);
    });
}

extern "C" int xmp_align_replicated(xmp_desc_t descriptor, int dim, int* replicated) {
    return answer([&] {
        const Array& array = array_at(descriptor);
        const int onto = as_written(array.target->order, array.target->rank, dim);
        if (onto < 0) return failure;
        const auto named = std::find_if(array.alignment.begin(), array.alignment.end(),
                                        [&](const auto& alignment) { return alignment.template_dimension == onto; });
        return give(replicated, named == array.alignment.end());
    });
}

extern "C" int xmp_align_template(xmp_desc_t descriptor, xmp_desc_t* dt) {
    return answer([&] { return *dt = array_at(descriptor).target, success; });
}

extern "C" int xmp_array_ndims(xmp_desc_t descriptor, int* ndims) {
    return answer([&] { return give(ndims, array_at(descriptor).rank); });
}

// A full shadow holds everything that the node does not own: below and above its own part.
extern "C" int xmp_array_lshadow(xmp_desc_t descriptor, int dim, int* lshadow) {
    return of_array_dimension(descriptor, dim, [&](const Array& array, int d) { return give(lshadow, array.shadow[d].lower); });
}

extern "C" int xmp_array_ushadow(xmp_desc_t descriptor, int dim, int* ushadow) {
    return of_array_dimension(descriptor, dim, [&](const Array& array, int d) { return give(ushadow, array.shadow[d].upper); });
}

extern "C" int xmp_array_lbound(xmp_desc_t descriptor, int dim, int* lbound) {
    return of_array_dimension(descriptor, dim, [&](const Array& array, int d) {
        return array.bounds ? give(lbound, (*array.bounds)[d].lower) : failure;
    });
}

extern "C" int xmp_array_ubound(xmp_desc_t descriptor, int dim, int* ubound) {
    return of_array_dimension(descriptor, dim, [&](const Array& array, int d) {
        return array.bounds ? give(ubound, (*array.bounds)[d].upper) : failure;
    });
}

// Position along one dimension of the local block, 0 for its first element, the shadow included (decision LIB-02).
extern "C" int xmp_array_gtol(xmp_desc_t descriptor, int dim, int g_idx, int* l_idx) {
    return of_array_dimension(descriptor, dim, [&](const Array& array, int d) {
        return !array.member() ? failure : give(l_idx, array.mapping->allocated_offset(d, array.coordinate(d), g_idx));
    });
}

extern "C" int xmp_array_lsize(xmp_desc_t descriptor, int dim, int* lsize) {
    return of_array_dimension(descriptor, dim, [&](const Array& array, int d) {
        if (!array.allocated()) return failure;
        return give(lsize, array.member() ? array.mapping->owned_size(d, array.coordinate(d)) : 0);
    });
}

extern "C" int xmp_array_laddr(xmp_desc_t descriptor, void** laddr) {
    return answer([&] { return *laddr = array_at(descriptor).base, success; });
}

// Of a two-dimensional array: elements between neighbours along the slower dimension.
extern "C" int xmp_array_lda(xmp_desc_t descriptor, int* lda) {
    return answer([&] {
        const Array& array = array_at(descriptor);
        if (array.rank != 2 || !array.allocated()) return failure;
        return give(lda, array.dimension[array.order == kumihimo::sets::Order::row_major ? 1 : 0].length);
    });
}

// The allocated sizes of all dimensions (decision LIB-03).
extern "C" int xmp_array_lead_dim(xmp_desc_t descriptor, int size[]) {
    return answer([&] {
        const Array& array = array_at(descriptor);
        if (!array.allocated()) return failure;
        for (int d = 0; d < array.rank; d++)
            if (give(&size[d], array.dimension[d].length) != success) return failure;
        return success;
    });
}
