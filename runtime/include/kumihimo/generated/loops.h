/* Which iterations of a distributed loop a node executes (4.4.3). Part of generated.h, which says how to read it. */
#ifndef KUMIHIMO_GENERATED_LOOPS_H
#define KUMIHIMO_GENERATED_LOOPS_H

#ifdef __GNUC__
#pragma GCC system_header /* pedantic warnings are for the program's own text, in any dialect */
#endif

#include "kumihimo/generated/objects.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The iterations of `for (i = first; i <= last (>= if step < 0); i += step)` whose template index i + offset this node owns.
 * (local) block, gblock, undistributed and cyclic(1): one progression. cyclic(n), only with a step of 1 or -1: `first`, `last`,
 * and `count` consecutive positions. */
typedef struct XMP_Iterations {
    XMP_Index first, last; /* first and last iteration of this node, in the loop's direction; count 0: first = last + step */
    XMP_Index step;        /* the loop's step in block dimensions; a multiple of it in cyclic ones */
    XMP_Index count;
    XMP_Index position,
        position_step; /* view subscript of `first + offset` on the template and its change for each iteration */
    XMP_Index round;   /* cyclic(n): n times the number of nodes, the distance of a node's blocks */
} XMP_Iterations;
XMP_Iterations XMP_Loop(const XMP_Site *site, const XMP_Template *target, int dimension, XMP_Index first, XMP_Index last,
                        XMP_Index step, XMP_Index offset);
/* (local) An array's origin again. Up to XMP_JOIN the nest reaches the array's elements by this pointer only, so that the C
 * compiler may keep elements of one array in registers while it writes another one. */
void *XMP_Separate(void *origin) __attribute__((malloc));
#define XMP_JOIN(rows) __asm__ volatile("" : : "r"(rows) : "memory")
/* cyclic(n): for (c = XMP_Loop_blocks(...); XMP_Loop_next(&c, &r);) for (i in r) ... view subscript = position + k *
 * position_step. */
typedef struct XMP_Blocks {
    const XMP_Template *target;
    int dimension;
    XMP_Index first, last, step, offset, next, end; /* the loop; its next iteration of this node and their number, from 0 */
    XMP_Index length, gap, room, position; /* step 1 or -1: own and other iterations by turns; what is left of this block */
} XMP_Blocks;
XMP_Blocks XMP_Loop_blocks(const XMP_Site *site, const XMP_Template *target, int dimension, XMP_Index first, XMP_Index last,
                           XMP_Index step, XMP_Index offset);
void XMP_Loop_next_block(XMP_Blocks *blocks, XMP_Iterations *iterations); /* any step; count 0: no more */
/* Copies go to the call, so that the caller's structures can live in registers. */
static __inline__ int XMP_Loop_next(XMP_Blocks *blocks, XMP_Iterations *iterations) {
    if (blocks->next >= blocks->end) return 0;
    if (blocks->length == 0) {
        XMP_Blocks after = *blocks;
        XMP_Iterations block;
        XMP_Loop_next_block(&after, &block);
        *blocks = after, *iterations = block;
        return block.count > 0;
    }
    const XMP_Index left = blocks->end - blocks->next, count = left < blocks->room ? left : blocks->room;
    iterations->first = blocks->first + blocks->next * blocks->step;
    iterations->last = iterations->first + (count - 1) * blocks->step;
    iterations->step = iterations->position_step = blocks->step;
    iterations->count = count, iterations->position = blocks->position;
    iterations->round = blocks->length + blocks->gap;
    blocks->position += count * blocks->step;
    blocks->next += count + blocks->gap;
    blocks->room = blocks->length;
    return 1;
}
/* on a node array: iteration i runs on coordinate i + offset of dimension (0-based coordinates). */
XMP_Iterations XMP_Loop_nodes(const XMP_Site *site, const XMP_Nodes *nodes, int dimension, XMP_Index first, XMP_Index last,
                              XMP_Index step, XMP_Index offset);
/* Whether this node takes part at all: the non-index subscripts of the on clause (scalar, section, `*`, `:`). Index dimensions
 * are given as XMP_ALL. Also makes the set that executes this node's iterations the executing set when push is 1. */
XMP_Task XMP_Loop_set(const XMP_Site *site, const XMP_On *on, unsigned index_dimensions /* bit d */, int push);
/* Value of the loop variable after a serial loop. (local) */
static __inline__ XMP_Index XMP_Loop_final(XMP_Index first, XMP_Index last, XMP_Index step) {
    const XMP_Index distance = step > 0 ? last - first : first - last, stride = step > 0 ? step : -step;
    return distance < 0 ? first : first + (distance / stride + 1) * step;
}

/* (local) expand: a node's own iterations (step 1 or -1) widened by lower and upper, inside first..last unless unbound. lower
 * lies on the side where the loop begins. */
static __inline__ XMP_Iterations XMP_Expand(XMP_Iterations own, XMP_Index first, XMP_Index last, XMP_Index lower,
                                            XMP_Index upper, int unbound) {
    if (own.count == 0) return own;
    const XMP_Index sign = own.step < 0 ? -1 : 1;
    const XMP_Index begin = own.first;
    own.first -= sign * lower;
    own.last += sign * upper;
    if (!unbound && sign * own.first < sign * first) own.first = first;
    if (!unbound && sign * own.last > sign * last) own.last = last;
    own.position += (own.first - begin) * sign * own.position_step;
    own.count = sign * (own.last - own.first) + 1;
    if (own.count <= 0) {
        own.count = 0;
        own.last = own.first - own.step;
    }
    return own;
}
/* (local) margin: piece 2 k and 2 k + 1 of the rim lie before and behind in loop k of the nest, inside in the loops before k;
 * this is the part of loop `loop`. Piece -1 is what no rim covers. */
static __inline__ XMP_Iterations XMP_Margin(int piece, int loop, XMP_Iterations own, XMP_Index first, XMP_Index last,
                                            XMP_Index lower, XMP_Index upper, int unbound) {
    const XMP_Iterations wide = XMP_Expand(own, first, last, lower, upper, unbound);
    const XMP_Index sign = own.step < 0 ? -1 : 1;
    XMP_Iterations inner = own, outer = own;
    if (own.count == 0) return own;
    if (wide.count == 0) {
        inner = wide;
    } else {
        if (sign * wide.first < sign * own.first)
            outer.first = wide.first;
        else
            inner.first = wide.first;
        if (sign * wide.last > sign * own.last)
            outer.last = wide.last;
        else
            inner.last = wide.last;
    }
    XMP_Iterations part = outer;
    if (piece < 0 || loop < piece / 2) {
        part = inner;
    } else if (loop == piece / 2) {
        if (inner.count == 0) { /* nothing inside: the first piece is everything */
            if (piece % 2) part.last = part.first - sign;
        } else if (piece % 2 == 0) {
            part.last = inner.first - sign;
        } else {
            part.first = inner.last + sign;
        }
    }
    part.count = sign * (part.last - part.first) + 1;
    if (part.count <= 0) {
        part.count = 0;
        part.last = part.first - part.step;
    }
    return part;
}

#ifdef __cplusplus
}
#endif

#endif
