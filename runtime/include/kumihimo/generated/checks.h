/* For programs compiled with --check: whether this node may use an element, and whether that is new enough. Most answers are
 * found in line. Part of generated.h, which says how to read it. */
#ifndef KUMIHIMO_GENERATED_CHECKS_H
#define KUMIHIMO_GENERATED_CHECKS_H

#ifdef __GNUC__
#pragma GCC system_header /* pedantic warnings are for the program's own text, in any dialect */
#endif

#include "kumihimo/generated/objects.h"

#ifdef __cplusplus
extern "C" {
#endif

/* For programs compiled with --check: a place of the program that uses elements of arrays, and what the runtime keeps for it.
 */
typedef struct XMP_Place {
    XMP_Site site;
    const struct XMP_Array *array; /* the one that it has read last from the shadow */
    uint32_t step;                 /* XMP_stamps.read of that time */
    uint32_t stamp;                /* what it notes since then for each element that it reads */
    uint32_t fresh;                /* the same as step if all that the array has in its shadow is new enough; else 0 */
} XMP_Place;
#define XMP_PLACE(text)                                                                   \
    __extension__({                                                                       \
        static XMP_Place xmp_place = {{__FILE__, __LINE__, "`" text "`"}, NULL, 0, 0, 0}; \
        &xmp_place;                                                                       \
    })

/* (local) For programs compiled with --check: the address of an element that this node stores (shadow included),
 * else a message with the indices and the end of the job. */
void *XMP_Element(XMP_Place *place, const XMP_Array *array, const XMP_Index *indices);
/* (local) The same to read it, which an element of the shadow must be new enough for; and for its owner to write it. */
void *XMP_Element_read(XMP_Place *place, const XMP_Array *array, const XMP_Index *indices);
void *XMP_Element_written(XMP_Place *place, const XMP_Array *array, const XMP_Index *indices);
/* (local) The same where a node may write its shadow, too (expand, margin). */
void *XMP_Element_widened(XMP_Place *place, const XMP_Array *array, const XMP_Index *indices);

/* What the runtime would answer without anything to note, so that most elements need no call. */
typedef struct XMP_Known_dimension {
    XMP_Index first[2]; /* this node may read, and write, `count` elements from here on; cyclic: of the whole dimension */
    uint64_t count[2];
    XMP_Index stored; /* this node stores `extent` elements of the array from here on; 0 in cyclic dimensions */
    uint64_t extent;
    XMP_Index shift;              /* cyclic: position of an index - the index */
    uint64_t round, block, begin; /* cyclic: of each `round` positions those `block` from `begin` on are this node's; else 0 */
    uint64_t reciprocal;          /* 2^64 / round, rounded up; 0: there is one round */
} XMP_Known_dimension;
typedef struct XMP_Known {
    XMP_Known_dimension dimension[XMP_MAX_RANK];
    uint32_t *noted; /* for each allocated element the stamp at which it was noted last; may be NULL */
} XMP_Known;
/* Stamps grow. Elements that were noted as read from the first one on, or as written at the second, need not be noted again. */
typedef struct XMP_Stamps {
    uint32_t read, written;
} XMP_Stamps;
extern XMP_Stamps XMP_stamps;
__extension__ typedef unsigned __int128 XMP_Product;
typedef void *XMP_Element_function(XMP_Place *place, const XMP_Array *array, const XMP_Index *indices);

/* (local) View subscript of an index that this node's part of a cyclic dimension has; *mine: whether it has it. */
static __inline__ uint64_t XMP_Known_position(const XMP_Known_dimension *own, uint64_t index, int *mine) {
    const uint64_t position = index + (uint64_t)own->shift;
    const uint64_t turn = (uint64_t)((XMP_Product)position * own->reciprocal >> 64);
    const uint64_t inside = position - turn * own->round - own->begin;
    *mine = (index - (uint64_t)own->first[0] < own->count[0]) & (inside < own->block);
    return turn * own->block + inside;
}
/* (local) Whether this use of the element is noted. */
static __inline__ int XMP_Known_noted(const XMP_Array *array, int rank, unsigned cyclic, int writes, const XMP_Index *indices) {
    uint64_t offset = 0;
    uint32_t noted;
    int d, mine;
    if (array->known->noted == NULL) return 0;
    for (d = 0; d < rank; d++) {
        const XMP_Dimension *const dimension = &array->dimension[d];
        const XMP_Known_dimension *const own = &array->known->dimension[d];
        uint64_t index = (uint64_t)indices[d];
        mine = 1;
        if ((cyclic >> d & 1) != 0 && own->round != 0) index = XMP_Known_position(own, index, &mine);
        index -= (uint64_t)dimension->origin;
        if (!mine || index >= (uint64_t)dimension->length) return 0;
        offset = offset * (uint64_t)dimension->length + index;
    }
    noted = array->known->noted[offset];
    return noted == XMP_stamps.written || (!writes && noted - XMP_stamps.read < UINT32_MAX / 2);
}
/* (local) One of the functions above if this use is not noted yet. */
static __attribute__((noinline, unused)) void *XMP_Asked(XMP_Element_function *function, int writes, XMP_Place *place,
                                                         const XMP_Array *array, int rank, unsigned cyclic, void *address,
                                                         const XMP_Index *indices) {
    if (array->known != NULL && XMP_Known_noted(array, rank, cyclic, writes, indices)) return address;
    return function(place, array, indices);
}
/* (local) What is known of an array: for a copy of it and of this in front of a loop, which nothing in the loop can change. */
static __inline__ XMP_Known XMP_Known_of(const XMP_Array *array) {
    static XMP_Known nothing;
    return array->known == NULL ? nothing : *array->known;
}
/* (local) The same as XMP_Asked, which asks only where there may be something to say or to note. seen, known: the array and
 * what is known of it, or their copies. cyclic: bit d, dimension d may be cyclic. Rank, cyclic and bytes are constants, so that
 * little is left of it. */
static __inline__ __attribute__((always_inline)) void *XMP_Checked(XMP_Element_function *function, int writes, XMP_Place *place,
                                                                   const XMP_Array *array, const XMP_Array *seen,
                                                                   const XMP_Known *known, int rank, unsigned cyclic,
                                                                   size_t bytes, const XMP_Index *indices) {
    int plain = known != NULL, stored = plain && !writes && cyclic == 0 && known->noted != NULL, d;
    uint64_t offset = 0;
    void *address = NULL;
    if (plain) {
#pragma GCC unroll 7
        for (d = 0; d < rank; d++) {
            const XMP_Known_dimension *const own = &known->dimension[d];
            uint64_t view = (uint64_t)indices[d];
            plain &= view - (uint64_t)own->first[writes] < own->count[writes];
            stored &= view - (uint64_t)own->stored < own->extent;
            if ((cyclic >> d & 1) != 0 && own->round != 0) {
                int mine;
                view = XMP_Known_position(own, view, &mine);
                plain &= mine;
            }
            offset = d == 0 ? view : offset * (uint64_t)seen->dimension[d].length + view;
        }
        address = (void *)((uintptr_t)seen->origin + offset * bytes);
        if (!writes && cyclic == 0 && stored && place->fresh == XMP_stamps.read && place->array == array) {
            uint32_t own; /* instead of a branch, which would be foreseen badly where some elements are this node's own */
            *(plain ? &own : &known->noted[((uintptr_t)address - (uintptr_t)seen->base) / bytes]) = place->stamp;
            return address;
        }
    }
    if (__builtin_expect(!plain, 0)) {
        XMP_Index asked[XMP_MAX_RANK]; /* a copy, so that the indices themselves need no memory */
        for (d = 0; d < rank; d++) asked[d] = indices[d];
        return XMP_Asked(function, writes, place, array, rank, cyclic, address, asked);
    }
    return address;
}
#define XMP_LIKELY(condition) __builtin_expect(condition, 1)
/* (local) Asked in front of a loop: whether all elements between two may be used with nothing to say or to note. ends: the
 * first and the last index of each dimension. cyclic: bit d, dimension d is cyclic, and the loop does not run along it; where
 * it does, all its iterations are this node's. */
static __inline__ int XMP_Plain(const XMP_Array *array, int rank, unsigned cyclic, int writes, const XMP_Index *ends) {
    int plain = array->known != NULL, d;
    for (d = 0; plain && d < rank; d++) {
        const XMP_Known_dimension *const own = &array->known->dimension[d];
        const uint64_t begin = (uint64_t)own->first[writes], first = (uint64_t)ends[2 * d], last = (uint64_t)ends[2 * d + 1];
        plain = first - begin < own->count[writes] && last - begin < own->count[writes];
        if (plain && (cyclic >> d & 1) != 0 && own->round != 0) XMP_Known_position(own, first, &plain);
    }
    return plain;
}

/* (local) For programs compiled with --check: what a loop does with the elements of an array, told once in front of it. Along
 * each dimension the subscripts are i + shift for the iterations i = first, first + step, ... to last. object NULL: every node
 * has all of them; else each node has those whose place i + offset in `dimension` it owns, of a template or, on_nodes, of a
 * node array. lower, upper, unbound: as in XMP_Expand. */
typedef struct XMP_Subscripts {
    const void *object;
    int dimension, on_nodes, unbound;
    XMP_Index first, last, step, offset, shift, lower, upper;
} XMP_Subscripts;
/* accesses: XMP_READS and XMP_WRITES ask whether this node may do that: it stores the elements, those of the shadow are not
 * older than their owners', it writes only what it owns. XMP_STORES asks the first alone. If not, a message and the end of the
 * job. Behind the loop, by all nodes: XMP_WRITTEN, the owners have written; XMP_WRITTEN_HERE, this node has, and others may
 * not know of it; XMP_FILLED, this node has written its shadow as they did. */
enum { XMP_STORES = 1, XMP_READS = 2, XMP_WRITES = 4, XMP_WRITTEN = 8, XMP_FILLED = 16, XMP_WRITTEN_HERE = 32 };
void XMP_Check_loop(const XMP_Site *site, const XMP_Array *array, int accesses, const XMP_Subscripts *subscripts);
/* (local) By all executing nodes in front of a loop: what happens from now on is later than what has happened. */
void XMP_Check_step(const XMP_Site *site);
void XMP_Check_start(void); /* before the first array: there are programs compiled with --check */
/* The user gets the address of an array: from now on its shadow may be filled by something else. Returns the array. */
XMP_Array *XMP_Check_open(XMP_Array *array);

#ifdef __cplusplus
}
#endif

#endif
