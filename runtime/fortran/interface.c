/* What the Fortran module (kumihimo.f90) needs between Fortran and the C interface: references passed as plain records,
 * arguments of any type and rank as the standard's C descriptors, and the attaching of a global array's block to the user's
 * allocatable. */
#include <ISO_Fortran_binding.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kumihimo/generated.h"
#include "packed.h"
#include "records.h"
#include "types.h"

const XMP_On* XMP_Fortran_on(const Reference* reference, XMP_On* on) {
    if (reference == NULL) return NULL;
    *on = (XMP_On){reference->object, reference->rank, reference->subscripts};
    return on;
}

/* ---- start ---- */

void XMP_Fortran_flush(void); /* kumihimo.f90 */

/* At the first call of each program unit that was compiled by itself. file: where it stands; objects of version 1 gave none. */
void XMP_Fortran_start(int abi_version, const char* file) {
    static XMP_Unit first, other;
    const int started = first.abi_version != 0;
    if (started && abi_version == XMP_ABI_VERSION) return;
    XMP_Unit* const unit = started ? &other : &first;
    *unit = (XMP_Unit){abi_version, abi_version > 1 ? file : "a Fortran file", NULL, NULL, NULL};
    XMP_Register(unit);
    XMP_Count_nodes_from(1);
    XMP_Start(NULL, NULL);
    XMP_Flush_at_end(XMP_Fortran_flush); /* the process may be ended without libgfortran's own end */
}

const XMP_Site* XMP_Fortran_site(const char* file, int line, const char* directive) {
    XMP_Site* const site = malloc(sizeof *site);
    if (site != NULL) *site = (XMP_Site){strdup(file), line, strdup(directive)};
    return site;
}

/* ---- nodes and arrays ---- */

XMP_Nodes* XMP_Fortran_nodes(const XMP_Site* site, const char* name, int rank, const XMP_Index* sizes, int of,
                             const Reference* part) {
    XMP_On on;
    return XMP_Nodes_declare(site, name, XMP_COLUMN_MAJOR, rank, sizes, of, XMP_Fortran_on(part, &on));
}

/* The arrays of COMMON blocks, by their places: the first procedure that describes one creates it. */
typedef struct Common {
    char* place;
    XMP_Array* array;
    struct Common* next;
} Common;

static Common* common_at(const char* place) {
    static Common* all = NULL;
    for (Common* known = all; known != NULL; known = known->next)
        if (strcmp(known->place, place) == 0) return known;
    Common* const found = malloc(sizeof *found);
    if (found == NULL) abort();
    *found = (Common){strdup(place), NULL, all};
    return all = found;
}

/* A dimension of an array: type(XMP_Described) of objects.f90. */
typedef struct Described {
    XMP_Bounds bounds;
    XMP_Index offset;
    XMP_Width shadow;
    int onto;
} Described;

Described XMP_Fortran_shadowed(XMP_Index lower, XMP_Index upper, int onto, XMP_Index offset, XMP_Index before, XMP_Index behind,
                               int modifier) {
    return (Described){{lower, upper}, offset, {before, behind, modifier}, onto};
}

Described XMP_Fortran_aligned(XMP_Index lower, XMP_Index upper, int onto, XMP_Index offset) {
    return XMP_Fortran_shadowed(lower, upper, onto, offset, 0, 0, XMP_WIDTH_PLAIN);
}

Described XMP_Fortran_collapsed(XMP_Index lower, XMP_Index upper) {
    return XMP_Fortran_aligned(lower, upper, -1, 0);
}

/* All dimensions, in the form of generated.h. */
typedef struct Shape {
    int rank;
    XMP_Bounds bounds[XMP_MAX_RANK];
    XMP_Align align[XMP_MAX_RANK];
    XMP_Width shadow[XMP_MAX_RANK];
} Shape;

static Shape shape_of(const Described* const described[XMP_MAX_RANK]) {
    Shape shape = {.rank = 0};
    for (int d = 0; d < XMP_MAX_RANK && described[d] != NULL; d++) {
        shape.bounds[d] = described[d]->bounds;
        shape.align[d] = (XMP_Align){described[d]->onto, described[d]->offset};
        shape.shadow[d] = described[d]->shadow;
        shape.rank = d + 1;
    }
    return shape;
}

/* The type of generated.h that XMP_REAL + 8 and its like mean. */
static int element_type(int type) {
    const int kind = type % 100;
    switch (type / 100) {
        case 1:
            return XMP_Fortran_integer_type((size_t)kind);
        case 2:
            return kind == 4 ? XMP_TYPE_FLOAT : kind == 8 ? XMP_TYPE_DOUBLE : XMP_TYPE_OTHER;
        case 3:
            return kind == 4 ? XMP_TYPE_FLOAT_COMPLEX : kind == 8 ? XMP_TYPE_DOUBLE_COMPLEX : XMP_TYPE_OTHER;
        case 4:
            return kind == 4 ? XMP_TYPE_LOGICAL : XMP_TYPE_OTHER;
        default:
            return XMP_TYPE_OTHER;
    }
}

static XMP_Array* argument(const XMP_Site* site, const char* name, int type, int element_bytes, XMP_Template* target,
                           void* base, const Shape* shape) {
    return XMP_Array_argument(site, name, XMP_COLUMN_MAJOR, element_type(type), (size_t)element_bytes, shape->rank,
                              shape->bounds, target, shape->align, shape->shadow, base);
}

XMP_Array* XMP_Fortran_argument(const XMP_Site* site, const char* name, int type, int element_bytes, XMP_Template* target,
                                void* base, const Described* d1, const Described* d2, const Described* d3, const Described* d4,
                                const Described* d5, const Described* d6, const Described* d7) {
    const Shape shape = shape_of((const Described* const[]){d1, d2, d3, d4, d5, d6, d7});
    return argument(site, name, type, element_bytes, target, base, &shape);
}

/* plain: whether a BLOCK DATA without directives gives values to a COMMON block. It has all of the block's elements, where
 * other units leave the global arrays out: its values would be lost, and those behind them lie elsewhere. */
void XMP_Fortran_check_common(const XMP_Site* site, const char* block, int plain) {
    if (!plain) return;
    fprintf(stderr,
            "%s:%d: error: a BLOCK DATA describes the COMMON block /%s/ without the directives of its global arrays (%s)\n"
            "  Put these directives into the BLOCK DATA, too, best by an INCLUDE file.\n",
            site->file, site->line, block, site->directive);
    exit(1);
}

/* A COMMON block of the translation has the initial values of an array in COMMON, behind this many numbers. The first one is 0
 * in a program that gives the array none. */
enum { MARK = 2 };

/* This node's block gets its part of values for the whole array. */
static void initialise(const XMP_Site* site, XMP_Array* array, int type, int element_bytes, const Shape* shape, void* values) {
    XMP_Triplet all[XMP_MAX_RANK], own[XMP_MAX_RANK];
    XMP_Index extents[XMP_MAX_RANK], strides[XMP_MAX_RANK], stride = element_bytes;
    for (int d = 0; d < shape->rank; d++) {
        const XMP_Bounds* const bounds = &shape->bounds[d];
        extents[d] = bounds->upper - bounds->lower + 1;
        strides[d] = stride;
        stride *= extents[d];
        all[d] = (XMP_Triplet){1, bounds->lower, extents[d], 1};
        own[d] = (XMP_Triplet){1, 0, extents[d], 1};
    }
    const XMP_Side to = {.text = "array in COMMON", .array = array, .rank = shape->rank, .subscripts = all};
    const XMP_Side from = {.text = "initial values",
                           .address = values,
                           .type = element_type(type),
                           .element_bytes = (size_t)element_bytes,
                           .rank = shape->rank,
                           .extents = extents,
                           .strides = strides,
                           .subscripts = own};
    XMP_Gmove(site, &to, &from, NULL);
}

/* place: that in a COMMON block, whose other descriptions must agree as those of an argument; NULL for an array of its own.
 * initial: what may have initial values for it, or NULL. */
XMP_Array* XMP_Fortran_array(const XMP_Site* site, const char* name, int type, int element_bytes, XMP_Template* target,
                             const char* place, XMP_Index* initial, const Described* d1, const Described* d2,
                             const Described* d3, const Described* d4, const Described* d5, const Described* d6,
                             const Described* d7) {
    const Shape shape = shape_of((const Described* const[]){d1, d2, d3, d4, d5, d6, d7});
    Common* const common = place != NULL ? common_at(place) : NULL;
    if (common != NULL && common->array != NULL) {
        XMP_Array_join(1, &common->array);
        return argument(site, name, type, element_bytes, target, common->array->base, &shape);
    }
    const XMP_Bounds* const bounds =
        shape.bounds[0].lower != XMP_OPEN ? shape.bounds : NULL; /* NULL: the program allocates it */
    XMP_Array* const array = XMP_Array_declare(site, name, XMP_COLUMN_MAJOR, element_type(type), (size_t)element_bytes,
                                               shape.rank, bounds, target, shape.align, shape.shadow);
    if (common != NULL) common->array = array;
    if (initial != NULL && initial[0] != 0) initialise(site, array, type, element_bytes, &shape, initial + MARK);
    return array;
}

/* Where a view of this node's block begins. A node that stores no part of the array has an address for it, too: the variable is
 * allocated there, and leads back to the array (XMP_Array_point). */
void* XMP_Fortran_block(const XMP_Array* descriptor) {
    return descriptor->base != NULL ? descriptor->base : (void*)descriptor;
}

/* Makes an unallocated allocatable array the view of this node's block, with global subscripts: the block belongs to the
 * runtime, and a main program's variables are never deallocated by the compiler. */
void XMP_Fortran_attach(CFI_cdesc_t* array, const XMP_Array* descriptor) {
    CFI_index_t stride = (CFI_index_t)array->elem_len;
    array->base_addr = XMP_Fortran_block(descriptor);
    for (int d = 0; d < array->rank; d++) {
        const XMP_Dimension* const from = &descriptor->dimension[d];
        array->dim[d].lower_bound = from->origin;
        array->dim[d].extent = from->length;
        array->dim[d].sm = stride;
        stride *= from->length;
    }
}

/* A local alias of the array: the same block under local subscripts from the lower bounds on. */
void XMP_Fortran_alias(CFI_cdesc_t* array, const XMP_Array* descriptor, const XMP_Index* lower) {
    XMP_Fortran_attach(array, descriptor);
    for (int d = 0; d < array->rank; d++) array->dim[d].lower_bound = lower[d];
}

/* The variable is unallocated or unassociated again: the block is not the compiler's to free. */
void XMP_Fortran_detach(CFI_cdesc_t* array) {
    array->base_addr = NULL;
}

void XMP_Fortran_deallocate(XMP_Array* array) {
    if (array != NULL) xmp_free((xmp_desc_t)array);
}

void XMP_Fortran_point(XMP_Array** array, const XMP_Site* site, const XMP_Array* target) {
    XMP_Array_point(site, array, XMP_Fortran_block(target));
}

void XMP_Fortran_follow(const XMP_Site* site, XMP_Array** array, const CFI_cdesc_t* variable) {
    XMP_Array_point(site, array, variable->base_addr);
}

void XMP_Fortran_result(XMP_Array** array, const XMP_Site* site, const CFI_cdesc_t* variable) {
    *array = XMP_Array_result(site, variable->base_addr);
}

XMP_Index XMP_Fortran_block_size(const XMP_Array* array, int dimension) {
    return array->dimension[dimension - 1].length;
}

int XMP_Fortran_rank(const XMP_Array* array) {
    int rank = 0;
    xmp_array_ndims((xmp_desc_t)array, &rank);
    return rank;
}

int XMP_Fortran_bound(const XMP_Array* array, int dimension, int upper) {
    int bound = 0;
    if (upper)
        xmp_array_ubound((xmp_desc_t)array, dimension, &bound);
    else
        xmp_array_lbound((xmp_desc_t)array, dimension, &bound);
    return bound;
}

/* ---- arguments of any type ---- */

static size_t elements(const CFI_cdesc_t* value) {
    size_t count = 1;
    for (int d = 0; d < value->rank; d++) count *= (size_t)value->dim[d].extent;
    return count;
}

/* ---- executable directives ---- */

/* A copy that the communication still uses when the call returns would be lost. */
static void refuse_async(const XMP_Site* site, const Packed* packed, const int* async) {
    if (packed->original == NULL || async == NULL) return;
    fprintf(stderr,
            "%s:%d: error: an asynchronous communication of an array section with gaps is not possible (%s)\n"
            "  Copy it to an array first, or leave out async.\n",
            site->file, site->line, site->directive);
    exit(1);
}

void XMP_Fortran_reduction(const XMP_Site* site, int operation, CFI_cdesc_t* value, const Reference* reference,
                           const int* async) {
    XMP_On on;
    Packed packed = XMP_Fortran_packed(value);
    refuse_async(site, &packed, async);
    XMP_Reduction(site, XMP_Fortran_on(reference, &on), operation, XMP_Fortran_type(value), elements(value), packed.address,
                  async);
    XMP_Fortran_release(&packed);
}

void XMP_Fortran_loop_reduction(const XMP_Site* site, const Reference* reference, int index_dimensions, int operation,
                                CFI_cdesc_t* value, void* before) {
    XMP_On on;
    XMP_Loop_reduction(site, XMP_Fortran_on(reference, &on), (unsigned)index_dimensions, operation, XMP_Fortran_type(value),
                       elements(value), value->base_addr, before);
    memcpy(value->base_addr, before, elements(value) * value->elem_len);
}

void XMP_Fortran_loop_reduction_located(const XMP_Site* site, const Reference* reference, int index_dimensions, int operation,
                                        CFI_cdesc_t* value, void* before, XMP_Index iteration, int count, Side* found,
                                        Side* locations) {
    XMP_On on;
    XMP_Location* const all = malloc((size_t)count * sizeof *all);
    if (all == NULL) abort();
    for (int n = 0; n < count; n++) {
        const XMP_Side* const location = XMP_Fortran_side(&locations[n]);
        size_t bytes = location->element_bytes;
        for (int d = 0; d < location->rank; d++) bytes *= (size_t)location->extents[d];
        all[n] = (XMP_Location){found[n].side.address, location->address, bytes};
    }
    XMP_Loop_reduction_located(site, XMP_Fortran_on(reference, &on), (unsigned)index_dimensions, operation,
                               XMP_Fortran_type(value), value->base_addr, before, iteration, count, all);
    memcpy(value->base_addr, before, value->elem_len);
    free(all);
}

/* flags, here and below: NULL for none. */
void XMP_Fortran_reduce_shadow(const XMP_Site* site, int count, XMP_Array* const* arrays, const XMP_Width* widths,
                               const int* flags, const int* async) {
    XMP_Reduce_shadow(site, count, arrays, widths, flags != NULL ? *flags : 0, async);
}

void XMP_Fortran_reduce_shadow_one(const XMP_Site* site, XMP_Array* array, const XMP_Width* widths, const int* flags,
                                   const int* async) {
    XMP_Fortran_reduce_shadow(site, 1, &array, widths, flags, async);
}

void XMP_Fortran_bcast(const XMP_Site* site, CFI_cdesc_t* value, const Reference* from, const Reference* reference,
                       const int* async) {
    XMP_On source, on;
    Packed packed = XMP_Fortran_packed(value);
    refuse_async(site, &packed, async);
    XMP_Bcast(site, packed.address, packed.bytes, XMP_Fortran_on(from, &source), XMP_Fortran_on(reference, &on), async);
    XMP_Fortran_release(&packed);
}

void XMP_Fortran_reduction_section(const XMP_Site* site, int operation, Side* variable, const Reference* reference,
                                   const int* async) {
    XMP_On on;
    XMP_Reduction_section(site, XMP_Fortran_on(reference, &on), operation, XMP_Fortran_side(variable), async);
}

void XMP_Fortran_reduction_located(const XMP_Site* site, int operation, CFI_cdesc_t* value, int count, Side* locations,
                                   const Reference* reference) {
    XMP_On on;
    XMP_Follower* const followers = malloc((size_t)count * sizeof *followers);
    if (followers == NULL) abort();
    for (int n = 0; n < count; n++) {
        const XMP_Side* const location = XMP_Fortran_side(&locations[n]);
        if (location->rank == 0 && location->array == NULL)
            followers[n] = (XMP_Follower){NULL, location->address, location->element_bytes};
        else
            followers[n] = (XMP_Follower){location, NULL, 0};
    }
    XMP_Reduction_located(site, XMP_Fortran_on(reference, &on), operation, XMP_Fortran_type(value), value->base_addr, count,
                          followers);
    free(followers);
}

void XMP_Fortran_bcast_section(const XMP_Site* site, Side* variable, const Reference* from, const Reference* reference,
                               const int* async) {
    XMP_On source, on;
    XMP_Bcast_section(site, XMP_Fortran_side(variable), XMP_Fortran_on(from, &source), XMP_Fortran_on(reference, &on), async);
}

void XMP_Fortran_gmove(const XMP_Site* site, Side* left, Side* right, const int* async) {
    XMP_Gmove(site, XMP_Fortran_side(left), XMP_Fortran_side(right), async);
}

void XMP_Fortran_reflect(const XMP_Site* site, int count, XMP_Array* const* arrays, const XMP_Width* widths, const int* flags,
                         const int* async) {
    XMP_Reflect(site, count, arrays, widths, flags != NULL ? *flags : 0, async);
}

void XMP_Fortran_reflect_one(const XMP_Site* site, XMP_Array* array, const XMP_Width* widths, const int* flags,
                             const int* async) {
    XMP_Fortran_reflect(site, 1, &array, widths, flags, async);
}

void XMP_Fortran_barrier(const XMP_Site* site, const Reference* reference) {
    XMP_On on;
    XMP_Barrier(site, XMP_Fortran_on(reference, &on));
}

void XMP_Fortran_wait_async(const XMP_Site* site, int count, const int* ids, const Reference* reference) {
    XMP_On on;
    XMP_Wait_async(site, count, ids, XMP_Fortran_on(reference, &on));
}

void XMP_Fortran_task(XMP_Task* task, const XMP_Site* site, const Reference* reference, int flags) {
    XMP_On on;
    *task = XMP_Task_prepare(site, XMP_Fortran_on(reference, &on), flags);
}

void XMP_Fortran_loop_set(XMP_Task* task, const XMP_Site* site, const Reference* reference, int index_dimensions, int push) {
    XMP_On on;
    *task = XMP_Loop_set(site, XMP_Fortran_on(reference, &on), (unsigned)index_dimensions, push);
}

/* Results of loops, one argument each: whatever a Fortran compiler does with records as results. range: first, last, step,
 * offset. */
void XMP_Fortran_loop(const XMP_Site* site, const void* object, int nodes, int dimension, XMP_Index first, XMP_Index last,
                      XMP_Index step, XMP_Index offset, XMP_Index* result) {
    const XMP_Iterations own = nodes ? XMP_Loop_nodes(site, object, dimension, first, last, step, offset)
                                     : XMP_Loop(site, object, dimension, first, last, step, offset);
    result[0] = own.first;
    result[1] = own.last;
    result[2] = XMP_Loop_final(first, last, step);
}

void XMP_Fortran_iterate(XMP_Iterations* own, const XMP_Site* site, const void* object, int nodes, int dimension,
                         const XMP_Index* range) {
    *own = nodes ? XMP_Loop_nodes(site, object, dimension, range[0], range[1], range[2], range[3])
                 : XMP_Loop(site, object, dimension, range[0], range[1], range[2], range[3]);
}

void XMP_Fortran_blocks(XMP_Blocks* blocks, const XMP_Site* site, const XMP_Template* target, int dimension,
                        const XMP_Index* range) {
    *blocks = XMP_Loop_blocks(site, target, dimension, range[0], range[1], range[2], range[3]);
}

int XMP_Fortran_next_block(XMP_Blocks* blocks, XMP_Iterations* own) {
    return XMP_Loop_next(blocks, own);
}

void XMP_Fortran_expand(XMP_Iterations* wide, const XMP_Iterations* own, const XMP_Index* range, const XMP_Index* widths) {
    *wide = XMP_Expand(*own, range[0], range[1], widths[0], widths[1], widths[2] != 0);
}

void XMP_Fortran_margin(XMP_Iterations* part, int piece, int loop, const XMP_Iterations* own, const XMP_Index* range,
                        const XMP_Index* widths) {
    *part = XMP_Margin(piece, loop, *own, range[0], range[1], widths[0], widths[1], widths[2] != 0);
}

XMP_Index XMP_Fortran_subscript(const XMP_Array* array, int dimension, XMP_Index index) {
    return XMP_Subscript(array, dimension, index);
}

/* ---- array functions (7.9) ---- */

void XMP_Fortran_transpose(const XMP_Site* site, Side* x, Side* a, int may_change_a) {
    XMP_Transpose(site, XMP_Fortran_side(x), XMP_Fortran_side(a), may_change_a);
}

void XMP_Fortran_matmul(const XMP_Site* site, Side* x, Side* a, Side* b) {
    XMP_Matmul(site, XMP_Fortran_side(x), XMP_Fortran_side(a), XMP_Fortran_side(b));
}

/* gather and scatter. subscripts: one for each dimension. */
void XMP_Fortran_indexed(const XMP_Site* site, int scatter, Side* x, Side* a, int count, Side* subscripts) {
    XMP_Side lists[XMP_MAX_RANK];
    for (int n = 0; n < count; n++) lists[n] = *XMP_Fortran_side(&subscripts[n]);
    (scatter ? XMP_Scatter : XMP_Gather)(site, XMP_Fortran_side(x), XMP_Fortran_side(a), count, lists);
}

/* pack and unpack. mask NULL: an absent argument. */
void XMP_Fortran_pack(const XMP_Site* site, Side* v, Side* a, Side* mask) {
    XMP_Pack(site, XMP_Fortran_side(v), XMP_Fortran_side(a), mask != NULL ? XMP_Fortran_side(mask) : NULL);
}

void XMP_Fortran_unpack(const XMP_Site* site, Side* a, Side* v, Side* mask) {
    XMP_Unpack(site, XMP_Fortran_side(a), XMP_Fortran_side(v), mask != NULL ? XMP_Fortran_side(mask) : NULL);
}

void XMP_Fortran_sort(const XMP_Site* site, Side* v1, Side* v2, int descending) {
    XMP_Sort(site, XMP_Fortran_side(v1), XMP_Fortran_side(v2), descending);
}

/* ---- global I/O (D.4) ---- */

void XMP_Fortran_open(const XMP_Site* site, int access, int unit, const char* file, const char* status, const char* position,
                      const char* action, const char* method, const char* form, XMP_Index recl, int* iostat) {
    XMP_Global_open(site, &(XMP_Opening){access, unit, file, status, position, action, method, form, recl}, iostat);
}

void XMP_Fortran_transfer(const XMP_Site* site, int writes, int access, int unit, XMP_Index rec, int count, Side* items,
                          int* iostat) {
    XMP_Side* const sides = malloc(((size_t)count + 1) * sizeof *sides);
    if (sides == NULL) abort();
    for (int n = 0; n < count; n++) sides[n] = *XMP_Fortran_side(&items[n]);
    (writes ? XMP_Global_write : XMP_Global_read)(site, access, unit, rec, count, sides, iostat);
    free(sides);
}
