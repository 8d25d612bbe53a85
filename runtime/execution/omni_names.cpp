// Functions of Omni XcalableMP that the specification does not have, with the same behaviour.
#include "kumihimo/xmp.h"
#include "runtime/execution/inquiry.hpp"

using namespace kumihimo;
using namespace kumihimo::execution;
using namespace kumihimo::execution::inquiry;

namespace {

// Runs body(array, d) for dimension d as written; `otherwise` where there is no such dimension or the array has no memory.
template <typename Value, typename Body>
Value of_dimension(xmp_desc_t descriptor, int dim, Value otherwise, Body&& body) {
    Value value = otherwise;
    answer([&] {
        const Array& array = array_of(static_cast<const void*>(descriptor));
        const int d = as_written(array, dim);
        if (d < 0 || !array.allocated()) return failure;
        value = body(array, d);
        return success;
    });
    return value;
}

sets::IndexSet owned_along(const Array& array, int d) {
    return array.member() ? array.mapping->owned(d, array.coordinate(d)) : sets::IndexSet();
}

template <typename Index>
int bound(xmp_desc_t descriptor, int dim, int* bound, Index&& of_indices) {
    return of_dimension(descriptor, dim, failure, [&](const Array& array, int d) {
        const sets::IndexSet owned = owned_along(array, d);
        return owned.empty() ? failure : give(bound, of_indices(owned));
    });
}

const sets::Distribution* distribution_of(xmp_desc_t descriptor, int dim) {
    const XMP_Template& target = template_of(descriptor);
    const int d = as_written(target.order, target.rank, dim);
    return d < 0 || !target.fixed() ? nullptr : &target.mapping->dimension(d);
}

Index coordinate_along(const XMP_Template& target, int dim) {
    const int onto = target.mapping->node_dimension(as_written(target.order, target.rank, dim));
    return onto < 0 ? 0 : target.nodes->coordinates[static_cast<std::size_t>(onto)];
}

}  // namespace

extern "C" void xmp_barrier(void) {
    const XMP_Site site = site_of_call("xmp_barrier");
    XMP_Barrier(&site, nullptr);
}

extern "C" int xmp_desc_kind(xmp_desc_t descriptor, int* kind) {
    return answer([&] {
        constexpr int kinds[] = {XMP_DESC_NODES, XMP_DESC_TEMPLATE, XMP_DESC_ARRAY};
        return give(kind, kinds[static_cast<int>(kind_of(descriptor))]);
    });
}

extern "C" int xmp_nodes_rank(xmp_desc_t descriptor, int* rank) {
    return answer([&] {
        const XMP_Nodes& nodes = nodes_of(descriptor);
        return nodes.member() ? give(rank, nodes.set->my_number() + 1) : failure;
    });
}

extern "C" int xmp_template_gsize(xmp_desc_t descriptor, int dim) {
    int size = failure;
    answer([&] {
        const sets::Distribution* const distribution = distribution_of(descriptor, dim);
        return distribution == nullptr ? failure : give(&size, distribution->extent());
    });
    return size;
}

extern "C" int xmp_template_lsize(xmp_desc_t descriptor, int dim) {
    int size = failure;
    answer([&] {
        const sets::Distribution* const distribution = distribution_of(descriptor, dim);
        if (distribution == nullptr) return failure;
        const XMP_Template& target = template_of(descriptor);
        if (!target.nodes->member()) return give(&size, 0);
        return give(&size, distribution->local_size(coordinate_along(target, dim)));
    });
    return size;
}

extern "C" size_t xmp_array_type_size(xmp_desc_t descriptor) {
    size_t size = 0;
    answer([&] { return size = array_of(static_cast<const void*>(descriptor)).element_bytes, success; });
    return size;
}

extern "C" int xmp_array_gsize(xmp_desc_t descriptor, int dim) {
    return of_dimension(descriptor, dim, failure, [](const Array& array, int d) {
        int size = failure;
        give(&size, array.mapping->extent(d));
        return size;
    });
}

extern "C" int xmp_array_lbound_global(xmp_desc_t descriptor, int dim, int* index) {
    return bound(descriptor, dim, index, [](const sets::IndexSet& owned) { return owned.lowest(); });
}

extern "C" int xmp_array_ubound_global(xmp_desc_t descriptor, int dim, int* index) {
    return bound(descriptor, dim, index, [](const sets::IndexSet& owned) { return owned.highest(); });
}

// Omni counts from 0 in its own order of dimensions, which is that of the inquiry functions.
extern "C" void xmp_sched_template_index(int* local_start, int* local_end, int global_start, int global_end, int step,
                                         xmp_desc_t descriptor, int dim) {
    static const XMP_Site site = {nullptr, 0, "xmp_sched_template_index"};
    guarded(&site, [&] {
        const sets::Distribution* const distribution = distribution_of(descriptor, dim + 1);
        if (distribution == nullptr) throw base::Error("there is no such dimension, or the template is not fixed");
        if (step == 0) throw base::Error("the step is 0");
        *local_start = *local_end = 0;
        const XMP_Template& target = template_of(descriptor);
        if (!target.nodes->member()) return;
        const auto last = Index{global_end} - (step > 0 ? 1 : -1);
        const sets::IndexSet owned =
            distribution->owned(coordinate_along(target, dim + 1), sets::Range::triplet(global_start, last, step));
        if (owned.empty()) return;
        const Index lowest = distribution->to_local(owned.lowest()), highest = distribution->to_local(owned.highest());
        give(local_start, step > 0 ? lowest : highest);
        give(local_end, step > 0 ? highest + 1 : lowest - 1);
    });
}
